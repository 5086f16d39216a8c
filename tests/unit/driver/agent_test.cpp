// The parts of lt agent that need no kernel: names, the bound on series, adding runs, the shared budget, distributions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "driver/agent/accept.h"
#include "driver/agent/budget.h"
#include "driver/agent/own_metrics.h"
#include "driver/exposition/formats.h"
#include "driver/exposition/otlp.h"
#include "driver/exposition/series_text.h"
#include "driver/http/address.h"
#include "driver/metrics/distribution.h"
#include "driver/metrics/family_list.h"
#include "driver/metrics/map_metrics.h"
#include "driver/metrics/names.h"
#include "driver/metrics/series.h"
#include "runtime/values/distribution.h"

namespace lt::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string name_and_unit(std::string_view map, const Type& type) {
    const MetricName name = metric_name("s", map, type);
    return name.name + " " + std::string(name.unit) + " " + std::to_string(name.divisor);
}

TEST(AgentNames, HaveBaseUnits) {
    const Type time = aggregation_type(Aggregation::hist, View::duration), number = aggregation_type(Aggregation::sum);
    const Type count = aggregation_type(Aggregation::count);
    EXPECT_EQ(name_and_unit("@", count), "lt_s  1");
    EXPECT_EQ(name_and_unit("@ns", time), "lt_s_seconds seconds 1000000000");
    EXPECT_EQ(name_and_unit("@queue", time), "lt_s_queue_seconds seconds 1000000000");
    EXPECT_EQ(name_and_unit("@queue_ms", time), "lt_s_queue_seconds seconds 1000000000");
    EXPECT_EQ(name_and_unit("@usecs", number), "lt_s_seconds seconds 1000000");
    EXPECT_EQ(name_and_unit("@wait_microseconds", number), "lt_s_wait_seconds seconds 1000000");
    EXPECT_EQ(name_and_unit("@wait_secs", number), "lt_s_wait_seconds seconds 1");
    EXPECT_EQ(name_and_unit("@bytes", number), "lt_s_bytes bytes 1");
    EXPECT_EQ(name_and_unit("@read_bytes", number), "lt_s_read_bytes bytes 1");
    EXPECT_EQ(name_and_unit("@ns", count), "lt_s_ns  1");
    EXPECT_EQ(name_and_unit("@calls_total", count), "lt_s_calls  1");
    EXPECT_EQ(name_and_unit("@total", count), "lt_s  1");
    EXPECT_EQ(script_word("/etc/lt/2 slow-io.lt"), "2_slow_io");
    EXPECT_EQ(script_word("___.lt"), "script");
    EXPECT_TRUE(is_private("@_start"));
    EXPECT_FALSE(is_private("@start"));
}

TEST(AgentNames, OfLabelsAreNotThoseOfTheMetricItself) {
    const std::vector<std::string> names{"cause", "le", "cause_", "comm"};
    EXPECT_THAT(label_names({}, "@", names.size(), names, "cause"), ElementsAre("cause_", "le_", "cause__3", "comm"));
    EXPECT_THAT(label_names({}, "@", names.size(), names), ElementsAre("cause", "le_", "cause_", "comm"));
}

TEST(AgentNames, HelpIsTheCommentBesideTheMap) {
    const Source source{"x.lt",
                        "// x (cpu): what runs\n"
                        "BEGIN { @nsx = 1; }\n"
                        "// Two lines\n"
                        "// of comment.\n"
                        "BEGIN { @ns = 1; }\n"
                        "BEGIN { printf(\"// @no\"); @n = 1; }  // At the end.\n"
                        "BEGIN { @last = 1; /* Within. */ }\n"};
    EXPECT_EQ(help_of(source, "@ns"), "Two lines of comment.");
    EXPECT_EQ(help_of(source, "@n"), "At the end.");
    EXPECT_EQ(help_of(source, "@last"), "Within.");
    EXPECT_EQ(help_of(source, "@nsx"), "what runs");
    EXPECT_EQ(help_of({"x.lt", "// All of it. Also this.\n// Not this.\n\nBEGIN { @n = 1; }"}, "@n"),
              "All of it. Also this.");
    EXPECT_EQ(help_of({"x.lt", "BEGIN { @n = 1; }"}, "@n"), "");
}

