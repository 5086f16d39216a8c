// A process that can open no more files: connections are turned away instead of waking it again and again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "driver/control/control.h"
#include "driver/control/control_address.h"
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

bool is_readable(int descriptor) {
    pollfd ready{descriptor, POLLIN, 0};
    return ::poll(&ready, 1, 0) > 0;
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
