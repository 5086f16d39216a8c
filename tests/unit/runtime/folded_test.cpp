// Stacks folded and drawn.
#include "runtime/print/folded.h"

#include <gtest/gtest.h>

#include "runtime/print/flame.h"
#include "unit/string_sink.h"

namespace lt {
namespace {

Value stack_of(uint64_t process, std::vector<std::string> names) {
    Stack stack{5, process, {}};
    for (const std::string& name : names)
        stack.frames.push_back({.address = 16, .function = name, .user = process != 0});
    Type type = stack_type();
    type.view = View::hex;
    return {type, stack};
}
Value text(std::string s) { return {string_type(16), std::move(s)}; }
Value count(int64_t n) { return {aggregation_type(Aggregation::count), n}; }

TEST(Fold, ProgramBelowKernel) {
    const MapEntry entry{{stack_of(0, {"read", "entry"}), text("a;b\n"), stack_of(7, {"leaf", "main"})}, count(3)};
    const auto folded = fold(entry);
    ASSERT_TRUE(folded);
    EXPECT_EQ(folded_text(*folded), "a:b\\x0a;main;leaf;entry_[k];read_[k] 3\n");
}

TEST(Fold, FramesWithoutNames) {
    const MapEntry unknown{{stack_of(7, {""})}, count(1)};
    EXPECT_EQ(fold(unknown)->frames, std::vector<std::string>{"0x10 [unknown]"});
    const MapEntry none{{Value{stack_type(), Stack{stack_none}}}, count(1)};
    EXPECT_EQ(fold(none)->frames, std::vector<std::string>{"(no stack)"});
    const MapEntry lost{{Value{stack_type(), Stack{stack_lost}}, text("x")}, count(1)};
    EXPECT_EQ(fold(lost)->frames, (std::vector<std::string>{"x", "(stack not kept)"}));
}

TEST(Fold, WeightsThatCanBeAdded) {
    const auto weight = [](Aggregation a, Data data) {
        const auto folded = fold({{stack_of(0, {"f"})}, {aggregation_type(a), std::move(data)}});
        return folded ? static_cast<int64_t>(folded->weight) : -1;
    };
    EXPECT_EQ(weight(Aggregation::avg, Average{12, 3}), 12);
    EXPECT_EQ(weight(Aggregation::sum, int64_t{-1}), -1);
    EXPECT_EQ(weight(Aggregation::max, Extreme{5, true}), -1);
    EXPECT_FALSE(fold({{text("x")}, count(1)})) << "no stack in the key";
}

TEST(Fold, CountsOfDurationsAreNotDurations) {
    for (const Aggregation a : {Aggregation::count, Aggregation::hist, Aggregation::lhist})
        EXPECT_FALSE(adds_durations(aggregation_type(a, View::duration))) << aggregation_name(a);
    for (const Aggregation a : {Aggregation::sum, Aggregation::dist, Aggregation::why})
        EXPECT_TRUE(adds_durations(aggregation_type(a, View::duration))) << aggregation_name(a);
}

TEST(Fold, WeightsHaveTheNameOfWhatIsAddedUp) {
    for (const Aggregation a : {Aggregation::count, Aggregation::hist, Aggregation::lhist})
        EXPECT_EQ(weight_name(aggregation_type(a, View::duration), false), "count") << aggregation_name(a);
    for (const Aggregation a : {Aggregation::sum, Aggregation::avg, Aggregation::stats, Aggregation::dist}) {
        EXPECT_EQ(weight_name(aggregation_type(a), false), "sum") << aggregation_name(a);
        EXPECT_EQ(weight_name(aggregation_type(a, View::duration), false), "time") << aggregation_name(a);
        EXPECT_EQ(weight_name(aggregation_type(a, View::duration), true), "sum") << aggregation_name(a);
    }
    EXPECT_EQ(weight_name(integer_type(), false), "value");
}

TEST(Folded, TheRestGoesOn) {
    StringSink folded, rest;
    const auto others = text_printer(rest);
    const auto printer = folded_printer(folded, *others, true);
    printer->map({"@s", {{{stack_of(0, {"f"})}, count(2)}}});
    printer->map({"@x", {{{}, count(3)}}});
    printer->text("said\n");
    EXPECT_EQ(folded.text, "@s;f_[k] 2\n");
    EXPECT_EQ(rest.text, "@x: 3\nsaid\n");
}

TEST(Folded, TellsWhatIsSampled) {
    StringSink folded, rest;
    const auto others = text_printer(rest);
    const auto printer = folded_printer(folded, *others, false);
    MapContent stacks{"@s", {{{stack_of(0, {"f"})}, count(2)}}};
    stacks.sampled = Sampled{.left_out = 7};
    MapContent number{"@x", {{{}, count(3)}}};
    number.sampled = Sampled{.left_out = 8};
    printer->map(stacks);
    printer->map(number);
    EXPECT_EQ(folded.text, "f_[k] 2\n");
    EXPECT_EQ(rest.text, "@s: sampled, 7 events left out\n@x: sampled, 8 events left out\n@x: 3\n");
}

size_t times(std::string_view text, std::string_view part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) n++;
    return n;
}

TEST(Flame, CommonGroundIsDrawnOnce) {
    FlameGraph graph;
    EXPECT_TRUE(graph.empty());
    graph.add({{"main", "a"}, 3'000'000});
    graph.add({{"main", "b<int&>"}, 1'000'000});
    graph.add({{"main", "tiny"}, 1});
    const std::string svg = graph.svg("t", "host", true);
    EXPECT_EQ(times(svg, "data-name=\"main\""), 1u);
    EXPECT_NE(svg.find("host, 4ms in all"), svg.npos);
    EXPECT_EQ(times(svg, "data-name=\"tiny\""), 0u) << "too narrow to be seen";
    EXPECT_NE(svg.find("<title>a (3ms, 75.00 %)</title>"), svg.npos);
    EXPECT_NE(svg.find("<title>b&lt;int&amp;&gt; (1ms, 25.00 %)</title>"), svg.npos);
    EXPECT_NE(svg.find("data-x=\"74.9999812500"), svg.npos) << "b stands beside a";
}

TEST(Flame, PositionsAreNotRounded) {
    FlameGraph graph;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "last"}) graph.add({{"main", name}, 1});
    const std::string svg = graph.svg("t", "", false);
    const auto number = [&](std::string_view before) {
        const size_t at = svg.rfind(before, svg.find("data-name=\"last\""));
        return std::stod(svg.substr(at + before.size()));
    };
    EXPECT_NEAR(number("data-x=\""), 6 * number("data-w=\""), 1e-9);
}

