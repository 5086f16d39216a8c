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
    const std::string rows = text_within(statistics(), {79, 3}, {.view = {.rows = true}});
    EXPECT_EQ(rows, "(38 more)\n@s[key39]: count 1, average 39, total 39\n@s[key40]: count 1, average 40, total 40\n");
}

// As bpftrace prints, without a table.
TEST(View, StatisticsOfBpftraceAreRecords) {
    EXPECT_EQ(text_within(statistics(), {79, 2}, {.plain = true}),
              "(39 more)\n@s[key40]: { .count = 1, .average = 40, .total = 40 }\n");
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
    const MapContent content{"@n", std::move(entries), 0, false, count};
    EXPECT_EQ(text_within(content, {79, 3}), "(3 more)\n@n[4]: 4\n@n[5]: 5\n");
    EXPECT_EQ(text_within(content, {79, 4}), "(2 more)\n@n[3]: 3\n@n[4]: 4\n@n[5]: 5\n");
    EXPECT_EQ(text_within(content, {79, 5}), "@n[1]: 1\n@n[2]: 2\n@n[3]: 3\n@n[4]: 4\n@n[5]: 5\n");
    EXPECT_EQ(text_within(content, {79, 1}), "(5 more)\n");
}

MapEntry histogram_of(int64_t key, uint64_t count) {
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (size_t i = 2; i < 6; i++) h.buckets[i] = count;
    return {{{integer_type(), key}}, {aggregation_type(Aggregation::hist), std::move(h)}};
}

TEST(View, HistogramsAreWholeAsLongAsOneFits) {
    const MapContent content{"@h",
                             {histogram_of(1, 5), histogram_of(2, 7), histogram_of(3, 1)},
                             0,
                             false,
                             aggregation_type(Aggregation::hist)};
    const std::string whole = text_within(content, {79, 17});
    EXPECT_EQ(count_in(whole, "\n"), 17U) << whole;
    EXPECT_EQ(count_in(whole, "@h["), 3U) << whole;
    for (const size_t height : {12U, 13U, 16U}) {
        const std::string text = text_within(content, {79, height});
        EXPECT_TRUE(text.starts_with("(1 more)\n@h[1]:\n")) << text;
        EXPECT_EQ(count_in(text, "\n"), 12U) << text;
    }
    const std::string end = text_within(content, {79, 4});
    EXPECT_TRUE(end.starts_with("@h[2]:\n(2 more lines, 2 more keys)\n[4, 8)")) << end;
    EXPECT_EQ(count_in(end, "\n"), 4U) << end;
}

TEST(View, MapsThatHaveNoRoomAreTheLast) {
    EXPECT_EQ(maps_within({2, 2, 2}, 6), 3U);
    EXPECT_EQ(maps_within({2, 2, 2}, 5), 2U) << "and a line that says so";
    EXPECT_EQ(maps_within({2, 2, 2}, 4), 1U);
    EXPECT_EQ(maps_within({4, 2}, 4), 1U);
    EXPECT_EQ(maps_within({}, 4), 0U);
}

}  // namespace
}  // namespace lt
