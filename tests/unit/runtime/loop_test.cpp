#include "runtime/os/loop.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <array>
#include <vector>

#include "runtime/os/descriptor.h"

namespace lt {
namespace {

// What a handler has captured is still there after it has added so many that a vector of them would have moved.
TEST(Loop, AHandlerCanAddHandlers) {
    Result<Loop> loop = Loop::open();
    ASSERT_TRUE(loop) << loop.error().what;
    const Descriptor ready(::eventfd(1, EFD_CLOEXEC));
    std::vector<Descriptor> more;
    int added = 0, calls = 0;
    const std::array<uint64_t, 4> numbers{1, 2, 3, 4};
    uint64_t sum = 0;
    const Status first = loop->add(ready.get(), Loop::On::readable, [&, numbers] {
        for (calls++; added < 100; added++) {
            more.emplace_back(::eventfd(0, EFD_CLOEXEC));
            if (!loop->add(more.back().get(), Loop::On::readable, [] {})) break;
        }
        for (const uint64_t each : numbers) sum += each;
    });
    ASSERT_TRUE(first);
    ASSERT_TRUE(loop->wait(0));
    EXPECT_EQ(added, 100);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(sum, 10U);
}

}  // namespace
}  // namespace lt
