// C between %{ and %}, which is not compiled: what it is about, and what there is instead.
#pragma once

#include <string_view>

#include "base/diag.h"

namespace lt::stp {

// `what` is who is written in C: "walk()", "this value".
void refuse_embedded(Diags& diags, Span where, std::string_view what, std::string_view text);

}  // namespace lt::stp
