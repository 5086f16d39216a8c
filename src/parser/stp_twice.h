// Functions and parameters that are declared a second time.
#pragma once

#include "base/diag.h"
#include "stp_names.h"

namespace lt::stp {

void refuse_twice(const Function& function, const FunctionTable& all, const ast::Program& program, Diags& diags);

}  // namespace lt::stp
