// Spans of calls, whose openings are stored with the thread.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

void open_call(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way);
void close_call(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way);
// The address of the current thread's openings, or null. `make`: creates them if necessary.
ir::Value thread_state(Lowering& l, uint32_t span, bool make);

}  // namespace lt
