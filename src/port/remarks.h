// The comments of a program's text, and the items that they belong to.
#pragma once

#include <utility>
#include <vector>

#include "base/source.h"
#include "parser/print.h"

namespace lt::port {

// Those of the program's own text, with // where SystemTap has #; a first line for the shell is left out.
std::vector<ast::Remark> remarks_of(const Source& source);

// Gives each to the item in or before which it stands. `items` are the places of the items at first; one that became
// part of another is in `absorbed`, with the place of that.
ast::PrintOptions with_remarks(const Source& source, const std::vector<Span>& items,
                               const std::vector<std::pair<Span, Span>>& absorbed, const ast::Program& program);

}  // namespace lt::port
