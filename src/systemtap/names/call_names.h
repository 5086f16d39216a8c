// Names in probes of system calls. With several calls in one probe, a name is only known at run time.
#pragma once

#include <optional>
#include <string>

#include "parser/tree/ast.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

// The alias of a system call, with its name, its arguments and, at its return, its result; none: the point is not a
// system call's.
std::optional<Alias> system_call_alias(ast::Program& program, const Point& point, const FunctionTable& functions);

// The text after the kind in the probe's location: "openat" of syscall:openat.
ast::ExprId name_at_run_time(ast::Program& program, Span where, bool returns);

// probefunc() and ppfunc() in the block of a probe of the system call become the kernel's function for it.
// `name` may be a pattern.
void name_kernel_function(ast::Program& program, const FunctionTable& functions, const ast::Block& body,
                          const std::string& name, bool returns);

}  // namespace lt::stp
