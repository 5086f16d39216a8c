// Names of functions as their language writes them.
#pragma once

#include <string>
#include <string_view>

namespace lt {

// C++ (with parameters) and Rust, old and new mangling (without the hash); any other name unchanged.
std::string demangle(std::string_view name);

}  // namespace lt
