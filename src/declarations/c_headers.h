// What stands before a script's own C of the kernel's kind.
#pragma once

#include <string_view>

namespace lt {

std::string_view c_types_header();    // numbers by name
std::string_view c_helpers_header();  // the helpers of BPF
std::string_view c_kernel_header();   // what the kernel's headers define beside types

}  // namespace lt
