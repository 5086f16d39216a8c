// Statements of a kernel probe that only lt can run: walking an array in an order, or only a part of it. The rest of
// the block from there on moves out of the probe, and lt runs it a moment later, if it needs nothing of the event and
// if nothing that the probe does then touches the same globals.
#pragma once

#include <optional>
#include <string>

#include "parser/tree/ast.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

// The statements that moved; in their place the global `mark` becomes 1. None: nothing moved, and what the kernel
// cannot run is reported at its place.
struct Later {
    ast::Block body;
    bool exits = false;  // ends the run: statements marked meanwhile do not run
};
std::optional<Later> take_later(ast::Program& program, ast::Block& body, const std::string& mark,
                                const IsGlobal& is_global, const FunctionTable& functions);

}  // namespace lt::stp
