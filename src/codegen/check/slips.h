// Warnings of code that is valid and means something else than it looks like.
#pragma once

#include "base/diag.h"
#include "codegen/typed/typed.h"

namespace lt {

// Of a program that was checked: each place is reported once, however many locations its probe has.
void warn_of_slips(const ast::Program& program, const Typed& typed, Diags& diags);

}  // namespace lt
