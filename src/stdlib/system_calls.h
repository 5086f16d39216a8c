// System calls by number, as this processor has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lt {

inline constexpr uint32_t system_call_numbers = 512;  // all numbers are below

// The bit above the number of a 32-bit program's call, whose numbers are others.
inline constexpr int narrow_call_bit = 32;

std::string_view system_call_name(int64_t number);  // empty where there is none

// By the name in its tracepoints after sys_enter_, which is that of the kernel's function and sometimes not the one
// that programs use.
std::optional<uint32_t> traced_system_call(std::string_view name);

}  // namespace lt
