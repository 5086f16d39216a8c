// The line below the title of a picture.
#pragma once

#include <string>

namespace lt {

// "web1, Linux 6.12.0, 2026-11-27 14:03:05 UTC"
std::string machine_and_time();

}  // namespace lt
