// Locations of values that are not numbers yet: members of kernel structures, elements, targets of addresses, parts of
// tuples.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

struct Location {
    ir::Value base = ir::no_value;  // a number; if `direct`, an address in the BPF program's own memory
    bool user = false;              // in the memory of a traced program
    bool direct = false;            // accessible with loads
    uint32_t offset = 0;
    std::string root = {};  // the structure at base, then the members up to the value
    std::vector<Member> path = {};
    ir::Value distance = ir::no_value;  // if `direct`: additional bytes, below `limit`
    uint32_t limit = 0;
};

// Is the value read from memory, and not computed by the BPF program?
bool lies_in_memory(const Lowering& l, ast::ExprId id);
// Is it part of a tuple? Those are padded with zeros.
bool in_tuple(const Lowering& l, ast::ExprId id);
Location location_of(Lowering& l, ast::ExprId id);
// The address of a location in the traced machine, as a number.
ir::Value address_of(Lowering& l, const Location& p);
// The number at the location of the expression.
ir::Value fetched(Lowering& l, ast::ExprId id);
// Copies a string, a structure, or an array from memory. For a string (`text`), the bytes up to its end.
void bytes_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t room, bool text);

}  // namespace lt
