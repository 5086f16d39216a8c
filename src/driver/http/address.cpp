#include "driver/http/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace lt {
namespace {

constexpr int waiting_connections = 128;

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// Of size 0 if the host is not a numeric address.
SocketAddress socket_address(const ListenAddress& address) {
    SocketAddress out;
    sockaddr_in four{};
    sockaddr_in6 six{};
    if (inet_pton(AF_INET, address.host.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = htons(address.port);
        std::memcpy(&out.storage, &four, out.size = sizeof four);
    } else if (inet_pton(AF_INET6, address.host.c_str(), &six.sin6_addr) == 1) {
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(address.port);
        std::memcpy(&out.storage, &six, out.size = sizeof six);
    }
    return out;
}

}  // namespace

Result<ListenAddress> listen_address(std::string_view text) {
    const Error wrong{fmt::format("`{}` is not an address to listen on", text),
                      "write `:9435`, `192.0.2.1:9435`, or `[::]:9435` for all interfaces", 0};
    ListenAddress out;
    const size_t colon = text.rfind(':');
    std::string_view host = colon == text.npos ? std::string_view() : text.substr(0, colon);
    const std::optional<uint16_t> port = parse_number<uint16_t>(colon == text.npos ? text : text.substr(colon + 1));
    if (!port) return wrong;
    out.port = *port;
    const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (in_brackets) host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = out.host;
    if (!host.empty()) out.host = host;
    const bool is_six = out.host.find(':') != std::string::npos;
    if (is_six != in_brackets || socket_address(out).size == 0) return wrong;
    return out;
}

std::string address_text(const ListenAddress& address) {
    const bool is_six = address.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_six ? "[" : "", address.host, is_six ? "]" : "", address.port);
}

Result<Descriptor> listening_socket(ListenAddress& address) {
    SocketAddress at = socket_address(address);
    const std::string doing = "cannot listen on " + address_text(address);
    Descriptor socket(::socket(at.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return system_error(doing, errno);
    const int on = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const int off = 0;  // [::] is also for IPv4, whatever the system's default is
    if (at.get()->sa_family == AF_INET6) setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (::bind(socket.get(), at.get(), at.size) != 0 || ::listen(socket.get(), waiting_connections) != 0) {
        Error error = system_error(doing, errno);
        if (error.code == EADDRINUSE) error.hint = "another process listens there; choose a port with --listen";
        return error;
    }
    if (getsockname(socket.get(), at.get(), &at.size) != 0) return system_error(doing, errno);
    const bool is_six = at.get()->sa_family == AF_INET6;
    const auto* const four = reinterpret_cast<const sockaddr_in*>(&at.storage);
    const auto* const six = reinterpret_cast<const sockaddr_in6*>(&at.storage);
    address.port = ntohs(is_six ? six->sin6_port : four->sin_port);
    return socket;
}

}  // namespace lt
