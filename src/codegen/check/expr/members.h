// Members of structures, elements of arrays and strings, parts of tuples. The kernel's type information describes the
// members.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// x.name and x->name: also a part of a tuple or of a pair, and an argument of the probe (args.name).
Type type_of(CheckContext& c, ast::ExprId id, const ast::Member& node);

// x[n]: an element of an array, a string or the memory at an address; a part of a tuple; a bucket of a histogram.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Index& node);

Type type_of(CheckContext& c, ast::ExprId id, const ast::Tuple& node);

}  // namespace lt
