// Names of functions as their language writes them.
#pragma once

#include <string>
#include <string_view>

namespace lt {

// C++ (with parameters) and Rust, old and new mangling (without the hash); any other name unchanged.
std::string demangle(std::string_view name);

// Is the mangled C++ name, and what it stands for, of a length that the libraries of demanglers can be trusted with?
// They recurse with each character, and a name of 400 can stand for terabytes.
bool can_be_demangled(std::string_view name);

}  // namespace lt
