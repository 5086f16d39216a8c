// The name of the tuple shape for a probe's arguments, which are printed as a=0x1 b=0x2.
#pragma once

#include <string_view>

namespace lt {

constexpr std::string_view arguments_shape = "all_args()";

}  // namespace lt
