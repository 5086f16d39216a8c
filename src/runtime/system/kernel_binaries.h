// Finds the file for a name that is not a path: a program like the shell, or a library like the loader.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

Result<std::string> find_binary(std::string_view name);

// The programs and libraries that match a glob(7) pattern, each file once, sorted. A pattern without `/` searches PATH
// and the library folders.
std::vector<std::string> find_binaries(const std::string& pattern);

// The path of a library in a loader cache (the bytes of /etc/ld.so.cache): "libc.so.6", or "libc" for any version. Only
// files accepted by `wanted`, because the cache has those of all architectures.
std::optional<std::string> find_in_cache(std::string_view cache, std::string_view name,
                                         const std::function<bool(const std::string&)>& wanted);

// Is `file` the name of this library, with or without a version?
bool is_library(std::string_view file, std::string_view name);
// Those of the loader, without a cache.
std::vector<std::string> library_folders();

}  // namespace lt
