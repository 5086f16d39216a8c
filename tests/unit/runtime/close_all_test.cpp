// Closing many descriptors at once, with other threads and without.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "runtime/attach/attach.h"
#include "runtime/os/descriptor.h"
#include "unit/no_threads.h"

namespace lt {
namespace {

constexpr std::array<size_t, 7> some_counts{0, 1, 2, 31, 32, 33, 100};

// How many of so many stay open.
size_t left_open(size_t count) {
    std::vector<Descriptor> all;
    std::vector<int> numbers;
    for (size_t i = 0; i < count; i++) {
        all.emplace_back(::eventfd(0, EFD_CLOEXEC));
        numbers.push_back(all.back().get());
    }
    close_all(std::move(all));
    return static_cast<size_t>(std::ranges::count_if(numbers, [](int fd) { return ::fcntl(fd, F_GETFD) >= 0; }));
}

TEST(CloseAll, ClosesAll) {
    for (const size_t count : some_counts) EXPECT_EQ(left_open(count), 0U) << count;
}

TEST(CloseAll, ClosesAllWithoutThreads) {
    const NoThreads none;
    for (const size_t count : some_counts) EXPECT_EQ(left_open(count), 0U) << count;
}

}  // namespace
}  // namespace lt
