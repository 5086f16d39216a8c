// Functions that read aggregations.
#pragma once

#include "codegen/lower/context.h"
#include "stdlib/functions/builtins.h"

namespace lt {

// count_of(@x), avg_of(@x), ...
ir::Value statistic_value(Lowering& l, Function statistic, ast::ExprId argument);
// hist_log(@x)[n]; 0 for a bucket that does not exist.
ir::Value bucket_value(Lowering& l, const ast::Index& node);
// print(hist_log(@x))
void print_histogram(Lowering& l, const ast::Call& call);

}  // namespace lt
