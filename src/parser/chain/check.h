// Refuses chains that the grammar accepts and that mean nothing: an end that is missing, stages with the same name ...
#pragma once

#include <string>
#include <string_view>

#include "base/diag.h"
#include "parser/tree/ast.h"

namespace lt {

inline constexpr std::string_view chain_example =
    "for example `chain wakeup = \"sleep\" t:sched:sched_switch[args.prev_pid] -> \"run queue\" "
    "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @[stage] = dist(latency); >`";

void check_chain(const ast::Program& program, const ast::Chain& chain, Span whole, Diags& diags);

// The text of an event in reasons and messages, as typed.
std::string event_text(const ast::Endpoint& event);

}  // namespace lt
