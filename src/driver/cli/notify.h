// Notifies the service manager that started lt, if one did, by systemd's protocol (sd_notify(3)): a `Type=notify` unit
// waits for READY=1.
#pragma once

#include <string_view>

namespace lt {

// Sends the lines to the socket in NOTIFY_SOCKET: a path, or an abstract name after `@`. Sends nothing without that
// variable. Says on stderr if sending fails, unless `silent`: that has been said before.
void notify_service(std::string_view lines, bool silent = false);

}  // namespace lt
