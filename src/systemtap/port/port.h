// Translates a SystemTap script into the `.lt` script that a person would write instead. Keeps the meaning of the tree;
// turns pairs of an entry and a return into spans, and library functions into lt's own; keeps comments at their place.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt::port {

// The known type of a kernel value.
enum class Known : uint8_t {
    nothing,
    number,          // an integer that fits an int64; signed
    small_unsigned,  // unsigned, up to 4 bytes
    large_unsigned,  // unsigned, 8 bytes
    address,
    other,  // a structure, a string ...
};

struct Machine {
    // The type of an expression of the ported tree; none: unknown.
    std::function<Known(ast::ExprId)> type = [](ast::ExprId) { return Known::nothing; };
    // Its size in bytes.
    std::function<uint32_t(ast::ExprId)> size = [](ast::ExprId) { return 0; };
    // The C type that an address points to: "struct sock"; empty: not an address, or unknown.
    std::function<std::string(ast::ExprId)> pointee = [](ast::ExprId) { return std::string(); };
    // Does the location exist? Asked for optional probes.
    std::function<bool(const ast::ProbeSpec&)> exists = [](const ast::ProbeSpec&) { return true; };
};

// Globals that a script only writes, and that SystemTap prints at the end.
using OnlyWritten = std::set<std::string>;

// Call it before port(), with the result of parse_as_written(): removes what the front end added, and replaces library
// functions by lt's own. The machine is asked about the resulting tree. `by_name`: texts of addresses use lt's own
// functions, which only work where they are printed or part of a key.
OnlyWritten prepare(const Source& source, ast::Program& linked, bool by_name);

struct Ported {
    std::string text;
    bool has_probes;
    std::vector<ast::ProbeSpec> left_out;  // optional probes that the machine does not have
};
Ported port(const Source& source, ast::Program prepared, const OnlyWritten& only_written, const Machine& machine);

}  // namespace lt::port
