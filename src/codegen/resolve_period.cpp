// Probes that time brings, and signals to lt itself.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"

#include "resolver.h"

namespace lt {

namespace {

constexpr uint64_t second = 1000000000;

// What the kernel's coarse clock moves by each time: a tick, of which there are CONFIG_HZ in a second.
uint64_t tick() {
    timespec resolution{};
    return ::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0 ? static_cast<uint64_t>(resolution.tv_nsec) : 0;
}

// "s:1", "hz:99", "10ms", "jiffies:5"; a number alone is of nanoseconds.
std::optional<uint64_t> period_of(const ast::ProbeSpec& spec) {
    struct Unit {
        std::string_view name;
        uint64_t ns;
    };
    constexpr std::array units{Unit{"", 1},         Unit{"ns", 1},     Unit{"us", 1000},
                               Unit{"ms", 1000000}, Unit{"s", second}, Unit{"m", 60 * second}};
    const bool two = spec.parts.size() == 3;
    std::string_view unit = spec.parts[1].text, count = two ? std::string_view(spec.parts[2].text) : unit;
    if (!two && !any_number(unit)) {
        const size_t digits = std::min(unit.find_first_not_of("0123456789"), unit.size());
        count = unit.substr(0, digits);
        unit.remove_prefix(digits);
    } else if (!two) {
        unit = "";
    }
    const auto n = any_number(count);
    if (!n || *n == 0 || *n > UINT32_MAX) return {};
    if (unit == "hz") return std::max<uint64_t>(1, second / *n);
    if (unit == "jiffies") return tick() * *n;
    for (const Unit& u : units) {
        if (unit == u.name) return u.ns * *n;
    }
    return {};
}

}  // namespace

Resolver::Places Resolver::period(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    place.period_ns = period_of(spec).value_or(0);
    constexpr uint64_t shortest = 1000;  // a timer cannot do better, and the program would do nothing else
    if (place.period_ns < shortest) {
        Diag& d = diags_.error(spec.span, "this is no period");
        d.hint = "write interval:s:1, interval:ms:100, interval:hz:10 or interval:1s; at least 1us";
        return {};
    }
    place.rungs = {{Way::run, "", {}}};
    return {place};
}

Resolver::Places Resolver::clock(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    if (!offered(spec, Feature::perf_event, "perf events")) return {};
    place.perf = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0, 0, period_of(spec).value_or(0)};
    constexpr uint64_t shortest = 10000;  // of the kernel's clock for perf events
    if (place.perf.every < shortest) {
        diags_.error(spec.span, "this is no period").hint =
            "write profile:hz:99, profile:ms:10, profile:us:100 or profile:10ms; at least 10us";
        return {};
    }
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

Resolver::Places Resolver::signal(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    place.rungs = {{Way::run, "", {}}};
    if (spec.parts[1].text == "set") {
        place.set_param = spec.parts[2].text;
        return {place};
    }
    if (spec.parts[1].text != "signal") {
        diags_.error(spec.parts[1].span, "lt itself has signals, and parameters that are set").hint =
            "write self:signal:SIGUSR1, or self:set:NAME";
        return {};
    }
    const std::string_view name = spec.parts[2].text;
    for (int n = 1; n < SIGRTMIN; n++) {
        const char* known = sigabbrev_np(n);
        if (known != nullptr && name == fmt::format("SIG{}", known)) place.signal = n;
    }
    constexpr std::array ending{SIGINT, SIGTERM, SIGHUP, SIGKILL, SIGSTOP, SIGPIPE, SIGCHLD};
    const bool taken = std::find(ending.begin(), ending.end(), place.signal) != ending.end();
    if (place.signal == 0 || taken) {
        diags_
            .error(spec.parts[2].span, taken ? fmt::format("lt needs {} for itself", name)
                                             : fmt::format("there is no signal {}", quoted(name)))
            .hint = "SIGUSR1 and SIGUSR2 are there for scripts: self:signal:SIGUSR1";
        return {};
    }
    return {place};
}

}  // namespace lt
