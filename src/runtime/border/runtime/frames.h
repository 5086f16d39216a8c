// The map with the scratch of programs whose buffers do not fit on BPF's stack. Its pieces are values per CPU; where
// they are too large for that, it is an array with so many pieces for each CPU, one CPU after the other, and the loader
// multiplies its entries by the number of CPUs.
#pragma once

#include <string_view>

namespace lt {

constexpr std::string_view frames_symbol = "lt_frames";

}  // namespace lt
