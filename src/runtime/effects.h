// What functions have done besides printing values: files shown, commands run, options set.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// The first 10 KB of a file.
Result<std::string> file_text(const std::string& path, size_t most);

// Runs a command of the shell and gives what it printed; waits for its end.
Result<std::string> command_output(const std::string& command);

// What setsockopt(2) takes, of a process's own descriptor.
struct SocketOption {
    int process, descriptor, level, option, value;
};
Status set_socket_option(const SocketOption& option);

}  // namespace lt
