// Versions of Linux.
#pragma once

#include <compare>
#include <string>

namespace lt {

struct Release {
    int major = 0, minor = 0;
    auto operator<=>(const Release&) const = default;
};
Release parse_release(const std::string& text);  // of "6.12.3-generic"; 0.0 for other texts

// From here on programs at system calls can be preempted by others; these kernels have `trace_call_bpf_faultable`. For
// earlier ones lt does not look for it, because all their symbols would have to be read.
inline constexpr Release calls_preempted_since{7, 2};
// Keys of maps may have more bytes than the stack of a BPF program.
inline constexpr Release large_keys_since{5, 11};

}  // namespace lt
