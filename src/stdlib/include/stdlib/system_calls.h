// System calls of this architecture by number, as the kernel's own header lists them.
#pragma once

#include <cstdint>
#include <string_view>

namespace lt {

std::string_view system_call_name(int64_t number);  // empty where there is none

}  // namespace lt
