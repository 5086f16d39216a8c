// Names of events: from perf's tables, of the caches, raw ones, and those that an event source in sysfs describes.
#include "codegen/providers/counter.h"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "base/text.h"
#include "codegen/providers/provider.h"

namespace lt {

std::span<const CounterRow> counters_of(ProbeKind kind) {
    return kind == ProbeKind::software ? software_counters() : hardware_counters();
}

namespace {

// Moves the bits of `value`, lowest first, to the positions "0-7,32-35", and leaves those for which there is none. No
// value if the positions cannot be parsed.
std::optional<uint64_t> spread(uint64_t& value, std::string_view bits) {
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

// TYPE/CONFIG: the kernel's numbers.
std::optional<PerfEvent> numbered_event(std::string_view name) {
    const size_t slash = name.find('/');
    if (slash == name.npos) return {};
    const auto type = any_number(name.substr(0, slash)), config = any_number(name.substr(slash + 1));
    if (!type || !config || *type > UINT32_MAX) return {};
    return PerfEvent{static_cast<uint32_t>(*type), *config, 0, 0, 0, usual_count};
}

// "umask=0x1", or "edge" for 1. SOURCE/format/umask has its position: "config:8-15".
Status add_term(Kernel& kernel, const std::string& source, std::string_view term, PerfEvent& event) {
    const size_t equals = term.find('=');
    const std::string name(trim(term.substr(0, equals)));
    const auto value = equals == term.npos ? std::optional<uint64_t>(1) : any_number(trim(term.substr(equals + 1)));
    if (!value) return Error{fmt::format("{} is not a number", quoted(term)), "", 0};
    const Result<std::string> format = kernel.machine().event_source(fmt::format("{}/format/{}", source, name));
    std::string where = format ? std::string(trim(*format)) : name + ":0-63";
    const size_t colon = where.find(':');
    const std::string_view word = std::string_view(where).substr(0, colon);
    uint64_t* target = word == "config"    ? &event.config
                       : word == "config1" ? &event.config1
                       : word == "config2" ? &event.config2
                                           : nullptr;
    uint64_t left = *value;
    const auto bits = colon == where.npos ? std::nullopt : spread(left, std::string_view(where).substr(colon + 1));
    if (!target || !bits) return Error{fmt::format("{} has no event or term {}", source, quoted(name)), "", 0};
    if (left != 0)
        return Error{fmt::format("{} does not fit: `{}` of {} has the bits {}", quoted(term), name, source, where), "",
                     0};
    *target |= *bits;
    return Done{};
}

// TERMS is the name of an event, or its definition: "event=0x3c,umask=0x1".
Result<PerfEvent> source_event(Kernel& kernel, std::string_view source_name, std::string_view terms) {
    const std::string source(source_name);
    const Result<std::string> type = kernel.machine().event_source(source + "/type");
    const auto type_number = type ? number<uint32_t>(trim(*type)) : std::nullopt;
    if (!type_number) return Error{fmt::format("there is no perf event source {}", quoted(source)), "", 0};
    if (kernel.machine().event_source(source + "/cpumask"))
        return Error{fmt::format("{} counts for the whole machine, and such counts cannot run a program", source), "",
                     0};
    PerfEvent event{*type_number, 0, 0, 0, 0, usual_count};
    const Result<std::string> named = kernel.machine().event_source(fmt::format("{}/events/{}", source, terms));
    for (std::string_view term : split(named ? trim(*named) : terms, ',')) {
        if (Status added = add_term(kernel, source, term, event); !added) return added.error();
    }
    return event;
}

}  // namespace

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
    for (const std::string& known : kernel.machine().source_events()) {
        const size_t at = known.find('/');
        if (known.substr(at + 1) == name) return source_event(kernel, known.substr(0, at), name);
    }
    return none;
}

namespace {

// "1000": once per 1000 events; "99hz": 99 times a second.
bool how_often(const Search& s, const ProbeRow& row, PerfEvent& event) {
    std::string_view text = s.spec.parts[2].text;
    event.by_frequency = text.ends_with("hz");
    if (event.by_frequency) text.remove_suffix(2);
    const auto count = any_number(text);
    if (!count || *count == 0) {
        s.diags.error(s.spec.parts[2].span, "this is not a count").hint =
            fmt::format("write a number above 0, as in `{}:{}:1000`, or `{}:{}:99hz` for runs per second", row.name,
                        s.spec.parts[1].text, row.name, s.spec.parts[1].text);
        return false;
    }
    event.every = *count;
    return true;
}

Places missing_counter(const Search& s, const ProbeRow& row, const Error& error) {
    Diag& d = s.diags.error(s.spec.parts[1].span, error.what);
    std::vector<std::string_view> names;
    for (const CounterRow& c : counters_of(row.kind)) names.push_back(c.name);
    d.hint = did_you_mean(closest(s.spec.parts[1].text, names));
    if (d.hint.empty()) d.hint = fmt::format("`lt -l '{}:*'` lists the events", row.name);
    return {};
}

Places counter(const Search& s, ResolvedPlace place) {
    const ProbeRow& row = probe_row(place.kind);
    if (!offered(s, Feature::perf_event, "perf events")) return {};
    Result<PerfEvent> event = perf_event_named(s.kernel, row.kind, s.spec.parts[1].text);
    if (!event) return missing_counter(s, row, event.error());
    const bool generic = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    if (generic && !offered(s, Feature::hardware_events, "hardware events")) return {};
    if (s.spec.parts.size() == 3 && !s.spec.parts[2].text.empty()) {
        if (!how_often(s, row, *event)) return {};
    }
    place.there = *event;
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

// Hardware events come from the tables and from the machine's event sources.
std::vector<std::string> counter_names(const ListSearch& s) {
    const bool software = s.row.kind == ProbeKind::software;
    std::vector<std::string> names;
    for (const CounterRow& row : counters_of(s.row.kind)) names.emplace_back(row.name);
    if (software || s.as_bpftrace) return names;
    for (const std::string& event : s.kernel.machine().source_events()) names.push_back(event + "/");
    return names;
}

FoundNames list_counters(const ListSearch& s) {
    std::vector<Listed> out = named(matching(counter_names(s), s.part(1)));
    for (Listed& each : out)
        if (s.as_bpftrace) each.text += ":";
    return out;
}

std::vector<std::string> complete_counters(Kernel& kernel, std::string_view) {
    return kernel.machine().source_events();
}

Site at_counter(const ResolvedPlace& place, bool) { return std::get<PerfEvent>(place.there); }

}  // namespace

extern constinit const Provider counter_provider{
    .least = 1,
    .most = 2,
    .open_end = true,
    .find = counter,
    .site = at_counter,
    .list = list_counters,
    .complete = complete_counters,
    .sees = Sees::one,
    .side = Side::either,
    .registers = true,
};

}  // namespace lt
