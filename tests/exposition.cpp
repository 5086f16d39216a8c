// Prints made-up metrics in one of the forms of the agent: `exposition text|openmetrics|protobuf`; `exposition accept
// HEADER` prints the form that the header gets.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "driver/exposition/formats.h"

namespace {

std::vector<lt::Family> families() {
    using namespace lt;
    std::vector<Family> out;
    Family& calls = out.emplace_back("lt_calls", "Calls by command.\nA second line with a \\ and a \"quote\".",
                                     MetricType::counter);
    calls.series = {
        {{{"comm", "plain"}}, int64_t{12}},
        {{{"comm", "a \"quoted\" \\ name\nof two lines"}, {"path", "ä"}}, std::numeric_limits<int64_t>::max()}};
    Family& time = out.emplace_back("lt_work_seconds", "Time of work.", MetricType::counter, "seconds", 1'000'000'000);
    time.series = {{{}, int64_t{1'500'000'000}}, {{{"cause", "disk"}}, int64_t{1}}};
    out.emplace_back("lt_nothing", "It has no series.", MetricType::gauge);
    Family& level = out.emplace_back("lt_level", "Numbers of all sorts.", MetricType::gauge);
    level.series = {{{{"n", "1"}}, int64_t{-7}},
                    {{{"n", "2"}}, 0.25},
                    {{{"n", "3"}}, std::numeric_limits<double>::infinity()},
                    {{{"n", "4"}}, std::numeric_limits<double>::quiet_NaN()},
                    {{{"n", "5"}}, 1e-9}};
    Family& size = out.emplace_back("lt_size_bytes", "Sizes.", MetricType::summary, "bytes");
    size.series = {{{}, SummaryPoint{4096, 3}}};
    Family& latency = out.emplace_back("lt_latency_seconds", "Latencies.", MetricType::histogram, "seconds",
                                       1'000'000'000, std::vector<double>{1e-6, 0.001, 1});
    NativeBuckets native{8, 2};
    native.positive = {{-100, 3}, {-99, 1}, {5, 4}};
    native.negative = {{0, 1}};
    latency.series = {{{{"op", "read"}}, HistogramPoint{{1, 2, 3, 4}, int64_t{2'500'000'000}, native}},
                      {{{"op", "none"}}, HistogramPoint{{0, 0, 0, 0}, int64_t{0}, NativeBuckets{8}}}};
    Family& depth = out.emplace_back("lt_depth", "Without a sum, and with negative bounds.", MetricType::histogram, "",
                                     1, std::vector<double>{-1, 0, 1});
    depth.series = {{{}, HistogramPoint{{1, 2, 3, 4}}}};
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "accept") {
        for (int i = 2; i < argc; i++) fmt::print("{}\n", lt::accepted_format(argv[i]).name);
        return 0;
    }
    for (const lt::ExpositionFormat& format : lt::exposition_formats()) {
        if (format.name != word) continue;
        const std::string text = format.write(families());
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
    return 2;
}
