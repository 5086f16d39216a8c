// Effects of functions besides printing: reading files, running commands, setting socket options.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// The first `most` bytes of a file. Does not wait for what a pipe or a device does not have yet.
Result<std::string> file_text(const std::string& path, size_t most);

// Runs a shell command, waits for it, but not for what it leaves in the background, and returns its output. If that is
// more than 1 MiB, all but the last piece goes to `take` meanwhile, in pieces of whole lines.
Result<std::string> command_output(const std::string& command, const std::function<void(std::string_view)>& take);

// The arguments of setsockopt(2), for a descriptor of another process.
struct SocketOption {
    int process, descriptor, level, option, value;
};
Status set_socket_option(const SocketOption& option);

}  // namespace lt
