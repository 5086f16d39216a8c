// Names of system calls in probes of several of them, which are known only when a call comes.
#pragma once

#include "parser/ast.h"
#include "stp_names.h"

namespace lt::stp {

// The text after the kind in the place of the probe: "openat" of syscall:openat.
ast::ExprId name_at_run_time(ast::Program& program, Span where, bool returns);

// probefunc() and ppfunc() in the block of a probe of the system call become the kernel's function for it,
// __x64_sys_read. `name` may be a pattern.
void name_kernel_function(ast::Program& program, const FunctionTable& functions, const ast::Block& body,
                          const std::string& name, bool returns);

}  // namespace lt::stp
