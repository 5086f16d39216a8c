// The content of a map as HTML: bars, a table or a flame graph, by what it holds.
#pragma once

#include <optional>
#include <string>

#include "runtime/print/flame.h"
#include "runtime/print/printer.h"

namespace lt {

std::string map_html(const MapContent& content, const PrintStyle& style);

// The stacks of a map; none if its key has none, or its values cannot be weights.
std::optional<FlameGraph> stacks_of(const MapContent& content);
// A line below the picture of stacks; empty if all are drawn.
std::string left_out_html(const FlameGraph& graph);

std::string map_style();  // CSS

}  // namespace lt