Family counts(std::vector<std::pair<std::string, int64_t>> values) {
    Family out{"x", "", MetricType::counter};
    for (auto& [key, value] : values) out.series.push_back({{{"key", key}}, value});
    return out;
}

// The message for two maps, @a and @b, that become families of this name and these types; empty if they can.
std::string clash(const Family& first, const Family& second) {
    const Status unique = none_twice({{"@a", {first}}, {"@b", {second}}});
    return unique ? "" : unique.error().what + "; " + unique.error().hint;
}

TEST(AgentNames, OfFamiliesAreUniqueWhateverTheirType) {
    const std::string x = "@a and @b would both be the metric x; give one of them another name";
    const Family counter{"x", "", MetricType::counter}, gauge{"x", "", MetricType::gauge};
    const Family histogram{"x", "", MetricType::histogram};
    EXPECT_EQ(clash(counter, gauge), x);
    EXPECT_EQ(clash(gauge, counter), x);
    EXPECT_EQ(clash(counter, histogram), x);
    EXPECT_EQ(clash(histogram, counter), x);
    EXPECT_EQ(clash(gauge, histogram), x);
    EXPECT_EQ(clash(counter, counter), "@a and @b would both be the metric x_total; give one of them another name");
    EXPECT_EQ(clash(histogram, {"x_count", "", MetricType::gauge}),
              "@a and @b would both be the metric x_count; give one of them another name");
    EXPECT_EQ(clash(counter, {"y", "", MetricType::gauge}), "");
}

TEST(AgentSeries, OfFamiliesOfDifferentTypesStayApart) {
    std::vector<Family> all{{"x", "", MetricType::counter}};
    all[0].series = {{{}, int64_t{1}}};
    add_families(all, {{"x", "", MetricType::gauge}, all[0]});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].series.size(), 2U);
    EXPECT_EQ(all[1].type, MetricType::gauge);
}

std::vector<std::string> lines(const Family& family) {
    std::vector<std::string> out;
    for (const MetricSeries& series : family.series)
        out.push_back(series.labels[0].name + "=" + series.labels[0].value + " " +
                      std::to_string(std::get<int64_t>(series.point)));
    return out;
}

TEST(AgentSeries, StayOnceShownAndTheRestIsAddedUp) {
    SeriesLimit limit(2);
    Family first = counts({{"a", 1}, {"b", 5}, {"c", 3}});
    limit.apply(first, true);
    EXPECT_THAT(lines(first), ElementsAre("key=b 5", "key=c 3", "lt_overflow=true 1"));
    Family second = counts({{"a", 100}, {"b", 5}, {"c", 3}, {"d", 7}});
    limit.apply(second, true);
    EXPECT_THAT(lines(second), ElementsAre("key=b 5", "key=c 3", "lt_overflow=true 107"));
    EXPECT_EQ(limit.over(), 2U);
    Family third = counts({{"a", 100}, {"c", 3}});
    limit.apply(third, false);
    EXPECT_THAT(lines(third), ElementsAre("key=a 100", "key=c 3"));
    EXPECT_EQ(limit.over(), 0U);
}

TEST(AgentSeries, WhatARunBeforeDidNotShowIsAddedToTheRest) {
    SeriesLimit limit(2);
    Family before = counts({{"a", 1}, {"b", 5}, {"c", 3}});
    limit.apply(before, true);
    Family now = counts({{"a", 10}, {"b", 1}, {"d", 20}});
    add_family(now, before);
    limit.apply(now, true);
    EXPECT_THAT(lines(now), ElementsAre("key=b 6", "key=c 3", "lt_overflow=true 31"));
    EXPECT_EQ(limit.over(), 2U);
}

TEST(AgentSeries, WhatWasSeenOnceDoesNotGoBack) {
    Family now = counts({{"a", 1}, {"b", 20}, {"d", 4}});
    keep_greater(now, counts({{"a", 10}, {"b", 2}, {"c", 3}}));
    EXPECT_THAT(lines(now), ElementsAre("key=a 10", "key=b 20", "key=d 4", "key=c 3"));
}

