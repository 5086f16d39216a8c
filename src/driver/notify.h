// The service manager that started lt, if one did: systemd's protocol of notifications (sd_notify(3)), of which a
// `Type=notify` unit waits for READY=1.
#pragma once

#include <string_view>

namespace lt {

// Sends the lines to the socket that NOTIFY_SOCKET names, a path or an abstract name after `@`. Without that variable
// nobody waits, and nothing is sent. False, with errno, where it could not be sent.
bool notify_service(std::string_view lines);

}  // namespace lt
