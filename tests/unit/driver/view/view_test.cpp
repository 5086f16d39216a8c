// The text of a map in a view that has less room than the map needs.
#include "driver/view/view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lt {
namespace {

constexpr size_t keys = 40;

// The values of key k have the total k.
MapContent statistics(std::vector<Value> first_parts = {}) {
    const Type type = aggregation_type(Aggregation::stats);
    std::vector<MapEntry> entries;
    for (size_t k = 1; k <= keys; k++) {
        std::vector<Value> key = first_parts;
        key.push_back({string_type(16), fmt::format("key{:02}", k)});
        entries.push_back({std::move(key), {type, Average{static_cast<int64_t>(k), 1}}});
    }
    return {"@s", std::move(entries), 0, false, type};
}

size_t count_in(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) count++;
    return count;
}

TEST(View, ATableKeepsItsTitlesAndTheGreatestRows) {
    for (size_t height = 3; height <= keys + 2; height++) {
        const std::string text = text_within(statistics(), {79, height});
        const size_t shown = count_in(text, "key");
        EXPECT_TRUE(text.starts_with("@s     count  total")) << text;
        EXPECT_EQ(count_in(text, "key40"), 1U) << text;
        EXPECT_EQ(shown, height > keys ? keys : height - 2) << text;
        EXPECT_EQ(text.ends_with(fmt::format("\n({} more)\n", keys - shown)), shown < keys) << text;
        EXPECT_EQ(count_in(text, "\n"), std::min(height, keys + 1)) << text;
    }
}

// Those of --columns, --sort and --top.
TEST(View, ATableIsThatOfTheOptions) {
    const PrintStyle style{.view = {.sort = "key", .columns = "total", .most = 5}};
    EXPECT_EQ(text_within(statistics(), {79, 20}, style),
              "@s     total\nkey01      1\nkey02      2\nkey03      3\nkey04      4\nkey05      5\n(35 more)\n");
    EXPECT_EQ(text_within(statistics(), {79, 4}, style), "@s     total\nkey01      1\nkey02      2\n(38 more)\n");
    const std::string rows = text_within(statistics(), {79, 2}, {.view = {.rows = true}});
    EXPECT_EQ(rows, "@s[key39]: count 1, average 39, total 39\n@s[key40]: count 1, average 40, total 40\n");
}

// As bpftrace prints, without a table.
TEST(View, StatisticsOfBpftraceAreRecords) {
    EXPECT_EQ(text_within(statistics(), {79, 1}, {.plain = true}),
              "@s[key40]: { .count = 1, .average = 40, .total = 40 }\n");
}

TEST(View, RowsWithStacksHaveSeveralLines) {
    const Value stack{stack_type(), Stack{5, 0, {{0, "a", 1}, {0, "b", 2}}}};
    const std::string text = text_within(statistics({stack}), {79, 18});
    EXPECT_EQ(count_in(text, "key"), 5U) << text;
    EXPECT_TRUE(text.ends_with("\n(35 more)\n")) << text;
}

TEST(View, OtherMapsKeepTheirEnd) {
    const Type count = aggregation_type(Aggregation::count);
    std::vector<MapEntry> entries;
    for (int64_t k = 1; k <= 5; k++) entries.push_back({{{integer_type(), k}}, {count, k}});
    EXPECT_EQ(text_within({"@n", std::move(entries), 0, false, count}, {79, 2}), "@n[4]: 4\n@n[5]: 5\n");
}

}  // namespace
}  // namespace lt
