// Durations, single values, maps and the sink as people see them.
#include "runtime/print/printer.h"
#include "runtime/border/duration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "runtime/print/show.h"
#include "unit/string_sink.h"

namespace lt {
namespace {

Value integer(int64_t n, Type type = integer_type()) { return {type, n}; }
Value text(std::string s) { return {string_type(16), std::move(s)}; }

std::string printed(const MapContent& map, bool plain = false) {
    StringSink sink;
    text_printer(sink, {plain})->map(map);
    return sink.text;
}

TEST(Duration, UnitsAndDigits) {
    const std::pair<int64_t, std::string_view> cases[] = {
        {0, "0ns"},
        {1, "1ns"},
        {999, "999ns"},
        {1'000, "1us"},
        {1'004, "1us"},
        {1'005, "1.01us"},
        {1'530'000, "1.53ms"},
        {1'500'000, "1.5ms"},
        {9'994, "9.99us"},
        {9'996, "10us"},
        {99'950, "100us"},
        {12'345'678'901, "12.3s"},
        {999'499, "999us"},
        {999'500, "1ms"},
        {999'999'999, "1s"},
        {59'940'000'000, "59.9s"},
        {59'950'000'000, "1m"},
        {60'000'000'000, "1m"},
        {65'400'000'000, "1m05s"},
        {90'000'000'000, "1m30s"},
        {3'599'400'000'000, "59m59s"},
        {3'599'500'000'000, "1h"},
        {7'500'000'000'000, "2h05m"},
        {-1, "-1ns"},
        {-1'530'000, "-1.53ms"},
        {std::numeric_limits<int64_t>::max(), "2562047h47m"},
        {std::numeric_limits<int64_t>::min(), "-2562047h47m"},
    };
    for (const auto& [nanoseconds, want] : cases) EXPECT_EQ(show_duration(nanoseconds), want) << nanoseconds;
}

TEST(Show, Views) {
    EXPECT_EQ(show(integer(1'530'000, duration_type()), false), "1.53ms");
    EXPECT_EQ(show(integer(1'530'000, duration_type()), true), "1530000");
    EXPECT_EQ(show(integer(31, integer_type(8, false, View::hex)), false), "0x1f");
    EXPECT_EQ(show(integer(1, integer_type(8, false, View::boolean)), false), "true");
    EXPECT_EQ(show(integer(1, integer_type(8, false, View::boolean)), true), "true");
    EXPECT_EQ(show(integer(-1, integer_type(8, false)), false), "18446744073709551615");
    EXPECT_EQ(show(integer(-1), false), "-1");
}

TEST(Show, Aggregations) {
    EXPECT_EQ(show({aggregation_type(Aggregation::avg, View::duration), Average{3'000, 2}}, false), "1.5us");
    EXPECT_EQ(show({aggregation_type(Aggregation::avg), Average{}}, false), "0");
    EXPECT_EQ(show({aggregation_type(Aggregation::max), Extreme{7, true}}, false), "7");
    EXPECT_EQ(show({aggregation_type(Aggregation::count, View::duration), int64_t{1'000}}, false), "1000");
    EXPECT_EQ(show({aggregation_type(Aggregation::sum, View::duration), int64_t{1'000}}, false), "1us");
}

TEST(Show, ControlCharactersAreHarmless) {
    EXPECT_EQ(show(text("a\x1b[2Jb"), false), "a\\x1b[2Jb");
    EXPECT_EQ(show(text("\r\x7f\x08"), false), "\\x0d\\x7f\\x08");
    EXPECT_EQ(show(text("a\nb\tc"), false), "a\\x0ab\\x09c");
    EXPECT_EQ(show(text("a\nb\tc\x1b"), {false, true}), "a\nb\tc\\x1b");
    EXPECT_EQ(show(text("\x9b"
                        "2J"),
                   false),
              "\\x9b2J");
    EXPECT_EQ(show(text("\xc2\x9b"
                        "2J"),
                   false),
              "\\xc2\\x9b2J");
    EXPECT_EQ(show(text("\xe2\x9b"
                        "2J"),
                   false),
              "\xe2\\x9b2J");
    EXPECT_EQ(show(text("\xc3\x80 \xe2\x82\xac \xf0\x9f\x98\x80 \xff"), false),
              "\xc3\x80 \xe2\x82\xac \xf0\x9f\x98\x80 \xff");
}

TEST(TextPrinter, ScalarsAndKeys) {
    EXPECT_EQ(printed({"@x", {{{}, integer(5)}}}), "@x: 5\n");
    EXPECT_EQ(printed({"@x", {{{text("a\x1b"), integer(1)}, integer(1'530'000, duration_type())}}}),
              "@x[a\\x1b, 1]: 1.53ms\n");
    EXPECT_EQ(printed({"@x", {}}), "");
}

TEST(TextPrinter, SortsByValueThenKey) {
    const MapContent map{"@x",
                         {{{integer(6), text("b")}, integer(1)},
                          {{integer(-5), text("b")}, integer(-1)},
                          {{integer(-5), text("same prefix 2")}, integer(1)},
                          {{integer(-5), text("same prefix 1")}, integer(1)}}};
    EXPECT_EQ(printed(map), "@x[-5, b]: -1\n@x[-5, same prefix 1]: 1\n@x[-5, same prefix 2]: 1\n@x[6, b]: 1\n");
    const Type u64 = integer_type(8, false);
    EXPECT_EQ(printed({"@u", {{{integer(1)}, integer(-1, u64)}, {{integer(2)}, integer(1, u64)}}}),
              "@u[2]: 1\n@u[1]: 18446744073709551615\n");
}

TEST(TextPrinter, Stacks) {
    Type type = stack_type();
    type.view = View::hex;
    const Value stack{type, Stack{5, 0, {{0, "a", 1}, {0, "b\x1b", 2, "[m]"}}}};
    const Value none{type, Stack{stack_none, 0, {}}};
    const Value lost{type, Stack{stack_lost, 0, {}}};
    EXPECT_EQ(printed({"@", {{{stack}, integer(5)}}}), "@[\n    a+0x1\n    b\\x1b+0x2 [m]\n]: 5\n");
    EXPECT_EQ(printed({"@", {{{text("cat"), stack, integer(3)}, integer(5)}}}),
              "@[cat,\n    a+0x1\n    b\\x1b+0x2 [m]\n, 3]: 5\n");
    EXPECT_EQ(printed({"@", {{{none}, lost}}}), "@[\n    (no stack)\n]:\n    (stack not kept)\n\n");
    EXPECT_EQ(format_text("%s%s|", {text("cat"), stack}, false), "cat\n    a+0x1\n    b\\x1b+0x2 [m]\n|");
}

// An empty line first, then the frames; files and lines are told in other places than lt's own.
TEST(TextPrinter, StacksAsBpftrace) {
    const Frame leaf{
        .address = 16, .function = "a", .offset = 18, .object = "/bin/x", .place = "d/x.c:3", .user = true};
    const Frame inlined{.address = 16, .function = "b", .object = "/bin/x", .place = "d/x.c:4", .inlined = true};
    const Frame unknown{.address = 255, .offset = 255, .user = true};
    const auto shown = [](StackForm form, std::vector<Frame> frames) {
        return show({stack_type(form), Stack{5, 7, std::move(frames)}}, true);
    };
    EXPECT_EQ(shown(StackForm::names, {inlined, leaf, unknown}),
              "\n        [inlined] b@d/x.c:4\n        a+18@d/x.c:3\n        0xff\n");
    EXPECT_EQ(shown(StackForm::perf, {leaf, unknown}), "\n\t10 a+18 (/bin/x)\n\tff 0xff ([unknown])\n");
    EXPECT_EQ(shown(StackForm::raw, {inlined, leaf, unknown}), "\n10\nff\n");
    EXPECT_EQ(show({stack_type(), Stack{stack_none, 0, {}}}, true), "\n");
    const Value stack{stack_type(), Stack{5, 7, {leaf}}};
    EXPECT_EQ(printed({"@", {{{integer(1), stack}, integer(5)}}}, true), "@[1, \n        a+18@d/x.c:3\n]: 5\n");
}

TEST(TextPrinter, LongStringKeysWithOneStart) {
    EXPECT_EQ(printed({"@x", {{{text("12345678b")}, integer(1)}, {{text("12345678a")}, integer(1)}}}),
              "@x[12345678a]: 1\n@x[12345678b]: 1\n");
}

TEST(TextPrinter, MapsOfStringsStandInOrderOfKeys) {
    EXPECT_EQ(printed({"@x", {{{integer(2)}, text("a")}, {{integer(1)}, text("b")}}}), "@x[1]: b\n@x[2]: a\n");
}

TEST(TextPrinter, HistogramsByTotal) {
    const Type type = aggregation_type(Aggregation::hist);
    Histogram one{std::vector<uint64_t>(hist_buckets)};
    one.buckets[2] = 1;
    Histogram two = one;
    two.buckets[2] = 2;
    const std::string row = " |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n\n";
    EXPECT_EQ(printed({"@x", {{{integer(1)}, {type, two}}, {{integer(2)}, {type, one}}}}),
              "@x[2]:\n[1]                    1" + row + "@x[1]:\n[1]                    2" + row);
    EXPECT_EQ(printed({"@x", {{{}, {type, one}}}}), "@x:\n[1]                    1" + row);
}

// Strings of SystemTap's scripts keep their newlines, but a row of a table is one line.
TEST(TextPrinter, ACellOfATableIsOneLine) {
    const Type stats = aggregation_type(Aggregation::stats);
    StringSink sink;
    text_printer(sink, {false, Keep::lines})->map({"@x", {{{text("a\nb")}, {stats, Average{6, 2}}}}, 0, false, stats});
    EXPECT_NE(sink.text.find("\na\\x0ab "), std::string::npos) << sink.text;
}

TEST(TextPrinter, ColumnsOfATableAreThoseOfATerminal) {
    const Type type = aggregation_type(Aggregation::stats);
    MapContent map{"@s", {}};
    map.value = type;
    map.entries = Entries({{{Value{string_type(16), std::string("日本語")}}, {type, Average{2, 1}}},
                           {{Value{string_type(16), std::string("e\xcc\x81t")}}, {type, Average{1, 1}}}});
    StringSink sink;
    text_printer(sink, {.view = {.columns = "count total"}})->map(map);
    EXPECT_EQ(sink.text, "@s      count  total\n日本語      1      2\ne\xcc\x81t          1      1\n\n");
}

// A limit leaves the same keys in a table and in JSON, however many values each has.
TEST(Printers, StatisticsByTotal) {
    const Type stats = aggregation_type(Aggregation::stats), dist = aggregation_type(Aggregation::dist);
    const auto dist_of = [](uint64_t count, int64_t sum) {
        Distribution d;
        d.count = count, d.sum = sum, d.least = d.greatest = sum / static_cast<int64_t>(count);
        return d;
    };
    const auto keys_of = [](const Type& type, Data many, Data great, bool plain) {
        const MapContent map{"@x",
                             {{{text("many")}, {type, std::move(many)}}, {{text("great")}, {type, std::move(great)}}},
                             1,
                             false,
                             type};
        StringSink table, json;
        text_printer(table, {plain})->map(map);
        json_printer(json, {plain})->map(map);
        std::string keys;
        for (const std::string& out : {table.text, json.text})
            for (const std::string key : {"many", "great"})
                if (out.find(key) != std::string::npos) keys += key + ' ';
        return keys;
    };
    EXPECT_EQ(keys_of(dist, dist_of(100, 200), dist_of(1, 5000), false), "great great ");
    EXPECT_EQ(keys_of(stats, Average{5000, 100}, Average{200, 1}, false), "many many ");
    EXPECT_EQ(keys_of(stats, Average{5000, 100}, Average{200, 1}, true), "great great ") << "as bpftrace: by average";
}

TEST(TextPrinter, TextAndValue) {
    StringSink sink;
    const auto printer = text_printer(sink);
    printer->text("\x1b[1mbold\n");
    printer->value(integer(5));
    EXPECT_EQ(sink.text, "\x1b[1mbold\n5\n");
}

TEST(TextPrinter, LargeMapsLeaveInLargeWrites) {
    std::vector<MapEntry> entries;
    for (int64_t i = 100'000; i > 0; i--) entries.push_back({{integer(i)}, integer(1)});
    const MapContent map{"@x", std::move(entries)};
    StringSink sink;
    text_printer(sink)->map(map);
    EXPECT_EQ(sink.text.substr(0, 20), "@x[1]: 1\n@x[2]: 1\n@x");
    EXPECT_LT(sink.writes, 40);
}

Value stack_of(uint64_t id, uint64_t process, const std::string& function) {
    Type type = stack_type();
    type.view = View::hex;
    return {type, Stack{id, process, {{0, function, 1}}}};
}

std::string json_of(MapContent content, size_t most = 0) {
    content.value = content.entries.plain(0).value.type;
    content.most = most;
    StringSink sink;
    const auto printer = json_printer(sink);
    printer->map(content);
    RunFact run;
    run.maps.push_back({content.name, {}, content.value, content.entries.size()});
    printer->run(run);
    const size_t entries = sink.text.rfind("\"entries\"");
    return sink.text.substr(0, sink.text.find('\n')) + sink.text.substr(entries, sink.text.rfind("}]}") - entries);
}

// Readers of JSON keep one of several members with one name.
TEST(JsonPrinter, NoKeyStandsThereTwice) {
    const auto map_of = [](Type type, Data one, Data two, Data three) {
        return MapContent{"@x",
                          {{{stack_of(1, 7, "f")}, {type, std::move(one)}},
                           {{stack_of(2, 7, "g")}, {type, std::move(two)}},
                           {{stack_of(1, 8, "f")}, {type, std::move(three)}}}};
    };
    const Type count = aggregation_type(Aggregation::count), max = aggregation_type(Aggregation::max);
    const MapContent counts = map_of(count, int64_t{3}, int64_t{4}, int64_t{5});
    EXPECT_EQ(json_of(counts), R"({"type": "map", "data": {"@x": {"g+0x1": 4, "f+0x1": 8}}}"entries": 2)");
    EXPECT_EQ(json_of(counts, 1), R"({"type": "map", "data": {"@x": {"f+0x1": 5}}}"entries": 3)");
    EXPECT_EQ(json_of(map_of(max, Extreme{3, true}, Extreme{}, Extreme{5, true})),
              R"({"type": "map", "data": {"@x": {"g+0x1": null, "f+0x1": 5}}}"entries": 2)");
    EXPECT_EQ(json_of(map_of(integer_type(), int64_t{3}, int64_t{4}, int64_t{5})),
              R"({"type": "map", "data": {"@x": {"f+0x1": 3, "g+0x1": 4, "f+0x1 #2": 5}}}"entries": 3, "alike": 1)");
    constexpr int64_t much = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(json_of(map_of(aggregation_type(Aggregation::sum), int64_t{1}, int64_t{0}, much)),
              R"({"type": "map", "data": {"@x": {"g+0x1": 0, "f+0x1": 9223372036854775807, "f+0x1 #2": 1}}})"
              R"("entries": 3, "alike": 1)");
}

TEST(JsonPrinter, TextsThatAreNotUtf8StandThereOnce) {
    const auto map_of = [](const std::string& one, const std::string& two) {
        return MapContent{"@x", {{{text(one)}, integer(3)}, {{text(two)}, integer(4)}}};
    };
    EXPECT_EQ(json_of(map_of("\xff", "\xfe")),
              R"({"type": "map", "data": {"@x": {"\ufffd": 3, "\ufffd #2": 4}}}"entries": 2, "alike": 1)");
    EXPECT_EQ(json_of(map_of("\xc3\x80", "\xff")),
              R"({"type": "map", "data": {"@x": {"\u00c0": 3, "\ufffd": 4}}}"entries": 2)");
}

TEST(FileSink, WritesEverythingInOrder) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    std::string got;
    std::thread reader([&] {
        char bytes[4096];
        for (ssize_t n; (n = read(fds[0], bytes, sizeof bytes)) > 0;) got.append(bytes, static_cast<size_t>(n));
    });
    std::string want;
    {
        const auto sink = file_sink(fds[1]);
        for (size_t size : std::initializer_list<size_t>{1, 70'000, 5}) {
            const std::string bytes(size, static_cast<char>('a' + size % 26));
            sink->write(bytes);
            want += bytes;
        }
        sink->flush();
    }
    close(fds[1]);
    reader.join();
    close(fds[0]);
    EXPECT_EQ(got, want);
}

TEST(FileSink, HoldsBackSmallWrites) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    const auto sink = file_sink(fds[1]);
    sink->write("abc");
    char bytes[8];
    close(fds[1]);
    EXPECT_EQ(read(fds[0], bytes, sizeof bytes), 0);
    close(fds[0]);
}

}  // namespace
}  // namespace lt
