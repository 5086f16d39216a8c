// Parts that only spans have: keys that pair two events, a threshold, values from the opening, and names.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks the part of a span that one endpoint runs: its key; at the opening the predicates and the arguments of
// entry(); at the end the threshold and the block.
void check_span(CheckContext& c, const ast::SpanAction& node);

// The span that an expression names; null if it does not name one.
const SpanInfo* find_span(const CheckContext& c, ast::ExprId id);

// The type of entry(value). Outside the opening, the opening's body has checked the value.
Type entry_type(CheckContext& c, const ast::Call& node);

// The type of age(span, key...); an error if the span has another key, or cannot be looked up here.
Type age_type(CheckContext& c, ast::ExprId id, const ast::Call& node);

}  // namespace lt
