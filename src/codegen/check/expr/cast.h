#pragma once

#include "codegen/check/context.h"

namespace lt {

// (type)x: between integers and addresses, between integers and arrays of their bytes, strings to other sizes.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Cast& node);

}  // namespace lt
