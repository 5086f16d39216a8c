// The arguments of clang, and advice about missing headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "declarations/read.h"
#include "runtime/border/kernel.h"

namespace lt {

// `script` is its path, or the name that diagnostics use; headers in quotes are looked up beside it first.
std::vector<std::string> c_arguments(const std::string& script, const HeaderOptions& options, Kernel& kernel);

// The header's name, if clang's message says that it was not found.
std::optional<std::string> missing_header(std::string_view message);

// A header that describes the kernel; the kernel's type information can replace it.
bool is_kernel_header(std::string_view name);

// Advice about a missing header.
std::string header_hint(std::string_view name);

}  // namespace lt
