// A program of SystemTap's as the `.lt` program that a person would write instead: what its tree means is kept, pairs
// of an entry and a return become spans, library functions become what lt has, comments stay where they were.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/ast.h"

namespace lt::port {

// What is known of the type of a value of the kernel's.
enum class Known : uint8_t {
    nothing,
    number,          // whole, and an int64 holds it; with a sign
    small_unsigned,  // without one, up to 4 bytes
    large_unsigned,  // without one, 8 bytes
    address,
    other,  // a structure, a string ...
};

struct Machine {
    // Of an expression of the tree that is ported; none asks nothing.
    std::function<Known(ast::ExprId)> type = [](ast::ExprId) { return Known::nothing; };
    // How many bytes it has.
    std::function<uint32_t(ast::ExprId)> size = [](ast::ExprId) { return 0; };
    // What the type of C is that an address points to: "struct sock"; empty: it is none, or not known.
    std::function<std::string(ast::ExprId)> pointee = [](ast::ExprId) { return std::string(); };
    // Is there such a place? Asked of probes that a program can do without.
    std::function<bool(const ast::ProbeSpec&)> exists = [](const ast::ProbeSpec&) { return true; };
};

// Globals that a program only writes, and that SystemTap prints at the end.
using OnlyWritten = std::set<std::string>;

// To be called before port(), with what parse_as_written() makes of the source: takes out what the front end added, and
// says library functions as lt has them. The machine is asked about the tree that this leaves. `by_name`: texts of
// addresses are lt's own, which fit wherever they are only printed or a part of a key.
OnlyWritten prepare(const Source& source, ast::Program& linked, bool by_name);

struct Ported {
    std::string text;
    bool has_probes;
    std::vector<ast::ProbeSpec> left_out;  // of those that it can do without: what the machine has no place for
};
Ported port(const Source& source, ast::Program prepared, const OnlyWritten& only_written, const Machine& machine);

}  // namespace lt::port
