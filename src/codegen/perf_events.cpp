// Names of events: those of perf's tables, of the caches, raw ones, and those that a source of events in sysfs
// describes.
#include "perf_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "base/text.h"
#include "resolver.h"

namespace lt {

std::span<const CounterRow> counters_of(ProbeKind kind) {
    return kind == ProbeKind::software ? software_counters() : hardware_counters();
}

namespace {

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

constexpr uint64_t usual_count = 1000000;

// TYPE/CONFIG: the numbers that the kernel has for it.
std::optional<PerfEvent> numbered_event(std::string_view name) {
    const size_t slash = name.find('/');
    if (slash == name.npos) return {};
    const auto type = any_number(name.substr(0, slash)), config = any_number(name.substr(slash + 1));
    if (!type || !config || *type > UINT32_MAX) return {};
    return PerfEvent{static_cast<uint32_t>(*type), *config, 0, 0, 0, usual_count};
}

// "umask=0x1" or, for 1, "edge"; SOURCE/format/umask says where that goes: "config:8-15".
Status add_term(Kernel& kernel, const std::string& source, std::string_view term, PerfEvent& event) {
    const size_t equals = term.find('=');
    const std::string name(trim(term.substr(0, equals)));
    const auto value = equals == term.npos ? std::optional<uint64_t>(1) : any_number(trim(term.substr(equals + 1)));
    if (!value) return Error{fmt::format("{} is no number", quoted(term)), "", 0};
    const Result<std::string> format = kernel.event_source(fmt::format("{}/format/{}", source, name));
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

// TERMS are an event's name or what such a name stands for: "event=0x3c,umask=0x1".
Result<PerfEvent> source_event(Kernel& kernel, std::string_view source_name, std::string_view terms) {
    const std::string source(source_name);
    const Result<std::string> type = kernel.event_source(source + "/type");
    const auto type_number = type ? number<uint32_t>(trim(*type)) : std::nullopt;
    if (!type_number) return Error{fmt::format("there is no source of perf events {}", quoted(source)), "", 0};
    if (kernel.event_source(source + "/cpumask"))
        return Error{
            fmt::format("{} counts for the whole machine, and no program can be run by what it counts", source), "", 0};
    PerfEvent event{*type_number, 0, 0, 0, 0, usual_count};
    const Result<std::string> named = kernel.event_source(fmt::format("{}/events/{}", source, terms));
    for (std::string_view term : split(named ? trim(*named) : terms, ',')) {
        if (Status added = add_term(kernel, source, term, event); !added) return added.error();
    }
    return event;
}

}  // namespace

// The first that knows the name: the tables, caches, rHEX, TYPE/CONFIG, SOURCE/TERMS/, and EVENT of any source.
Result<PerfEvent> perf_event_named(Kernel& kernel, ProbeKind kind, const std::string& name) {
    for (const CounterRow& c : counters_of(kind)) {
        if (name == c.name || (!c.alias.empty() && name == c.alias))
            return PerfEvent{c.type, c.config, 0, 0, 0, c.every};
    }
    const Error none{fmt::format("there is no {} event {}", probe_row(kind).name, quoted(name)), "", 0};
    if (kind != ProbeKind::hardware) return none;
    if (const auto cache = cache_counter(name)) return PerfEvent{PERF_TYPE_HW_CACHE, *cache, 0, 0, 0, usual_count};
    if (name.starts_with('r'))
        if (const auto raw = number<uint64_t>(std::string_view(name).substr(1), 16))
            return PerfEvent{PERF_TYPE_RAW, *raw, 0, 0, 0, usual_count};
    if (const auto numbered = numbered_event(name)) return *numbered;
    const size_t slash = name.find('/');
    if (slash != name.npos && name.ends_with('/') && slash + 1 < name.size())
        return source_event(kernel, name.substr(0, slash),
                            std::string_view(name).substr(slash + 1, name.size() - slash - 2));
    for (const std::string& known : kernel.source_events()) {
        const size_t at = known.find('/');
        if (known.substr(at + 1) == name) return source_event(kernel, known.substr(0, at), name);
    }
    return none;
}

}  // namespace lt
