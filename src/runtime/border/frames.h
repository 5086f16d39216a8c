// The scratch map of programs whose buffers do not fit on BPF's stack. Its frames are per-CPU values. If they are too
// large for that, the map is an array with the frames of one CPU after the other, and the loader multiplies its entries
// by the number of CPUs.
#pragma once

#include <string_view>

namespace lt {

constexpr std::string_view frames_symbol = "lt_frames";

}  // namespace lt
