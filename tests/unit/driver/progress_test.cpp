// The line that says what lt is doing: the work is what counts.
#include "driver/cli/progress.h"

#include <gtest/gtest.h>

#include "unit/no_threads.h"

namespace lt {
namespace {

TEST(Progress, IsNotShownWithoutThreads) {
    const NoThreads none;
    EXPECT_NO_THROW(Progress("working"));
}

}  // namespace
}  // namespace lt
