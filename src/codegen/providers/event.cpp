// Tracepoints with their records.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/providers/event_arguments.h"
#include "codegen/providers/provider.h"
#include "codegen/providers/system_call.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

// Up to this many tracepoints of a pattern are perf events. The kernel takes some 50 ms to detach each of those; more
// become raw tracepoint programs, if they use nothing from the record.
constexpr size_t few_events = 8;

// Sorted matches; none if the kernel does not support raw tracepoints.
std::vector<std::string> raw_events(const Search& s, const std::string& pattern) {
    if (!s.kernel.can(Feature::raw_tracepoint).yes) return {};
    std::vector<std::string> names = s.kernel.raw_tracepoints(pattern);
    std::ranges::sort(names);
    return names;
}

ResolvedPlace at_event(ResolvedPlace place, Tracepoint tp) {
    place.text = fmt::format("{}:{}:{}", probe_row(place.kind).name, tp.category, tp.event);
    place.there = EventPlace{.event = std::move(tp)};
    place.rungs = {{Way::tracepoint, "", {}}};
    return place;
}

Places missing_event(const Search& s, const Error& error) {
    const std::string &category = s.spec.parts[1].text, &name = s.spec.parts[2].text;
    const std::vector<std::string> all = s.kernel.tracepoints("*", "*");
    const std::string full = category + ":" + name;
    const bool exists = std::find(all.begin(), all.end(), full) != all.end();
    Diag& d =
        s.diags.error(cover(s.spec.parts[1].span, s.spec.parts[2].span),
                      exists || all.empty() ? error.what : fmt::format("this kernel has no tracepoint `{}`", full));
    d.hint = exists || all.empty() ? error.hint : did_you_mean(closest(full, views(all)));
    if (d.hint.empty() && !exists)
        d.hint = fmt::format("`lt -l 't:*{}*'` lists the tracepoints", name.substr(0, name.find('_')));
    return {};
}

// The tracepoint under its new name.
std::optional<Tracepoint> event_today(const Search& s) {
    const std::string &category = s.spec.parts[1].text, &name = s.spec.parts[2].text;
    for (const Candidate& c : event_successors(name)) {
        Result<Tracepoint> found = s.kernel.tracepoint(category, c.name);
        if (!found) continue;
        Diag& d = s.diags.note(s.spec.parts[2].span,
                               fmt::format("this kernel has no tracepoint `{}`; lt uses `{}`", name, c.name));
        if (!c.remark.empty()) d.notes.push_back({{}, std::string(c.remark)});
        return *std::move(found);
    }
    return {};
}

// A kprobe or uprobe that somebody has defined as an event. The kernel runs BPF programs there before it makes the
// record, and only programs for kprobes.
bool is_defined_probe(const Tracepoint& tp) {
    return std::ranges::any_of(
        tp.fields, [](const Field& field) { return field.name == "__probe_ip" || field.name == "__probe_func"; });
}

Places defined_probe(const Search& s, std::string_view full) {
    Diag& d = s.diags.error(
        cover(s.spec.parts[1].span, s.spec.parts[2].span),
        fmt::format("`{}` is not a tracepoint: it is a kprobe or uprobe that was defined as an event (`perf probe`)",
                    full));
    d.hint = "trace the function itself: `k:FUNCTION` or `u:FILE:FUNCTION`";
    return {};
}

Places event(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::tracepoint, "tracepoints")) return {};
    const std::string &category = s.spec.parts[1].text, &name = s.spec.parts[2].text;
    if (!is_glob(category) && !is_glob(name)) {
        Result<Tracepoint> tp = s.kernel.tracepoint(category, name);
        std::optional<Tracepoint> now = tp ? std::optional(std::move(*tp)) : event_today(s);
        if (!now) return missing_event(s, tp.error());
        if (is_defined_probe(*now)) return defined_probe(s, category + ":" + name);
        Places one{at_event(place, *std::move(now))};
        read_arguments(s, one.front());
        call_by_number(s, one.front(), one);
        return one;
    }
    std::vector<std::string> names = s.kernel.tracepoints(category, name);
    std::vector<ResolvedPlace> out;
    if (can_serve_system_calls(s)) {
        take_system_calls(s, place, syscall_entry, names, out);
        take_system_calls(s, place, syscall_exit, names, out);
    }
    if ((!names.empty() || out.empty()) && !count_fits(s, names.size())) return {};
    const bool by_name = names.size() > few_events && !s.asked.by_fields && !s.asked.whole;
    const std::vector<std::string> raw = by_name ? raw_events(s, name) : std::vector<std::string>{};
    std::string_view defined;
    for (const std::string& full : names) {
        const auto halves = split(full, ':');
        Result<Tracepoint> tp = s.kernel.tracepoint(halves[0], halves[1]);
        if (!tp) continue;
        if (is_defined_probe(*tp)) {
            defined = full;  // of `names`
            continue;
        }
        out.push_back(at_event(place, std::move(*tp)));
        if (std::ranges::binary_search(raw, halves[1])) out.back().rungs = {{Way::raw_tracepoint, "", {}}};
    }
    if (out.empty() && !defined.empty()) return defined_probe(s, defined);
    call_by_number(s, place, out);
    return out;
}

Site event_site(const ResolvedPlace& place, bool) {
    const Way way = place.rungs.front().way;
    const bool is_raw = way == Way::raw_tracepoint || way == Way::typed_tracepoint;
    return is_raw ? Site(RawTracepointSite{record(place).event}) : tracepoint_site(record(place));
}

FoundNames list_events(const ListSearch& s) {
    return events_or_why(s, named(s.kernel.tracepoints(s.part(1), s.part(2))), "tracepoints");
}

std::vector<std::string> describe_event(Kernel& kernel, const ProbeRow&, const Listed& listed) {
    const size_t colon = listed.name.find(':');
    const auto event = kernel.tracepoint(listed.name.substr(0, colon), listed.name.substr(colon + 1));
    return event ? declared_fields(event->fields) : std::vector<std::string>{};
}

std::vector<std::string> complete_event(Kernel& kernel, std::string_view typed) {
    const size_t colon = typed.find(':');
    if (colon != typed.npos)
        return kernel.tracepoints(typed.substr(0, colon), fmt::format("{}*", typed.substr(colon + 1)));
    std::vector<std::string> categories;
    for (const std::string& event : kernel.tracepoints(fmt::format("{}*", typed), "*")) {
        std::string category = event.substr(0, event.find(':') + 1);
        if (categories.empty() || categories.back() != category) categories.push_back(std::move(category));
    }
    return categories;
}

std::vector<Field> fields_of_event(Kernel& kernel, const std::vector<std::string_view>& parts) {
    if (parts.size() != 3) return {};
    const auto event = kernel.tracepoint(parts[1], parts[2]);
    return event ? event->fields : std::vector<Field>{};
}

}  // namespace

extern constinit const Provider event_provider{
    .least = 2,
    .most = 2,
    .find = event,
    .site = event_site,
    .list = list_events,
    .describe = describe_event,
    .complete = complete_event,
    .fields = fields_of_event,
    .sees = Sees::all,
    .looked_up = true,
};

}  // namespace lt
