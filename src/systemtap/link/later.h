// Statements of a kernel probe that only lt can run: walking an array in an order, or only a part of it. The rest of
// the block from there on moves out of the probe, and lt runs it a moment later, if it needs nothing of the event and
// if nothing that the probe does then touches the same globals.
#pragma once

#include <optional>
#include <string>

#include "parser/tree/ast.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

// The statements that moved, as a function with the name `mark`, so that each event has its own locals. In their place
// the global `mark` is counted up. None: nothing moved, and what the kernel cannot run is reported at its place.
struct Later {
    Function rest;
    bool exits = false;  // may end the run, after which the rest of other events does not run
};
std::optional<Later> take_later(ast::Program& program, ast::Block& body, const std::string& mark,
                                const IsGlobal& is_global, const FunctionTable& functions);

// The function's body is like that of such a probe: `next` leaves it.
const StpPoint* row_of_later();

// Runs the rest of the events that were counted, and counts them down, up to a limit; what is left at the end of the run
// is reported.
ast::Block run_later(ast::Program& program, const Later& later, bool at_end);

}  // namespace lt::stp
