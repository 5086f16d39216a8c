// The arguments of a probe by name: args.name, and `args` as a whole.
#pragma once

#include <string>

#include "codegen/check/context.h"

namespace lt {

// args.name: a parameter of the traced function, a field of the tracepoint, a variable of the program.
Type args_member(CheckContext& c, ast::ExprId id, const ast::Member& node);

// How the script names arguments by number, for hints: "`arg0`, `arg1` ...".
std::string arguments_by_number(const CheckContext& c);

// Selects named values of a probe.
struct ArgumentSort {
    bool parameters = true;
    bool locals = false;
    bool numbers_only = false;  // and addresses, but not the number of the system call
};
// The selected values that can be read; no value, with an error, if nothing describes the function.
std::optional<ArgumentsUse> readable_arguments(CheckContext& c, ast::ExprId id, const ArgumentSort& sort);

// `args`: a record of the arguments, each with its own type. Arguments that cannot be read (a structure in several
// registers, a floating-point number) are left out; an error if none is left, or the record is too large.
Type whole_args(CheckContext& c, ast::ExprId id);

}  // namespace lt
