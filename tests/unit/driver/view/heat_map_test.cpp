#include "driver/view/heat_map.h"

#include <gtest/gtest.h>

#include "runtime/values/hist.h"

namespace lt {
namespace {

MapEntry of_key(int64_t key, const std::vector<int64_t>& values) {
    const Type type = aggregation_type(Aggregation::hist);
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (const int64_t value : values) h.buckets[hist_index(value, type.view)]++;
    return {{Value{integer_type(), key}}, Value{type, std::move(h)}};
}

MapContent holding(std::vector<MapEntry> entries) {
    MapContent content;
    content.name = "@h";
    content.entries = Entries(std::move(entries));
    return content;
}

// What other keys hold did not come again.
TEST(HeatMap, a_deleted_key_is_no_new_value) {
    HeatMap heat;
    heat.add(holding({of_key(1, {5}), of_key(2, {5})}));
    heat.add(holding({of_key(2, {5})}));
    heat.add(holding({of_key(2, {5, 5, 5})}));
    EXPECT_NE(heat.draw(80, 10).find(" 4 |@ @\n"), std::string::npos) << heat.draw(80, 10);
}

TEST(HeatMap, of_a_key_that_was_deleted_and_came_again_all_is_new) {
    HeatMap heat;
    heat.add(holding({of_key(1, {5, 5}), of_key(2, {5, 5, 5})}));
    heat.add(holding({of_key(1, {100, 100, 100, 100, 100}), of_key(2, {5, 5, 5})}));
    EXPECT_NE(heat.draw(80, 10).find(" 64 | @\n"), std::string::npos) << heat.draw(80, 10);
    EXPECT_NE(heat.draw(80, 10).find(" 4 |@\n"), std::string::npos) << heat.draw(80, 10);
}

TEST(HeatMap, says_how_many_rows_have_no_room) {
    HeatMap heat;
    heat.add(holding({of_key(1, {5})}));
    heat.add(holding({of_key(1, {5, 20, 100})}));
    EXPECT_EQ(heat.draw(80, 4).substr(0, 9), "      64 ") << heat.draw(80, 4);
    EXPECT_NE(heat.draw(80, 4).find("(2 more)  "), std::string::npos) << heat.draw(80, 4);
    EXPECT_EQ(heat.draw(80, 6).find("more"), std::string::npos) << heat.draw(80, 6);
}

}  // namespace
}  // namespace lt
