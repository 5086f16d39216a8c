// The header of a recording's file: JSON, described in ltr(5).
#pragma once

#include <string>
#include <string_view>

#include "recording/recording.h"

namespace lt {

std::string header_text(const Recording& recording);
bool read_header(std::string_view text, Recording& to);  // false: it does not make sense

}  // namespace lt
