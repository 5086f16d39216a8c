// Prints made-up metrics in one of the forms of the agent: `exposition text|openmetrics|protobuf`; `exposition accept
// HEADER` prints the form that the header gets; `exposition otlp metrics|traces` prints a request of OTLP/HTTP.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "driver/exposition/formats.h"
#include "driver/exposition/otlp.h"

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
    NativeBuckets native{8, 2}, exact{4, 2};
    native.positive = {{-100, 3}, {-99, 1}, {5, 4}};
    native.negative = {{0, 1}};
    exact.positive = {{300, 3}, {302, 1}};
    exact.negative = {{7, 4}};
    const Exemplar exemplar{500'000'000,
                            1'700'000'000'123'456'789,
                            "0123456789abcdef0123456789abcdef",
                            "0123456789abcdef",
                            {{"pid", "7"}, {"comm", "a \"b\""}}};
    latency.series = {{{{"op", "read"}}, HistogramPoint{{1, 2, 3, 4}, int64_t{2'500'000'000}, native, exact, exemplar}},
                      {{{"op", "none"}}, HistogramPoint{{0, 0, 0, 0}, int64_t{0}, NativeBuckets{8}, NativeBuckets{4}}}};
    Family& wait = out.emplace_back("lt_wait_seconds", "Classic, with an exemplar above all bounds.",
                                    MetricType::histogram, "seconds", 1'000'000'000, std::vector<double>{1e-6, 0.001});
    wait.series = {{{}, HistogramPoint{{1, 2, 3}, int64_t{7}, {}, {}, exemplar}}};
    Family& depth = out.emplace_back("lt_depth", "Without a sum, and with negative bounds.", MetricType::histogram, "",
                                     1, std::vector<double>{-1, 0, 1});
    depth.series = {{{}, HistogramPoint{{1, 2, 3, 4}}}};
    return out;
}

std::string otlp(std::string_view what) {
    using namespace lt;
    const OtlpSource source{{{"service.name", std::string("lt-agent")}, {"process.pid", int64_t{7}}}, "1.2.3"};
    if (what == "metrics") {
        std::vector<Family> all = families();
        for (Family& family : all) family.since = 1'699'999'999'000'000'000;
        return otlp_metrics(all, source, 1'700'000'000'000'000'000);
    }
    const std::string trace = "0123456789abcdef0123456789abcdef";
    const std::vector<OtlpSpan> spans{
        {trace, "0123456789abcdef", "", "sc:fsync", 1000, 3000, {{"thread.name", std::string("\xff bad UTF-8")}}},
        {trace, "fedcba9876543210", "0123456789abcdef", "block I/O", 1000, 2500,
         {{"code.stacktrace", std::vector<std::string>{"a+1", "b+2"}}}}};
    return otlp_traces(spans, source);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "accept") {
        for (int i = 2; i < argc; i++) fmt::print("{}\n", lt::accepted_format(argv[i]).name);
        return 0;
    }
    if (word == "otlp" && argc > 2) {
        fmt::print("{}\n", otlp(argv[2]));
        return 0;
    }
    for (const lt::ExpositionFormat& format : lt::exposition_formats()) {
        if (format.name != word) continue;
        const std::string text = format.write(families());
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
    return 2;
}