TEST(AgentSeries, OfUnsignedNumbersAreNotNegative) {
    PlannedMap map;
    map.name = "@n";
    map.value = integer_type(8, false);
    MapMetric metric = map_metric(map, 0, "s", {}, {"s.lt", ""});
    MapContent content;
    content.entries = std::vector<MapEntry>{MapEntry{{}, {map.value, int64_t{-1}}}};
    metric.family.series = series_of(metric, content);
    EXPECT_THAT(prometheus_text({metric.family}), HasSubstr("lt_s_n 18446744073709551615\n"));
    EXPECT_THAT(otlp_metrics({metric.family}, {}, 1), HasSubstr("\"asDouble\":1.8446744073709552e"));
    metric.family.divisor = 1000;
    EXPECT_THAT(prometheus_text({metric.family}), HasSubstr("lt_s_n 1.844674407370955e+16\n"));
    Family now = counts({{"a", 1}, {"b", -1}});
    now.is_unsigned = true;
    keep_greater(now, counts({{"a", -1}, {"b", 1}}));
    EXPECT_THAT(lines(now), ElementsAre("key=a -1", "key=b -1"));
}

TEST(AgentSeries, HaveNoSumThatBecomesSmallerWhereItMustBeACounter) {
    PlannedMap map;
    map.name = "@n";
    const auto family_of = [&](const Type& type) {
        map.value = type;
        Family out = map_metric(map, 0, "s", {}, {"s.lt", ""}).family;
        out.series = {{{}, SummaryPoint{-5, 3}}};
        return out;
    };
    const Family numbers = family_of(aggregation_type(Aggregation::avg));
    EXPECT_THAT(openmetrics_text({numbers}), HasSubstr("lt_s_n_count 3\n"));
    EXPECT_THAT(openmetrics_text({numbers}), Not(HasSubstr("_sum")));
    EXPECT_THAT(prometheus_text({numbers}), HasSubstr("lt_s_n_sum -5\n"));
    EXPECT_THAT(otlp_metrics({numbers}, {}, 1), Not(HasSubstr("\"sum\"")));
    const Family times = family_of(aggregation_type(Aggregation::avg, View::duration));
    EXPECT_THAT(openmetrics_text({times}), HasSubstr("_sum"));
    EXPECT_THAT(otlp_metrics({times}, {}, 1), HasSubstr("\"sum\""));
}

TEST(AgentSeries, HaveLabelsInUtf8) {
    MapMetric metric;
    metric.labels = {"comm"};
    const std::vector<Value> key{{string_type(16), std::string("a\xff")}};
    EXPECT_EQ(labels_of(metric, key), (Labels{{"comm", "a\\xff"}}));
}

TEST(AgentSeries, HaveHelpInUtf8) {
    PlannedMap map;
    map.name = "@n";
    map.value = integer_type();
    EXPECT_EQ(map_metric(map, 0, "s", {}, {"a\xff.lt", ""}).family.help, "@n of the script a\\xff.lt.");
}

TEST(AgentSeries, HaveExemplarsNoLongerThanAllowed) {
    const std::string comm(60, 'c');
    const Exemplar exemplar{1, 2, std::string(32, 'a'), std::string(16, 'b'), {{"pid", "4194304"}, {"comm", comm}}};
    const Labels labels = exemplar_labels(exemplar);
    ASSERT_EQ(labels.size(), 4U);
    EXPECT_EQ(labels[1].value, std::string(48, 'c') + "...");
    size_t all = 0;
    for (const Label& label : labels) all += label.name.size() + label.value.size();
    EXPECT_EQ(all, 128U);
}

TEST(AgentSeries, HaveALabelForEachMemberOfARecord) {
    PlannedMap map;
    map.name = "@n";
    map.key = {tuple_type({string_type(16), integer_type()}, {"who", "port"})};
    map.value = aggregation_type(Aggregation::count);
    const MapMetric metric = map_metric(map, 0, "s", {}, {"s.lt", ""});
    EXPECT_THAT(metric.labels, ElementsAre("who", "port"));
    Group record;
    record.parts = {{string_type(16), std::string("ssh")}, {integer_type(), int64_t{22}}};
    const std::vector<Value> key{{map.key[0], record}};
    EXPECT_EQ(labels_of(metric, key), (Labels{{"who", "ssh"}, {"port", "22"}}));
}

