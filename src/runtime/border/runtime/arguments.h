// The name of a tuple's shape that says: these are the arguments of a place, to be shown as a=0x1 b=0x2.
#pragma once

#include <string_view>

namespace lt {

constexpr std::string_view arguments_shape = "all_args()";

}  // namespace lt
