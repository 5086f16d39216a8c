// How long C gets once its macros are replaced. A few lines of macros that each use the next one twice can become more
// text than any memory holds.
#pragma once

#include <optional>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt {

constexpr double most_replaced = 1 << 20;  // bytes

// The first piece of the script's C that becomes longer than that.
std::optional<Span> grows_without_end(const ast::Program& program);

}  // namespace lt
