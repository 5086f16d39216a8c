// Macros of the kernel's own headers, which its type information does not have, so that scripts that include
// <linux/sched.h> run without the headers installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lt {

// Only those whose value has been the same in all kernels since 4.14, among them the names of most flag sets.
std::optional<int64_t> header_constant(std::string_view name);

}  // namespace lt
