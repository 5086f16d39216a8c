#include "driver/report/compare.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

MapContent counts_of(std::vector<std::pair<std::vector<Value>, int64_t>> all) {
    MapContent content;
    content.name = "@n";
    content.value = aggregation_type(Aggregation::count);
    std::vector<MapEntry> entries;
    for (auto& [key, count] : all) entries.push_back({std::move(key), {content.value, count}});
    content.entries = Entries(std::move(entries));
    return content;
}

// As they are collected: their frames are looked up when they are shown.
std::vector<Value> stack(uint64_t id) {
    Type type;
    type.kind = Kind::stack;
    type.view = View::hex;
    type.size = 2 * sizeof(uint64_t);
    Stack of_kernel;
    of_kernel.id = id;
    return {Value{type, of_kernel}};
}

std::string compared(const MapContent& before, const MapContent& after) {
    TextSink sink;
    const auto printer = json_printer(sink);
    compare(Compared{"before", before, {}}, Compared{"after", after, {}}, *printer);
    printer->flush();
    return sink.text;
}

TEST(Compare, finds_each_stack_again) {
    const std::string text = compared(counts_of({{stack(1), 3}, {stack(2), 10}, {stack(3), 7}}),
                                      counts_of({{stack(1), 5}, {stack(2), 11}, {stack(4), 8}}));
    for (const char* each : {"\"before\": 3, \"after\": 5}", "\"before\": 10, \"after\": 11}", "\"before\": 7}",
                             "\"measure\": \"count\", \"after\": 8}"})
        EXPECT_NE(text.find(each), text.npos) << each << " in\n" << text;
}

// JSON has all digits of a whole number.
TEST(Compare, large_numbers_are_exact) {
    const std::vector<Value> key{Value{integer_type(), int64_t{1}}};
    const std::string text = compared(counts_of({{key, 123456789}}), counts_of({{key, 9876543210}}));
    EXPECT_NE(text.find("\"before\": 123456789, \"after\": 9876543210}"), text.npos) << text;
}

}  // namespace
}  // namespace lt
