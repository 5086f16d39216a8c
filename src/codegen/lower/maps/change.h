// Assignments to maps, and removal of keys.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

void assign_map(Lowering& l, const ast::Assign& node, const ast::Map& target, uint32_t map);
// ++ and --, atomic across CPUs: no two CPUs get the same value.
ir::Value step_map(Lowering& l, const ast::Step& node, uint32_t map);
// Removes a key. Returns 1 if it existed.
ir::Value remove_key(Lowering& l, ast::ExprId id);

}  // namespace lt
