// Spans of calls whose returns are found by decoding. A goroutine, or a function that switches stacks, may continue in
// another thread, so an opening is identified by the owner of the call and its position on that stack.
#pragma once

#include "codegen/lower/spans/opening.h"

namespace lt {

// Are the openings of the body's span stored this way?
bool by_frame(const Lowering& l);
// Runs the work where a function begins. The call begins again at the jump that grows the stack.
void where_begun(Lowering& l, const std::function<void()>& work);
void open_frame(Lowering& l);
// For a call that is not measured; see skip_call() in call.cpp.
void skip_frame(Lowering& l);
void close_frame(Lowering& l, const ast::SpanAction& node, const Unmatched& none);
// The largest distance between two frames of one stack, in bytes.
int64_t stack_reach(Way way);

}  // namespace lt
