// Words that calls take as arguments: namespaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/tree/ast.h"

namespace lt {

// `expr` must be a name.
inline const std::string& word(const ast::Expr& expr) { return std::get<ast::Name>(expr.node).name; }

// pid(init), tid(curr_ns)
constexpr std::string_view initial_namespace = "init", current_namespace = "curr_ns";

constexpr uint32_t most_quoted = 512;  // bytes that quoted() returns

}  // namespace lt
