// The text that precedes a script's own kernel C.
#pragma once

#include <string_view>

namespace lt {

std::string_view c_types_header();    // constants by name
std::string_view c_helpers_header();  // BPF helpers
std::string_view c_kernel_header();   // definitions of kernel headers other than types

}  // namespace lt
