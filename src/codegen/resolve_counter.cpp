// Probes at events that are counted, and hardware breakpoints on memory.
#include <fmt/format.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "perf_events.h"
#include "resolver.h"
#include "stdlib/counters.h"

namespace lt {

// "4096", "4_096", "0x1000" or "1e6".
std::optional<uint64_t> any_number(std::string_view text) {
    std::string plain(text);
    if (!plain.starts_with('_')) std::erase(plain, '_');
    if (plain.starts_with("0x")) return number<uint64_t>(std::string_view(plain).substr(2), 16);
    const size_t e = std::min(plain.find_first_of("eE"), plain.size());
    auto out = number<uint64_t>(std::string_view(plain).substr(0, e));
    auto power = e < plain.size() ? number<uint32_t>(std::string_view(plain).substr(e + 1)) : 0;
    if (!power || *power > 19) return {};
    for (; out && *power > 0; --*power) {
        if (*out > UINT64_MAX / 10) return {};
        *out *= 10;
    }
    return out;
}

namespace {

// A bit for each letter; nothing where that cannot be watched.
struct AccessRow {
    std::string_view letters;
    uint32_t access;
};
constexpr std::array accesses{
    AccessRow{"w", HW_BREAKPOINT_W},
    AccessRow{"rw", HW_BREAKPOINT_RW},
    AccessRow{"wr", HW_BREAKPOINT_RW},
    AccessRow{"x", HW_BREAKPOINT_X},
};

}  // namespace

// "1000": each time that so many were counted; "99hz": so often that this makes 99 times a second.
bool Resolver::how_often(const ast::ProbeSpec& spec, const ProbeRow& row, PerfEvent& event) {
    std::string_view text = spec.parts[2].text;
    event.by_frequency = text.ends_with("hz");
    if (event.by_frequency) text.remove_suffix(2);
    const auto count = any_number(text);
    if (!count || *count == 0) {
        diags_.error(spec.parts[2].span, "this is no count").hint =
            fmt::format("write a number above 0, as in {}:{}:1000, or {}:{}:99hz for so many runs a second", row.name,
                        spec.parts[1].text, row.name, spec.parts[1].text);
        return false;
    }
    event.every = *count;
    return true;
}

Resolver::Places Resolver::counter(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    const ProbeRow& row = probe_row(place.kind);
    if (!offered(spec, Feature::perf_event, "perf events")) return {};
    Result<PerfEvent> event = perf_event_named(kernel_, row.kind, spec.parts[1].text);
    if (!event) return missing_counter(spec, row, event.error());
    const bool generic = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    if (generic && !offered(spec, Feature::hardware_events, "hardware events")) return {};
    if (spec.parts.size() == 3 && !spec.parts[2].text.empty()) {
        if (!how_often(spec, row, *event)) return {};
    }
    place.perf = *event;
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

Resolver::Places Resolver::missing_counter(const ast::ProbeSpec& spec, const ProbeRow& row, const Error& error) {
    Diag& d = diags_.error(spec.parts[1].span, error.what);
    std::vector<std::string_view> names;
    for (const CounterRow& c : counters_of(row.kind)) names.push_back(c.name);
    d.hint = did_you_mean(closest(spec.parts[1].text, names));
    if (d.hint.empty()) d.hint = fmt::format("`lt -l '{}:*'` lists what there is", row.name);
    return {};
}

Resolver::Places Resolver::address(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    if (!offered(spec, Feature::watchpoint, "watchpoints")) return {};
    auto at = any_number(spec.parts[1].text);
    const auto length = any_number(spec.parts[2].text);
    if (!at) at = kernel_.symbol(spec.parts[1].text);
    const bool of_kernel = at && *at >> 63 != 0;  // the upper half of all addresses
    const auto access = std::find_if(accesses.begin(), accesses.end(),
                                     [&](const AccessRow& row) { return row.letters == spec.parts[3].text; });
    const auto wrong = [&](size_t part, std::string_view message, std::string_view hint) {
        diags_.error(spec.parts[part].span, std::string(message)).hint = hint;
        return Places{};
    };
    if (!at) return wrong(1, "this is no address and no symbol of the kernel", "write 0x and hexadecimal digits");
    if (!length || (*length != 1 && *length != 2 && *length != 4 && *length != 8))
        return wrong(2, "so much memory cannot be watched", "the length is 1, 2, 4 or 8");
    if (access == accesses.end())
        return wrong(3, "this cannot be watched", "write w, rw or x: this processor cannot watch reads alone");
    const bool executes = access->access == HW_BREAKPOINT_X;
    if (!executes && *at % *length != 0)
        return wrong(1, "the address is not a multiple of the length", "watch fewer bytes");
    if (!options_.one_process && !of_kernel) {
        diags_.error(spec.span, "a watchpoint is on the memory of one process").hint =
            "say which one: -p PID, or -c COMMAND";
        return {};
    }
    // an instruction has no length of its own, and the kernel takes that of a word for it
    place.perf = {PERF_TYPE_BREAKPOINT, 0, *at, executes ? sizeof(long) : *length, access->access, 1};
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

}  // namespace lt
