// Where the server listens, as written: "PORT" or ":PORT" for this machine alone, "ADDRESS:PORT", "[IPv6]:PORT".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt {

struct ListenAddress {
    std::string host = "127.0.0.1";  // a numeric address
    uint16_t port = 9435;            // 0: any free one
};

Result<ListenAddress> listen_address(std::string_view text);
// "127.0.0.1:9435", "[::1]:9435"
std::string address_text(const ListenAddress& address);

// A socket that listens there, non-blocking. Sets the port if it was 0.
Result<Descriptor> listening_socket(ListenAddress& address);

}  // namespace lt
