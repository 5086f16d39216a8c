// Reports that tracing is on: to the service manager that started lt, if one did, by systemd's protocol (sd_notify(3)),
// in which a `Type=notify` unit waits for READY=1; and to the reader of the descriptor of --ready-fd.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// Sends the lines to the socket in NOTIFY_SOCKET: a path, or an abstract name after `@`. Sends nothing without that
// variable. Says on stderr if sending fails, unless `silent`: that has been said before.
void notify_service(std::string_view lines, bool silent = false);

// The value of --ready-fd. The commands that lt runs do not get it, unless it is a standard stream.
Result<int> ready_descriptor(const std::string& text);
// Writes the line `ready` and closes the descriptor, unless it is a standard stream. Never waits: if it is a full pipe,
// the line is left out with a message on stderr.
void tell_ready(int descriptor);

}  // namespace lt
