// Spans: a function that opens one and a function that closes it.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Makes and attaches the functions of a span's body.
void lower_span(const BodyContext& c, const ast::SpanAction& node, Rung& rung);
// Makes the program of a span's timeout. The runtime runs it once for each stuck span, with the span's record.
void lower_timeout(const BodyContext& c, const ast::Timeout& node);

}  // namespace lt
