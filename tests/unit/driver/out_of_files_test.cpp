// A process that can open no more files: connections are turned away instead of waking it again and again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "driver/control/control.h"
#include "driver/control/control_address.h"
#include "driver/http/server.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/spare_file.h"

namespace lt {
namespace {

// Until destroyed, no more files can be opened.
class NoFiles {
  public:
    NoFiles() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const Descriptor next_free(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        rlimit lower = before_;
        lower.rlim_cur = static_cast<rlim_t>(next_free.get());
        ::setrlimit(RLIMIT_NOFILE, &lower);
    }
    ~NoFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoFiles(const NoFiles&) = delete;
    NoFiles& operator=(const NoFiles&) = delete;

  private:
    rlimit before_{};
};

constexpr int patience = 10'000;  // milliseconds

bool is_readable(int descriptor, int milliseconds = 0) {
    pollfd ready{descriptor, POLLIN, 0};
    return ::poll(&ready, 1, milliseconds) > 0;
}

Descriptor unconnected() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

bool connect_to(int socket, const std::string& path) {
    const Result<ControlAddress> address = control_address(path);
    return address && ::connect(socket, (*address).get(), (*address).size) == 0;
}

bool is_closed(int socket) {
    char byte = 0;
    const ssize_t n = ::recv(socket, &byte, 1, MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno == ECONNRESET);
}

TEST(OutOfFiles, ControlTurnsClientsAway) {
    Result<std::unique_ptr<Control>> control = Control::listen([](std::string_view) { return "done\n"; });
    ASSERT_TRUE(control) << control.error().what;
    const std::string path = control_socket(::getpid(), ::geteuid());
    const Descriptor early = unconnected(), late = unconnected();
    {
        const NoFiles no_files;
        ASSERT_TRUE(connect_to(early.get(), path));
        EXPECT_TRUE(is_readable((*control)->descriptor()));
        (*control)->serve();
        EXPECT_FALSE(is_readable((*control)->descriptor()));
        EXPECT_TRUE(is_closed(early.get()));
    }
    ASSERT_TRUE(connect_to(late.get(), path));
    (*control)->serve();
    EXPECT_FALSE(is_closed(late.get()));
}

bool connect_to(int socket, uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
}

TEST(OutOfFiles, HttpServerTurnsClientsAway) {
    Result<std::unique_ptr<HttpServer>> listening =
        HttpServer::listen({"127.0.0.1", 0}, [](const HttpRequest&) { return HttpReply{}; });
    ASSERT_TRUE(listening) << listening.error().what;
    HttpServer& server = **listening;
    const Descriptor early(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    {
        const NoFiles no_files;
        ASSERT_TRUE(connect_to(early.get(), server.address().port));
        EXPECT_TRUE(is_readable(server.descriptor(), patience));
        server.serve();
        EXPECT_FALSE(is_readable(server.descriptor()));
        EXPECT_TRUE(is_readable(early.get(), patience));
        EXPECT_TRUE(is_closed(early.get()));
        EXPECT_EQ(server.counts().dropped, 1U);
    }
    ASSERT_TRUE(connect_to(late.get(), server.address().port));
    EXPECT_TRUE(is_readable(server.descriptor(), patience));
    server.serve();
    EXPECT_EQ(server.connections(), 1U);
    EXPECT_EQ(server.counts().dropped, 1U);
}

TEST(OutOfFiles, OnlyThenIsAConnectionTurnedAway) {
    const std::string path = "/tmp/lt-out-of-files-" + std::to_string(::getpid());
    const Descriptor listening = unconnected(), client = unconnected();
    const Result<ControlAddress> address = control_address(path);
    ASSERT_TRUE(address);
    ASSERT_EQ(::bind(listening.get(), (*address).get(), (*address).size), 0);
    ASSERT_EQ(::listen(listening.get(), 4), 0);
    ASSERT_TRUE(connect_to(client.get(), path));
    ::unlink(path.c_str());
    SpareFile spare;
    EXPECT_EQ(spare.turn_away_if_out_of_files(listening.get(), 4), 0U);
    EXPECT_TRUE(is_readable(listening.get()));
    const NoFiles no_files;
    EXPECT_EQ(spare.turn_away_if_out_of_files(listening.get(), 4), 1U);
    EXPECT_TRUE(is_closed(client.get()));
    EXPECT_EQ(spare.turn_away_if_out_of_files(listening.get(), 4), 0U);  // nobody waits
}

}  // namespace
}  // namespace lt
