// Debug information at the location of a probe: variables by name, and the function's result.
#pragma once

#include "codegen/check/context.h"
#include "codegen/resolve/type_names.h"

namespace lt {

// args.name, where debug information describes the location; an error if there is no such variable, or it cannot be
// read.
Type program_variable(CheckContext& c, ast::ExprId id, const ast::Member& node);

// The type of a variable at the probe. A program's addresses are in user memory. Debug information gives the location
// of the kernel's variables, but their types come from the kernel's own type information: members are found by
// relocation.
Type type_at_probe(CheckContext& c, Type type);

// The type of the traced function's result. It is the plain register without debug information, or if one BPF program
// serves several functions.
Type program_result(CheckContext& c, ast::ExprId id);

// Finds types by name: in the given sources (as in ast::TypeName); if there are none, first in the script, then in the
// traced program, then in the kernel. Valid as long as the context.
TypeLookup type_lookup(CheckContext& c, std::vector<std::string> sources = {});

// Can lt read the types of such a source here? It can for the kernel and for the traced program.
bool has_types_of(CheckContext& c, const std::string& source);

}  // namespace lt
