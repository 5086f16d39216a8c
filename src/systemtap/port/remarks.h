// The comments of a script's text, and the items that they belong to.
#pragma once

#include <utility>
#include <vector>

#include "base/source.h"
#include "parser/tree/print.h"

namespace lt::port {

// The comments of the script's own text, with // in place of #; without a #! line.
std::vector<ast::Remark> remarks_of(const Source& source);

// Assigns each to the item in or before which it is. `items` are the original places of the items; those merged into
// another one are in `absorbed`, with the place of that one.
ast::PrintOptions with_remarks(const Source& source, const std::vector<Span>& items,
                               const std::vector<std::pair<Span, Span>>& absorbed, const ast::Program& program);

}  // namespace lt::port
