// The names of what a chain becomes. Those with a dot are names that no script can write, of maps that are not printed.
#pragma once

#include <fmt/format.h>

#include <string>

#include "parser/tree/ast.h"

namespace lt {

// Open requests by key: (position, number, the time of each stage).
inline std::string open_map(const ast::Chain& chain) { return chain.name + ".open"; }
// The time of the latest event of a `last` point, by key.
inline std::string last_map(const ast::Chain& chain, size_t point) {
    return fmt::format("{}.last{}", chain.name, point);
}
// The span of an `in` point.
inline std::string call_span(const ast::Chain& chain, size_t point) {
    return fmt::format("{}.in{}", chain.name, point);
}
// A value of entry() or at(), by the request's number.
inline std::string kept_map(const ast::Chain& chain, size_t value) {
    return fmt::format("{}.kept{}", chain.name, value);
}
// Without `else`: requests that are left out, by reason.
inline std::string unsplit_map(const ast::Chain& chain) { return chain.name + "_unsplit"; }

}  // namespace lt
