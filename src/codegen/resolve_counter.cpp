// Events that are counted, by perf's names: those of its tables, of the caches, raw ones, and those that a source of
// events in sysfs describes; and hardware breakpoints on memory.
#include <fmt/format.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "resolver.h"
#include "stdlib/counters.h"

namespace lt {

std::optional<uint64_t> any_number(std::string_view text) {
    return text.starts_with("0x") ? number<uint64_t>(text.substr(2), 16) : number<uint64_t>(text);
}

namespace {

std::span<const CounterRow> counters_of(ProbeKind kind) {
    return kind == ProbeKind::software ? software_counters() : hardware_counters();
}

// Bits "0-7,32-35" of `value`, from the low ones on, to where they belong. No value: that is not how bits are written.
std::optional<uint64_t> spread(uint64_t value, std::string_view bits) {
    uint64_t out = 0;
    for (std::string_view range : split(bits, ',')) {
        const size_t dash = range.find('-');
        const auto first = number<uint32_t>(trim(range.substr(0, dash)));
        const auto last = dash == range.npos ? first : number<uint32_t>(trim(range.substr(dash + 1)));
        if (!first || !last || *last < *first || *last > 63) return {};
        for (uint32_t bit = *first; bit <= *last; bit++, value >>= 1) out |= (value & 1) << bit;
    }
    return out;
}

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

constexpr uint64_t usual_count = 1000000;

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
    Result<PerfEvent> event = counter_named(row, spec.parts[1].text);
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

namespace {

// TYPE/CONFIG: the numbers that the kernel has for it.
std::optional<PerfEvent> numbered_event(std::string_view name) {
    const size_t slash = name.find('/');
    if (slash == name.npos) return {};
    const auto type = any_number(name.substr(0, slash)), config = any_number(name.substr(slash + 1));
    if (!type || !config || *type > UINT32_MAX) return {};
    return PerfEvent{static_cast<uint32_t>(*type), *config, 0, 0, 0, usual_count};
}

}  // namespace

// The first that knows the name: the tables, caches, rHEX, TYPE/CONFIG, SOURCE/TERMS/, and EVENT of any source.
Result<PerfEvent> Resolver::counter_named(const ProbeRow& row, const std::string& name) {
    for (const CounterRow& c : counters_of(row.kind)) {
        if (name == c.name || (!c.alias.empty() && name == c.alias))
            return PerfEvent{c.type, c.config, 0, 0, 0, c.every};
    }
    const Error none{fmt::format("there is no {} event {}", row.name, quoted(name)), "", 0};
    if (row.kind != ProbeKind::hardware) return none;
    if (const auto cache = cache_counter(name)) return PerfEvent{PERF_TYPE_HW_CACHE, *cache, 0, 0, 0, usual_count};
    if (name.starts_with('r'))
        if (const auto raw = number<uint64_t>(std::string_view(name).substr(1), 16))
            return PerfEvent{PERF_TYPE_RAW, *raw, 0, 0, 0, usual_count};
    if (const auto numbered = numbered_event(name)) return *numbered;
    const size_t slash = name.find('/');
    if (slash != name.npos && name.ends_with('/') && slash + 1 < name.size())
        return source_event(name.substr(0, slash), std::string_view(name).substr(slash + 1, name.size() - slash - 2));
    for (const std::string& known : kernel_.source_events()) {
        const size_t at = known.find('/');
        if (known.substr(at + 1) == name) return source_event(known.substr(0, at), name);
    }
    return none;
}

// TERMS are an event's name or what such a name stands for: "event=0x3c,umask=0x1".
Result<PerfEvent> Resolver::source_event(std::string_view source_name, std::string_view terms) {
    const std::string source(source_name);
    const Result<std::string> type = kernel_.event_source(source + "/type");
    const auto type_number = type ? number<uint32_t>(trim(*type)) : std::nullopt;
    if (!type_number) return Error{fmt::format("there is no source of perf events {}", quoted(source)), "", 0};
    if (kernel_.event_source(source + "/cpumask"))
        return Error{
            fmt::format("{} counts for the whole machine, and no program can be run by what it counts", source), "", 0};
    PerfEvent event{*type_number, 0, 0, 0, 0, usual_count};
    const Result<std::string> named = kernel_.event_source(fmt::format("{}/events/{}", source, terms));
    for (std::string_view term : split(named ? trim(*named) : terms, ',')) {
        if (Status added = add_term(source, term, event); !added) return added.error();
    }
    return event;
}

// "umask=0x1" or, for 1, "edge"; SOURCE/format/umask says where that goes: "config:8-15".
Status Resolver::add_term(const std::string& source, std::string_view term, PerfEvent& event) {
    const size_t equals = term.find('=');
    const std::string name(trim(term.substr(0, equals)));
    const auto value = equals == term.npos ? std::optional<uint64_t>(1) : any_number(trim(term.substr(equals + 1)));
    if (!value) return Error{fmt::format("{} is no number", quoted(term)), "", 0};
    const Result<std::string> format = kernel_.event_source(fmt::format("{}/format/{}", source, name));
    std::string where = format ? std::string(trim(*format)) : name + ":0-63";
    const size_t colon = where.find(':');
    const std::string_view word = std::string_view(where).substr(0, colon);
    uint64_t* target = word == "config"    ? &event.config
                       : word == "config1" ? &event.config1
                       : word == "config2" ? &event.config2
                                           : nullptr;
    const auto bits = colon == where.npos ? std::nullopt : spread(*value, std::string_view(where).substr(colon + 1));
    if (!target || !bits) return Error{fmt::format("{} has no event and no term {}", source, quoted(name)), "", 0};
    *target |= *bits;
    return Done{};
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
    if (*at % *length != 0) return wrong(1, "the address is no multiple of the length", "watch fewer bytes");
    if (access->access == HW_BREAKPOINT_X && *length != 8) return wrong(2, "what is executed has no length", "write 8");
    if (!options_.one_process && !of_kernel) {
        diags_.error(spec.span, "a watchpoint is on the memory of one process").hint =
            "say which one: -p PID, or -c COMMAND";
        return {};
    }
    place.perf = {PERF_TYPE_BREAKPOINT, 0, *at, *length, access->access, 1};
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

}  // namespace lt
