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

MapContent value_of(const Type& type, int64_t number) {
    MapContent content;
    content.name = "@n";
    content.value = type;
    content.entries = Entries({MapEntry{{}, {type, number}}});
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
    const std::string larger = compared(counts_of({{key, 9007199254740993}}), counts_of({{key, INT64_MAX}}));
    EXPECT_NE(larger.find("\"before\": 9007199254740993, \"after\": 9223372036854775807}"), larger.npos) << larger;
}

TEST(Compare, unsigned_numbers_of_64_bits_are_exact) {
    Type last = integer_type();
    last.is_signed = false;
    const std::string text = compared(value_of(last, 5), value_of(last, -1));
    EXPECT_NE(text.find("\"before\": 5, \"after\": 18446744073709551615}"), text.npos) << text;
    const Type type = aggregation_type(Aggregation::hist);
    MapContent content = value_of(type, 0);
    Histogram histogram{std::vector<uint64_t>(hist_buckets)};
    histogram.buckets.back() = 1;
    content.entries = Entries({MapEntry{{}, {type, histogram}}});
    const std::string buckets = compared(content, content);
    EXPECT_NE(buckets.find("\"before_min\": 9223372036854775808, \"after_min\": 9223372036854775808}"), buckets.npos)
        << buckets;
}

TEST(Compare, rates_are_not_rounded) {
    const std::vector<Value> key{Value{integer_type(), int64_t{1}}};
    TextSink sink;
    const auto printer = json_printer(sink);
    compare(Compared{"before", counts_of({{key, 1}}), 3.0}, Compared{"after", counts_of({{key, 1234567}}), 0.5},
            *printer);
    printer->flush();
    EXPECT_NE(sink.text.find("\"before\": 0.3333333333333333, \"after\": 2469134}"), sink.text.npos) << sink.text;
}

std::string as_text(const MapContent& before, const MapContent& after) {
    TextSink sink;
    const auto printer = text_printer(sink);
    compare(Compared{"before", before, {}}, Compared{"after", after, {}}, *printer);
    printer->flush();
    return sink.text;
}

TEST(Compare, changes_of_negative_numbers_have_the_right_sign) {
    const Type least = aggregation_type(Aggregation::min);
    EXPECT_NE(as_text(value_of(least, -10), value_of(least, 10)).find("+200%"), std::string::npos);
    EXPECT_NE(as_text(value_of(least, -100), value_of(least, -50)).find("+50%"), std::string::npos);
    EXPECT_NE(as_text(value_of(least, -10), value_of(least, -20)).find("-100%"), std::string::npos);
}

TEST(Compare, sums_of_durations_are_durations_per_second) {
    const Type sum = aggregation_type(Aggregation::sum, View::duration);
    const MapContent before = value_of(sum, 3'000'000), after = value_of(sum, 4'500'000'000);
    TextSink text, json;
    compare(Compared{"before", before, 2.0}, Compared{"after", after, 1.0}, *text_printer(text));
    compare(Compared{"before", before, 2.0}, Compared{"after", after, 1.0}, *json_printer(json));
    EXPECT_NE(text.text.find("  sum/s                 1.5ms             4.5s   +299900%\n"), std::string::npos)
        << text.text;
    EXPECT_NE(json.text.find("\"before\": 1500000, \"after\": 4500000000}"), std::string::npos) << json.text;
}

TEST(Compare, columns_are_as_wide_as_what_is_in_them) {
    const Type last = integer_type();
    const MapContent before = value_of(last, INT64_MIN), after = value_of(last, 7);
    TextSink sink;
    compare(Compared{"monday-evening-web1", before, {}}, Compared{"火曜日", after, {}}, *text_printer(sink));
    EXPECT_EQ(sink.text,
              "@n            monday-evening-web1           火曜日     change\n"
              "  value      -9223372036854775808                7      +100%\n");
}

TEST(Compare, a_small_decrease_is_not_minus_zero) {
    EXPECT_EQ(change_in_percent(1000, 998), "+0%");
    EXPECT_EQ(change_in_percent(1000, 1002), "+0%");
    EXPECT_EQ(change_in_percent(1000, 990), "-1%");
    EXPECT_EQ(change_in_percent(-10, 10), "+200%");
}

// The script has cleared it after the mark: what it holds now came since.
TEST(Compare, a_sum_that_has_shrunk_starts_again) {
    Type sum = aggregation_type(Aggregation::sum);
    sum.is_signed = false;
    const auto at = Trace::Clock::time_point();
    const Trace::Mark mark{{value_of(sum, 1000)}, {at}, at + std::chrono::seconds(1), {0}},
        now{{value_of(sum, 10)}, {at}, at + std::chrono::seconds(2), {0}};
    TextSink sink;
    const auto printer = json_printer(sink);
    compare(mark, now, *printer);
    printer->flush();
    EXPECT_NE(sink.text.find("\"before\": 1000, \"after\": 10}"), std::string::npos) << sink.text;
}

TEST(Compare, says_what_sampling_left_out) {
    MapContent then = counts_of({}), content = counts_of({});
    then.sampled = Sampled{5, false}, content.sampled = Sampled{12, true};
    const auto at = Trace::Clock::time_point();
    TextSink sink;
    const auto printer = text_printer(sink);
    compare(Trace::Mark{{then}, {at}, at, {0}}, Trace::Mark{{content}, {at}, at, {0}}, *printer);
    printer->flush();
    EXPECT_EQ(sink.text, "@n: sampled, 5 events left out before, 7 after, and all since its probe was detached\n");
}

}  // namespace
}  // namespace lt
