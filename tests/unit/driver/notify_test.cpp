#include "driver/cli/notify.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lt {
namespace {

TEST(Ready, is_told_and_the_descriptor_is_closed) {
    int fds[2];
    ASSERT_EQ(pipe2(fds, O_CLOEXEC), 0);
    tell_ready(fds[1]);
    char bytes[16];
    EXPECT_EQ(read(fds[0], bytes, sizeof bytes), 6);
    EXPECT_EQ(std::string_view(bytes, 6), "ready\n");
    EXPECT_EQ(read(fds[0], bytes, sizeof bytes), 0);
    close(fds[0]);
}

// Whoever started lt may read later, or never.
TEST(Ready, does_not_wait_for_a_reader_of_a_full_pipe) {
    int fds[2];
    ASSERT_EQ(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    const std::string some(4096, 'x');
    while (write(fds[1], some.data(), some.size()) > 0) {
    }
    ASSERT_EQ(fcntl(fds[1], F_SETFL, 0), 0);  // writing waits from here on
    testing::internal::CaptureStderr();
    tell_ready(fds[1]);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("is full, so `ready` was not written to it"),
              std::string::npos);
    std::string got;
    char bytes[4096];
    for (ssize_t n = 0; (n = read(fds[0], bytes, sizeof bytes)) > 0;) got.append(bytes, static_cast<size_t>(n));
    EXPECT_EQ(got.find('r'), std::string::npos);
    close(fds[0]);
}

}  // namespace
}  // namespace lt
