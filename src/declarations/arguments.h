// How clang is called, and which headers may be missing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "declarations/read.h"
#include "runtime/kernel.h"

namespace lt {

// `script`: its path, or what it is called; headers in quotes are looked for beside it first.
std::vector<std::string> c_arguments(const std::string& script, const HeaderOptions& options, Kernel& kernel);

// The name in clang's message where it is about a header that is not there.
std::optional<std::string> missing_header(std::string_view message);

// One that describes the kernel, for which its type information stands in.
bool is_kernel_header(std::string_view name);

// What to do about one that is missing.
std::string header_hint(std::string_view name);

}  // namespace lt
