// Spans between two events: an opening for each key, in a hash that all their events share.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

void open_pair(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way);
void close_pair(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way);
// The address of the key from the expressions starting at `first`; without expressions, the key is the current thread.
ir::Value span_key(Lowering& l, uint32_t span, const std::vector<ast::ExprId>& parts, size_t first);

}  // namespace lt