TEST(AgentSeries, OfKeysThatReadTheSameAreOne) {
    const auto joined = [](Join how) {
        Family family = counts({{"a", 1}, {"b", 20}, {"a", 4}, {"c", 3}, {"b", 2}});
        join_equal(family.series, how);
        return lines(family);
    };
    EXPECT_THAT(joined(Join::add), ElementsAre("key=a 5", "key=b 22", "key=c 3"));
    EXPECT_THAT(joined(Join::greater), ElementsAre("key=a 4", "key=b 20", "key=c 3"));
    EXPECT_THAT(joined(Join::smaller), ElementsAre("key=a 1", "key=b 2", "key=c 3"));
    EXPECT_THAT(joined(Join::last), ElementsAre("key=a 4", "key=b 2", "key=c 3"));
}

TEST(AgentSeries, OfTwoRunsAddUp) {
    Family now = counts({{"a", 1}, {"b", 2}});
    add_family(now, counts({{"b", 10}, {"c", 20}}));
    EXPECT_THAT(lines(now), ElementsAre("key=a 1", "key=b 12", "key=c 20"));
    Family other = counts({{"b", 1}});
    other.series[0].labels[0].name = "other";
    add_family(now, other);
    EXPECT_EQ(now.series.size(), 3U);
    Point histogram = HistogramPoint{{1, 2}, 10, NativeBuckets{8, 0, {{1, 3}}}};
    EXPECT_TRUE(add_point(histogram, HistogramPoint{{5, 6}, 1, NativeBuckets{8, 2, {{1, 1}, {9, 8}}}}));
    EXPECT_EQ(histogram, Point(HistogramPoint{{6, 8}, 11, NativeBuckets{8, 2, {{1, 4}, {9, 8}}}}));
    EXPECT_FALSE(add_point(histogram, int64_t{1}));
}

TEST(AgentAccounts, HaveNoCounterThatFallsWhenAbandonedSpansDie) {
    AccountFact fact{"sc:read", 10, 4, 0};
    const auto text_of = [&](uint64_t died, uint64_t abandoned) {
        fact.lost = {{"span_died", died}, {"abandoned", abandoned}};
        FamilyList out;
        add_accounts("s", {fact}, out);
        return prometheus_text(out.take());
    };
    const std::string before = text_of(1, 5), after = text_of(4, 2);
    EXPECT_THAT(before, HasSubstr("lt_span_abandoned{script=\"s\",span=\"sc:read\"} 5\n"));
    EXPECT_THAT(after, HasSubstr("lt_span_abandoned{script=\"s\",span=\"sc:read\"} 2\n"));
    EXPECT_THAT(after, HasSubstr("lt_span_lost_total{script=\"s\",span=\"sc:read\",kind=\"span_died\"} 4\n"));
    EXPECT_THAT(after, HasSubstr("# TYPE lt_span_abandoned gauge\n"));
    EXPECT_THAT(before, Not(HasSubstr("kind=\"abandoned\"")));
    fact.lost.clear();
    FamilyList none;
    add_accounts("s", {fact}, none);
    EXPECT_THAT(prometheus_text(none.take()), HasSubstr("lt_span_abandoned{script=\"s\",span=\"sc:read\"} 0\n"));
}

