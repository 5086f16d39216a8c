#pragma once

#include "codegen/check/context.h"

namespace lt {

// The type of a call's result; kind none for functions without a result, and after an error.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Call& node);

}  // namespace lt