TEST(Flame, AddressesWithoutNamesAreOneBox) {
    FlameGraph graph;
    graph.add({{"main", "0x12 [unknown]", "0x34 [unknown]", "f"}, 1});
    graph.add({{"main", "0x56 [unknown]", "f"}, 1});
    graph.add({{"main", "0xnone [unknown]"}, 1});
    const std::string svg = graph.svg("t", "", false);
    EXPECT_EQ(times(svg, "data-name=\"[unknown]\""), 1u);
    EXPECT_EQ(times(svg, "data-name=\"f\""), 1u);
    EXPECT_EQ(times(svg, "data-name=\"0xnone [unknown]\""), 1u);
}

TEST(Flame, TheDifferenceIsOfSharesOfWhatCameSince) {
    FlameGraph before, now;
    before.add({{"main", "a"}, 75});
    before.add({{"main", "b"}, 25});
    now.add({{"main", "a"}, 75 + 25});
    now.add({{"main", "b"}, 25 + 75});
    const FlameGraph since = now.since(before);
    const std::string svg = since.picture("t", "", false, &before);
    EXPECT_NE(svg.find("<title>a (25, 25.00 %, 75.00 % before)</title>"), svg.npos);
    EXPECT_NE(svg.find("<title>b (75, 75.00 %, 25.00 % before)</title>"), svg.npos);
    EXPECT_EQ(times(svg, "hsl(215,80%,60%)"), 1u) << "less is blue";
    EXPECT_EQ(times(svg, "hsl(8,80%,60%)"), 1u) << "more is red";
    EXPECT_TRUE(before.since(before).empty());
    FlameGraph cleared;
    cleared.add({{"main", "c"}, 1});
    EXPECT_FALSE(cleared.since(before).empty()) << "it was emptied in between";
}

// A box cannot have a negative width.
TEST(Flame, SaysHowManyStacksAreNegative) {
    const Type sum = aggregation_type(Aggregation::sum);
    StringSink sink;
    FlameGraph graph;
    const auto next = text_printer(sink);
    const auto printer = flame_printer(graph, *next, false);
    printer->map(
        {"@s", {{{stack_of(0, {"f"})}, {sum, int64_t{2}}}, {{stack_of(7, {"g"})}, {sum, int64_t{-2}}}}, 0, true});
    EXPECT_EQ(times(graph.svg("t", "host", false), "host, 2 in all, 1 stack with a negative value is not drawn<"), 1u);
    printer->map(
        {"@d", {{{stack_of(0, {"f"})}, {sum, int64_t{-1}}}, {{text("no stack")}, {sum, int64_t{-2}}}}, 0, true});
    EXPECT_EQ(graph.left_out_text(), "2 stacks with negative values are not drawn");
}

// What print() shows during a run can be printed again at its end.
TEST(Flame, OnlyMapsOfTheEnd) {
    StringSink sink;
    FlameGraph graph;
    const auto next = text_printer(sink);
    const auto printer = flame_printer(graph, *next, false);
    MapContent content{"@s", {{{stack_of(0, {"f"})}, count(2)}}};
    printer->map(content);
    EXPECT_TRUE(graph.empty());
    content.at_end = true;
    printer->map(content);
    EXPECT_FALSE(graph.empty());
    EXPECT_EQ(times(sink.text, "f+0x0"), 2u);
}

}  // namespace
}  // namespace lt