TEST(AgentAccounts, AddUpAfterAReload) {
    const auto facts_of = [](uint64_t opened, uint64_t closed, uint64_t open, uint64_t abandoned) {
        AccountFact fact{"sc:read", opened, closed, open};
        if (abandoned != 0) fact.lost.emplace_back("abandoned", abandoned);
        FamilyList out;
        add_accounts("s", {fact}, out);
        return out.take();
    };
    std::vector<Family> before = facts_of(10, 7, 2, 1), now = facts_of(5, 4, 1, 0);
    abandon_open_spans(before);
    add_earlier(now, before);
    const std::string text = prometheus_text(now);
    EXPECT_THAT(text, HasSubstr("lt_span_opened_total{script=\"s\",span=\"sc:read\"} 15\n"));
    EXPECT_THAT(text, HasSubstr("lt_span_closed_total{script=\"s\",span=\"sc:read\"} 11\n"));
    EXPECT_THAT(text, HasSubstr("lt_span_open{script=\"s\",span=\"sc:read\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("lt_span_abandoned{script=\"s\",span=\"sc:read\"} 3\n"));
}

// While costs are not measured, old ones are not shown; other counters of earlier runs are, also alone.
TEST(AgentAccounts, LeaveOutCostsThatAreNotMeasured) {
    const auto facts_of = [](bool with_numbers) {
        FamilyList out;
        for (const char* name : {"lt_probe_runs", "lt_lost_events"}) {
            out.counter(name, "");
            if (with_numbers) out.add({{"script", "s"}}, int64_t{5});
        }
        return out.take();
    };
    const std::vector<Family> before = facts_of(true);
    std::vector<Family> unmeasured = facts_of(false), measured = facts_of(true);
    add_earlier(unmeasured, before);
    add_earlier(measured, before);
    EXPECT_THAT(prometheus_text(unmeasured), Not(HasSubstr("lt_probe_runs_total{")));
    EXPECT_THAT(prometheus_text(unmeasured), HasSubstr("lt_lost_events_total{script=\"s\"} 5\n"));
    EXPECT_THAT(prometheus_text(measured), HasSubstr("lt_probe_runs_total{script=\"s\"} 10\n"));
}

TEST(AgentBudget, TheCostliestSavesFirst) {
    SharedBudget budget(0.05);
    EXPECT_DOUBLE_EQ(budget.allowance("a", 0.01), 0.05);
    EXPECT_DOUBLE_EQ(budget.allowance("b", 0.03), 0.04);
    EXPECT_TRUE(std::isinf(budget.allowance("a", 0.025)));
    EXPECT_DOUBLE_EQ(budget.allowance("b", 0.03), 0.025);
    budget.forget("b");
    EXPECT_DOUBLE_EQ(budget.allowance("a", 0.06), 0.05);
    EXPECT_DOUBLE_EQ(budget.total(), 0.06);
}

// All integers are in the classic bucket whose bound is the first that is not below them, and the native histogram has
// the same quantiles as lt.
TEST(AgentDistribution, AgreesWithItsSource) {
    Type type = aggregation_type(Aggregation::dist);
    type.is_signed = false;
    const std::vector<double> bounds = distribution_bounds(type, 1);
    Distribution distribution;
    std::vector<uint64_t> expected(bounds.size() + 1);
    for (int64_t value = 0; value < 5000; value++) {
        uint32_t index = dist_zero;
        while (dist_bucket(index).high < value) index++;
        distribution.buckets[index]++;
        distribution.count++;
        distribution.sum += value;
        const auto at = std::ranges::lower_bound(bounds, static_cast<double>(value));
        expected[static_cast<size_t>(at - bounds.begin())]++;
    }
    const HistogramPoint point = exposed_distribution(distribution, type, 1);
    EXPECT_EQ(point.counts, expected);
    EXPECT_EQ(point.sum, 4999 * 2500);
    for (const uint64_t percent : {10UL, 50UL, 90UL, 99UL}) {
        const auto rank = static_cast<uint64_t>(50 * percent);
        uint64_t seen = point.native->zero;
        auto bucket = point.native->positive.begin();
        while (seen + bucket->second < rank) seen += (bucket++)->second;
        const double bound = std::exp2(bucket->first / 256.0);
        const auto own = static_cast<double>(*percentile(distribution, percent * 1'000'000));
        EXPECT_NEAR(bound / own, 1, 0.003) << percent;
    }
}

TEST(AgentAddress, IsLoopbackUnlessGiven) {
    const auto read = [](std::string_view text) {
        const Result<ListenAddress> address = listen_address(text);
        return address ? address_text(*address) : "";
    };
    EXPECT_EQ(read(":9435"), "127.0.0.1:9435");
    EXPECT_EQ(read("80"), "127.0.0.1:80");
    EXPECT_EQ(read("localhost:80"), "127.0.0.1:80");
    EXPECT_EQ(read("0.0.0.0:80"), "0.0.0.0:80");
    EXPECT_EQ(read("[::1]:80"), "[::1]:80");
    EXPECT_EQ(read("[::]:80"), "[::]:80");
    for (const char* wrong : {"", ":", "a:80", "::1:80", "[127.0.0.1]:80", "1.2.3.4", ":65536", "1.2.3.4:-1", "[]:80"})
        EXPECT_EQ(read(wrong), "") << wrong;
}

}  // namespace
}  // namespace lt::agent
