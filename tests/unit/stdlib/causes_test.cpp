// The causes of waits are found by what users read in reports.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

bool finds(std::string_view words, const CauseRow& row) {
    const std::vector<const CauseRow*> found = causes_named(words);
    return std::ranges::find(found, &row) != found.end();
}

TEST(Causes, FoundByNameAndTitle) {
    for (const CauseRow& row : cause_rows()) {
        EXPECT_TRUE(finds(row.name, row)) << row.name;
        EXPECT_TRUE(finds(row.title, row)) << row.title;
    }
    EXPECT_EQ(causes_named("CPU quota").size(), 1u);
}

TEST(Causes, FoundByAPartOfTheTitle) {
    EXPECT_EQ(causes_named("run queue").size(), 2u);
    EXPECT_EQ(causes_named("quota").size(), 1u);
    EXPECT_EQ(causes_named("lock").size(), 3u);
    EXPECT_TRUE(causes_named("or").empty());
    EXPECT_TRUE(causes_named("").empty());
    EXPECT_TRUE(causes_named("nothing").empty());
}

}  // namespace
}  // namespace lt
