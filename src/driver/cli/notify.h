// Notifies the service manager that started lt, if one did, by systemd's protocol (sd_notify(3)): a `Type=notify` unit
// waits for READY=1.
#pragma once

#include <string_view>

namespace lt {

// Sends the lines to the socket in NOTIFY_SOCKET: a path, or an abstract name after `@`. Sends nothing without that
// variable, and says on stderr if sending failed.
void notify_service(std::string_view lines);

}  // namespace lt
