// Which file a name stands for when it is no path: a program as the shell finds it, or a library as the loader does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

Result<std::string> find_binary(std::string_view name);

// The programs and libraries that a pattern (of glob(7)) stands for, each file once, sorted. Without a `/` in it those
// in PATH and in the folders of libraries.
std::vector<std::string> find_binaries(const std::string& pattern);

// The path that a loader's cache (the bytes of /etc/ld.so.cache) has for a library: "libc.so.6", or "libc" for any
// version of it. Only files for which `wanted` is true are taken, since the cache has those of all machines.
std::optional<std::string> find_in_cache(std::string_view cache, std::string_view name,
                                         bool (*wanted)(const std::string&));

}  // namespace lt
