// How a format of strftime(3) in a plan says that it is of UTC.
#pragma once

#include <string_view>

namespace lt {

constexpr std::string_view utc_mark = "\1";  // in front of it

}  // namespace lt
