// What a probe of the kernel's asks that only lt can do: to walk an array in an order, or so far. The rest of the block
// from there on is taken out of the probe, and lt does it a moment later: where it needs nothing of the event, and
// where nothing that the probe does then touches the same globals.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "parser/ast.h"
#include "stp_names.h"

namespace lt::stp {

using IsGlobal = std::function<bool(const std::string&)>;

// The statements that were taken out; in their place the global `mark` becomes 1. None: nothing was, and what lt cannot
// do there is told where it stands.
struct Later {
    ast::Block body;
    bool exits = false;  // ends the run: what is marked meanwhile is not done
};
std::optional<Later> take_later(ast::Program& program, ast::Block& body, const std::string& mark,
                                const IsGlobal& is_global, const FunctionTable& functions);

}  // namespace lt::stp
