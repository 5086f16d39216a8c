#include "driver/agent/background.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <thread>
#include <vector>

#include "unit/no_threads.h"

namespace lt::agent {
namespace {

using testing::ElementsAre;

void await(Background& background) {
    pollfd done{background.descriptor(), POLLIN, 0};
    ::poll(&done, 1, -1);
}

TEST(Background, WorksElsewhereAndReturnsHere) {
    const auto background = *Background::open();
    std::thread::id worker, after;
    background->add([&] { worker = std::this_thread::get_id(); }, [&] { after = std::this_thread::get_id(); });
    await(*background);
    background->turn();
    EXPECT_NE(worker, std::this_thread::get_id());
    EXPECT_EQ(after, std::this_thread::get_id());
}

TEST(Background, WorkBeginsWhenThatBeforeItWasTakenUp) {
    const auto background = *Background::open();
    std::vector<std::string> seen;
    background->add([&] { seen.emplace_back("first"); },
                    [&] {
                        seen.emplace_back("after it");
                        background->add([&] { seen.emplace_back("third"); }, [&] { seen.emplace_back("the end"); });
                    });
    background->add([&] { seen.emplace_back("second"); }, [] {});
    await(*background);
    EXPECT_THAT(seen, ElementsAre("first"));
    background->turn();
    await(*background);
    EXPECT_THAT(seen, ElementsAre("first", "after it", "second"));
    background->finish();
    EXPECT_THAT(seen, ElementsAre("first", "after it", "second", "third", "the end"));
    background->turn();  // there is nothing
}

TEST(Background, WorksHereWithoutThreads) {
    const NoThreads none;
    const auto background = *Background::open();
    std::vector<std::string> seen;
    background->add([&] { seen.emplace_back("first"); }, [&] { seen.emplace_back("after it"); });
    background->add([&] { seen.emplace_back("second"); }, [] {});
    EXPECT_THAT(seen, ElementsAre("first"));
    await(*background);
    background->turn();
    EXPECT_THAT(seen, ElementsAre("first", "after it", "second"));
    background->finish();
}

TEST(Background, WaitsForWorkThatHasBegun) {
    bool is_done = false;
    {
        const auto background = *Background::open();
        background->add([&] { is_done = true; }, [] { FAIL(); });
    }
    EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace lt::agent
