// Addresses of the script's own variables and of values in maps. A number lives in a register; if its address is taken
// anywhere, it also has a copy in memory, which each assignment updates.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Is it a variable or a map of the script?
bool keeps_value(const Lowering& l, ast::ExprId id);
// Its address as a number. 0: the map does not have this key.
ir::Value own_address(Lowering& l, ast::ExprId id);
// The locals whose address is taken.
std::set<uint32_t> addressed_locals(const Lowering& l);

}  // namespace lt
