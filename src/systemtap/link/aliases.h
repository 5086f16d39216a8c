// Shortens the statements of aliases in a probe's body: they assign many names, and most probes use one or two.
#pragma once

#include <functional>
#include <string>

#include "parser/tree/ast.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

// The script around the body.
struct Script {
    const FunctionTable& functions;
    IsGlobal is_global;
    std::function<bool(const std::string& name, Span where)> writes_global;  // by an assignment at this place
};

// Moves texts that an alias makes with sprintf() to where they are read, so that printing them needs no copy, and
// removes the parts of aliases that the probe does not use. `first`: the number of statements of aliases at the start
// of the body.
void shorten(ast::Program& program, ast::Block& body, size_t first, const Script& script);

}  // namespace lt::stp
