// Timed probes: on one CPU, run by lt, or on all CPUs.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <time.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "codegen/providers/provider.h"

namespace lt {

namespace {

constexpr uint64_t second = 1000000000;

// The step of the kernel's coarse clock: one tick; there are CONFIG_HZ ticks in a second.
uint64_t tick() {
    timespec resolution{};
    return ::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0 ? static_cast<uint64_t>(resolution.tv_nsec) : 0;
}

bool starts_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

// "1s:10": ten times, then the run ends.
bool has_times(const Search& s) { return s.spec.parts.size() == 3 && starts_with_digit(s.spec.parts[1].text); }

constexpr uint64_t longest = INT64_MAX;

// More than the longest if it does not fit.
uint64_t times(uint64_t count, uint64_t ns) { return ns != 0 && count > longest / ns ? longest + 1 : count * ns; }

// "s:1", "hz:99", "10ms", "jiffies:5"; a plain number is nanoseconds.
std::optional<uint64_t> period_of(const Search& s) {
    struct Unit {
        std::string_view name;
        uint64_t ns;
    };
    constexpr std::array units{
        Unit{"", 1},       Unit{"ns", 1},          Unit{"us", 1000},         Unit{"ms", 1000000},
        Unit{"s", second}, Unit{"m", 60 * second}, Unit{"h", 3600 * second}, Unit{"d", 86400 * second}};
    const bool two = s.spec.parts.size() == 3 && !has_times(s);
    std::string_view unit = s.spec.parts[1].text, count = two ? std::string_view(s.spec.parts[2].text) : unit;
    if (!two && !any_number(unit)) {
        const size_t digits = std::min(unit.find_first_not_of("0123456789"), unit.size());
        count = unit.substr(0, digits);
        unit.remove_prefix(digits);
    } else if (!two) {
        unit = "";
    }
    const auto n = any_number(count);
    if (!n || *n == 0) return {};
    if (unit == "hz") return std::max<uint64_t>(1, second / *n);
    if (unit == "jiffies") return times(*n, tick());
    for (const Unit& u : units) {
        if (unit == u.name) return times(*n, u.ns);
    }
    return {};
}

bool is_too_long(const Search& s, uint64_t ns) {
    if (ns <= longest) return false;
    s.diags.error(s.spec.span, "this period is too long").hint = "the maximum is 292 years";
    return true;
}

Places period(const Search& s, ResolvedPlace place) {
    const uint64_t ns = period_of(s).value_or(0);
    constexpr uint64_t shortest = 1000;  // a timer is not more precise, and would leave no time for anything else
    if (is_too_long(s, ns)) return {};
    if (ns < shortest) {
        Diag& d = s.diags.error(s.spec.span, "this is not a period");
        d.hint = "write `interval:s:1`, `interval:ms:100`, `interval:hz:10` or `interval:1s`; the minimum is 1us";
        return {};
    }
    const std::optional<uint64_t> limit = has_times(s) ? any_number(s.spec.parts[2].text) : 0;
    if (!limit) {
        s.diags.error(s.spec.span, fmt::format("`{}` is not a number of times", s.spec.parts[2].text)).hint =
            "`interval:1s:10` runs ten times, and then the run ends";
        return {};
    }
    place.there = PeriodPlace{ns, *limit};
    place.rungs = {{Way::run, "", {}}};
    return {place};
}

Places clock(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::perf_event, "perf events")) return {};
    const PerfEvent event{
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0, 0, has_times(s) ? 0 : period_of(s).value_or(0)};
    constexpr uint64_t shortest = 10000;  // of the kernel's clock for perf events
    if (is_too_long(s, event.every)) return {};
    if (event.every < shortest) {
        s.diags.error(s.spec.span, "this is not a period").hint =
            "write `profile:hz:99`, `profile:ms:10`, `profile:us:100` or `profile:10ms`; the minimum is 10us";
        return {};
    }
    place.there = event;
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

Site at_clock(const ResolvedPlace& place, bool) { return std::get<PerfEvent>(place.there); }

}  // namespace

extern constinit const Provider period_provider{
    .least = 1,
    .most = 2,
    .find = period,
};

extern constinit const Provider clock_provider{
    .least = 1,
    .most = 2,
    .find = clock,
    .site = at_clock,
    .sees = Sees::one,
    .side = Side::either,
    .registers = true,
};

}  // namespace lt
