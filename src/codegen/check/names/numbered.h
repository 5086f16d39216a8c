#pragma once

#include "codegen/check/context.h"

namespace lt {

// The type of arg0, arg1 ...; an error if the traced function or marker does not have that many.
Type numbered_argument(CheckContext& c, ast::ExprId id, std::string_view name);

}  // namespace lt
