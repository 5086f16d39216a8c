// A fuzzer of the control socket (libFuzzer, run by `./dev fuzz control`): whatever clients send, in whatever pieces,
// and whenever they leave, each line is answered or refused, and the next client is served.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "driver/control/control.h"
#include "driver/control/control_address.h"
#include "driver/control/protocol.h"

namespace lt {
namespace {

// A process in which nothing is traced: the lines of requests are taken apart all the same.
class NoTraces final : public Traces {
  public:
    std::vector<Trace*> traces() override { return {}; }
    Status stop(Trace&) override { return Done{}; }
};

int connected() {
    const Result<ControlAddress> address = control_address(control_socket(getpid(), geteuid()));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (!address || ::connect(socket, address->get(), address->size) != 0) std::abort();
    return socket;
}

Control& control() {
    static NoTraces none;
    static Result<std::unique_ptr<Control>> listening =
        Control::listen([](std::string_view request) { return reply(none, request); });
    if (!listening) {
        fmt::print(stderr, "{}\n", listening.error().what);
        std::abort();
    }
    return **listening;
}

void serve() {
    pollfd ready{control().descriptor(), POLLIN, 0};
    while (::poll(&ready, 1, 0) > 0) control().serve();
}

// Each byte says what comes next: so many bytes to one of four clients, or that it leaves.
void talk(std::string_view bytes) {
    std::array<int, 4> clients{-1, -1, -1, -1};
    while (bytes.size() > 1) {
        const auto what = static_cast<unsigned char>(bytes[0]);
        const size_t size = std::min<size_t>(static_cast<unsigned char>(bytes[1]), bytes.size() - 2);
        int& client = clients[what % clients.size()];
        if (client < 0) client = connected();
        serve();
        const std::string_view part = bytes.substr(2, size);
        if (::send(client, part.data(), part.size(), MSG_NOSIGNAL) < 0 || what >= 0xf0) {
            ::close(client);
            client = -1;
        }
        bytes.remove_prefix(2 + size);
        serve();
    }
    for (const int client : clients)
        if (client >= 0) ::close(client);
    serve();
    static_cast<void>(read_reply(std::string(bytes)));
}

// It still answers.
void ask() {
    const int client = connected();
    serve();
    const std::string request = request_line("list", false);
    if (::send(client, request.data(), request.size(), MSG_NOSIGNAL) < 0) std::abort();
    serve();
    std::array<char, 4096> answer{};
    if (::recv(client, answer.data(), answer.size(), 0) <= 0) std::abort();
    ::close(client);
    serve();
}

}  // namespace
}  // namespace lt

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    lt::control();
    lt::talk({reinterpret_cast<const char*>(data), size});
    lt::ask();
    static_cast<void>(lt::read_reply({reinterpret_cast<const char*>(data), size}));
    return 0;
}
