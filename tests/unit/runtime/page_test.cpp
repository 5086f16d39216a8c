#include "runtime/page/page.h"

#include <gtest/gtest.h>

#include "base/markup.h"
#include "runtime/values/hist.h"

namespace lt {
namespace {

using std::chrono::milliseconds;

size_t count_in(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) count++;
    return count;
}

Type of(Aggregation aggregation, View view = View::plain) {
    Type type = aggregation_type(aggregation);
    type.view = view;
    return type;
}
Value text(std::string s) { return {string_type(16), std::move(s)}; }
Value count(int64_t n) { return {of(Aggregation::count), n}; }
Value histogram(std::vector<int64_t> values) {
    const Type type = of(Aggregation::hist, View::duration);
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (const int64_t value : values) h.buckets[hist_index(value, type.view)]++;
    return {type, h};
}
MapContent map_of(std::string name, std::vector<MapEntry> entries) {
    const Type type = entries.empty() ? of(Aggregation::count) : entries.front().value.type;
    MapContent content{std::move(name), std::move(entries)};
    content.value = type;
    content.at_end = true;
    return content;
}

TEST(Markup, EscapesWhatMarkupReadsAndControls) {
    EXPECT_EQ(escaped("a<b> & \"c\"\n\x1b[1m\xff\xc2\x9b\xc3\xa9"),
              "a&lt;b&gt; &amp; &quot;c&quot;\\x0a\\x1b[1m\\xff\\xc2\\x9b\xc3\xa9");
    EXPECT_EQ(escaped("a\n\tb", Lines::keep), "a\n\tb");
}

TEST(Page, NothingOfTheTracedMachineIsMarkup) {
    Page page({});
    page.add(map_of("@n", {{{text("<script>alert(1)</script>")}, count(3)}}));
    page.notice("<b>");
    page.printed("</pre><i>");
    const std::string html = page.html("<title>", "<facts>", "</pre>// script");
    EXPECT_EQ(count_in(html, "<script"), 0u);
    EXPECT_EQ(count_in(html, "&lt;script&gt;alert(1)"), 1u);
    EXPECT_EQ(count_in(html, "<b>"), 0u);
    EXPECT_EQ(count_in(html, "<facts>"), 0u);
    EXPECT_EQ(count_in(html, "</pre>"), 2u) << "the output's and the script's";
}

TEST(Page, TheLargestRowsFirstAndHowManyAreLeftOut) {
    std::vector<MapEntry> entries;
    for (int64_t i = 1; i <= 1002; i++) entries.push_back({{text(std::to_string(i))}, count(i)});
    Page page({});
    page.add(map_of("@n", std::move(entries)));
    const std::string html = page.html("t", "", "");
    EXPECT_EQ(count_in(html, "<tr>"), Page::most_rows);
    EXPECT_NE(html.find("<p class=\"faint\">2 more</p>"), html.npos);
    EXPECT_LT(html.find("<td>1,002</td><td class=\"bar\"><i style=\"width:100.00%\">"), html.find("<td>1,001</td>"));
    EXPECT_EQ(html.find("<td>2</td>"), html.npos);
}

TEST(Page, UnsignedNumbersBeyondTheSignedOnesHaveBars) {
    Type sum = of(Aggregation::sum);
    sum.is_signed = false;
    Page page({});
    page.add(map_of("@s", {{{text("half")}, {sum, int64_t{1} << 62}}, {{text("all")}, {sum, INT64_MIN}}}));
    const std::string html = page.html("t", "", "");
    EXPECT_EQ(count_in(html, "<td>9,223,372,036,854,775,808</td><td class=\"bar\"><i style=\"width:100.00%\">"), 1u);
    EXPECT_EQ(count_in(html, "<td>4,611,686,018,427,387,904</td><td class=\"bar\"><i style=\"width:50.00%\">"), 1u);
    sum.is_signed = true;
    Page negative({});
    negative.add(map_of("@s", {{{text("a")}, {sum, int64_t{7}}}, {{text("b")}, {sum, int64_t{-7}}}}));
    EXPECT_EQ(count_in(negative.html("t", "", ""), "<i style="), 1u);
}

TEST(Page, AHistogramHasABarForEachRangeAndNoneForNothing) {
    Page page({});
    page.add(map_of("@h", {{{}, histogram({1000, 1500, 5000})}}));
    const std::string html = page.html("t", "", "");
    EXPECT_NE(html.find("<th>[1us, 2us)</th><td>2</td><td class=\"bar\"><i style=\"width:100.00%\">"), html.npos);
    EXPECT_NE(html.find("<th>[2us, 4us)</th><td>0</td><td class=\"bar\"></td>"), html.npos);
    EXPECT_NE(html.find("<th>[4us, 8us)</th><td>1</td><td class=\"bar\"><i style=\"width:50.00%\">"), html.npos);
}

TEST(Page, SaysHowManyStacksAreNotDrawn) {
    const auto entry = [](uint64_t id, int64_t sum) {
        return MapEntry{{{stack_type(), Stack{id, 0, {{0, "f", 1}}}}}, {of(Aggregation::sum), sum}};
    };
    Page page({});
    page.add(map_of("@s", {entry(1, 5), entry(2, -3), entry(3, -1)}));
    const std::string html = page.html("t", "", "");
    EXPECT_EQ(count_in(html, "</div>\n<p class=\"faint\">2 stacks with negative values are not drawn</p>"), 1u);
    EXPECT_EQ(count_in(html, "sum by stack, 5 in all, 2 stacks with negative values are not drawn<"), 1u);
}

TEST(Page, CausesHaveBarsOfTheWhole) {
    Causes causes{2, {}};
    causes.times[static_cast<size_t>(Cause::running)] = 1'000'000;
    causes.times[static_cast<size_t>(Cause::unexplained)] = 3'000'000;
    Page page({});
    page.add(map_of("@why", {{{}, {of(Aggregation::why), causes}}}));
    const std::string html = page.html("t", "", "");
    EXPECT_NE(html.find("<p>4ms in 2 spans</p>"), html.npos);
    EXPECT_NE(html.find("<th>running</th><td>1ms</td><td>25 %</td><td class=\"bar\"><i style=\"width:25.00%\">"),
              html.npos);
    EXPECT_LT(html.find("<th>running</th>"), html.find("<th>unexplained</th>")) << "which comes last";
}

TEST(Page, AnEmptyMapIsNamed) {
    Page page({});
    page.add(map_of("@none", {}));
    EXPECT_NE(page.html("t", "", "").find("<h2>@none</h2>\n<p class=\"faint\">empty</p>"), std::string::npos);
}

TEST(Page, TheOldestOutputIsLeftOut) {
    Page page({});
    const std::string line(99, 'x');
    const size_t lines = 3 * Page::most_text / 100;
    for (size_t i = 0; i < lines; i++) page.printed(line + "\n");
    const std::string html = page.html("t", "", "");
    EXPECT_NE(html.find("bytes before this are left out)"), html.npos);
    EXPECT_LT(html.size(), 3 * Page::most_text);
    EXPECT_GT(html.size(), Page::most_text);
}

TEST(Heat, ShowsWhatCameBetweenTwoLooks) {
    const Heat::Clock::time_point begin{};
    Heat heat(begin);
    EXPECT_EQ(heat.html(), "");
    heat.look(map_of("@h", {{{}, histogram({1000})}}), begin + milliseconds(100));
    EXPECT_EQ(heat.html(), "") << "one column is no picture";
    heat.look(map_of("@h", {{{}, histogram({1000, 1000, 1000, 70000})}}), begin + milliseconds(200));
    const std::string html = heat.html();
    EXPECT_EQ(count_in(html, "<title>"), 3u);
    EXPECT_NE(html.find("<title>1 value of 1us to 2us, 0.0 s to 0.1 s</title>"), html.npos);
    EXPECT_NE(html.find("<title>2 values of 1us to 2us, 0.1 s to 0.2 s</title>"), html.npos);
    EXPECT_NE(html.find("<title>1 value of 64us to 128us, 0.1 s to 0.2 s</title>"), html.npos);
    EXPECT_NE(html.find("</i>1</span>"), html.npos) << "the scale";
    EXPECT_NE(html.find("</i>2</span>"), html.npos);
    EXPECT_NE(html.find(">0s</text>"), html.npos);
}

// Between 2048 and 4096 there is no 1, 2 or 5 of a power of ten, and between 16 and 32 there is one.
TEST(Heat, ValuesOfOneRangeHaveAnAxis) {
    const auto heat_of = [](uint64_t value) {
        const Heat::Clock::time_point begin{};
        Heat heat(begin);
        Histogram h{std::vector<uint64_t>(hist_buckets)};
        for (int look = 1; look <= 2; look++) {
            h.buckets[hist_index(static_cast<int64_t>(value), View::plain)]++;
            heat.look(map_of("@h", {{{}, {of(Aggregation::hist), h}}}), begin + milliseconds(100 * look));
        }
        return heat.html();
    };
    const std::string none = heat_of(3000), one = heat_of(25);
    for (const std::string_view label : {">2,048</text>", ">4,096</text>"})
        EXPECT_EQ(count_in(none, label), 1u) << none;
    for (const std::string_view label : {">16</text>", ">20</text>", ">32</text>"})
        EXPECT_EQ(count_in(one, label), 1u) << one;
    EXPECT_EQ(count_in(heat_of(1), ">1</text>"), 1u);
}

TEST(Heat, JoinsColumnsAndLosesNothing) {
    const Heat::Clock::time_point begin{};
    Heat heat(begin);
    std::vector<int64_t> values;
    for (size_t i = 1; i <= 1000; i++) {
        values.push_back(1000);
        heat.look(map_of("@h", {{{}, histogram(values)}}), begin + milliseconds(i));
    }
    const std::string html = heat.html();
    const size_t cells = count_in(html, "<title>");
    EXPECT_LE(cells, Heat::most_columns);
    EXPECT_GT(cells, Heat::most_columns / 2);
    size_t sum = 0;
    std::vector<size_t> counts;
    for (size_t at = html.find("<title>"); at != html.npos; at = html.find("<title>", at + 1)) {
        counts.push_back(static_cast<size_t>(std::stoul(html.substr(at + 7))));
        sum += counts.back();
    }
    EXPECT_EQ(sum, 1000u);
    for (size_t i = 0; i + 1 < counts.size(); i++) EXPECT_EQ(counts[i], counts[0]) << i << ": as many looks in each";
}

TEST(Heat, AMapThatWasClearedStartsAgain) {
    const Heat::Clock::time_point begin{};
    Heat heat(begin);
    heat.look(map_of("@h", {{{}, histogram({5, 5, 5})}}), begin + milliseconds(1));
    heat.look(map_of("@h", {{{}, histogram({5})}}), begin + milliseconds(2));
    EXPECT_NE(heat.html().find("<title>1 value of 4ns to 7ns"), std::string::npos);
    // also where it has more values now
    heat.look(map_of("@h", {{{}, histogram({1000, 1000, 1000})}}), begin + milliseconds(3));
    heat.look(map_of("@h", {{{}, histogram({1000, 1000, 1000, 1000, 5})}}), begin + milliseconds(4));
    heat.look(map_of("@h", {{{}, histogram({1000, 1000, 1000, 1000, 1000})}}), begin + milliseconds(5));
    EXPECT_NE(heat.html().find("<title>5 values of 1us to 2us"), std::string::npos);
}

}  // namespace
}  // namespace lt
