// The verifier's cost of a program's string operations and loops.
#pragma once

#include <array>

#include "codegen/ir/ir.h"

namespace lt::ir {

// Which argument of a library function is the address of text, and which one is its size in bytes.
struct TextRow {
    Library id;
    unsigned text;
    unsigned size;
};
inline constexpr std::array text_rows{
    TextRow{Library::contains, 0, 1},      TextRow{Library::contains, 2, 3},      TextRow{Library::find, 0, 1},
    TextRow{Library::find, 2, 3},          TextRow{Library::compare, 0, 2},       TextRow{Library::compare, 1, 2},
    TextRow{Library::bytes_compare, 0, 2}, TextRow{Library::bytes_compare, 1, 2}, TextRow{Library::length, 0, 1},
    TextRow{Library::matches, 0, 1},       TextRow{Library::change_case, 0, 1},   TextRow{Library::number, 0, 1},
};

// Would the verifier follow too many steps if all string operations were inline? Such a program calls them as separate
// functions, whose stacks add to its own.
bool is_long(const Function& f);

// The functions that are called inside each other, besides the program itself: the bodies of the loops that the kernel
// calls, and string operations. `where` is the innermost.
struct Nesting {
    uint32_t calls = 0;
    Span where = {};
};
Nesting nesting(const Function& f);

}  // namespace lt::ir
