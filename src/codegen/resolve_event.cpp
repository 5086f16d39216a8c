// Tracepoints, by their records or their own arguments.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "resolver.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

// As probes name it: rt:vmlinux:sys_exit
std::string module_of(const KernelFunction& event) { return event.module.empty() ? "vmlinux" : event.module; }

std::string missing_raw(const ast::ProbeSpec& spec) {
    const std::string& name = spec.parts.back().text;
    return spec.parts.size() > 2 ? fmt::format("module {} has no raw tracepoint {}", spec.parts[1].text, name)
                                 : fmt::format("this kernel has no raw tracepoint {}", name);
}

// So many tracepoints of a pattern are perf events. The kernel takes some 50 ms to detach each of those; more get raw
// tracepoint programs, if they ask for nothing that stands in the record.
constexpr size_t few_events = 8;

}  // namespace

Resolver::Places Resolver::event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    if (!offered(spec, Feature::tracepoint, "tracepoints")) return {};
    const std::string &category = spec.parts[1].text, &name = spec.parts[2].text;
    if (!is_glob(category) && !is_glob(name)) {
        Result<Tracepoint> tp = kernel_.tracepoint(category, name);
        if (!tp) return missing_event(spec, tp.error());
        Places one{at_event(place, std::move(*tp))};
        call_by_number(one.front(), asked, one);
        return one;
    }
    std::vector<std::string> names = kernel_.tracepoints(category, name);
    std::vector<ResolvedPlace> out;
    if (can_serve_system_calls(asked)) {
        take_system_calls(place, syscall_entry, names, out);
        take_system_calls(place, syscall_exit, names, out);
    }
    if ((!names.empty() || out.empty()) && !count_fits(spec, names.size())) return {};
    const bool by_name = names.size() > few_events && !asked.by_fields && !asked.whole;
    const std::vector<std::string> raw = by_name ? raw_events(name) : std::vector<std::string>{};
    for (const std::string& full : names) {
        const auto halves = split(full, ':');
        Result<Tracepoint> tp = kernel_.tracepoint(halves[0], halves[1]);
        if (!tp) continue;
        out.push_back(at_event(place, std::move(*tp)));
        if (std::ranges::binary_search(raw, halves[1])) out.back().rungs = {{Way::raw_tracepoint, "", {}}};
    }
    call_by_number(place, asked, out);
    return out;
}

// Those that match, in order; none where the kernel does not have the kind.
std::vector<std::string> Resolver::raw_events(const std::string& pattern) {
    if (!kernel_.can(Feature::raw_tracepoint).yes) return {};
    std::vector<std::string> names = kernel_.raw_tracepoints(pattern);
    std::ranges::sort(names);
    return names;
}

ResolvedPlace Resolver::at_event(ResolvedPlace place, Tracepoint tp) {
    place.text = fmt::format("{}:{}:{}", probe_row(place.kind).name, tp.category, tp.event);
    place.tracepoint = std::move(tp);
    place.rungs = {{Way::tracepoint, "", {}}};
    return place;
}

Resolver::Places Resolver::missing_event(const ast::ProbeSpec& spec, const Error& error) {
    const std::string &category = spec.parts[1].text, &name = spec.parts[2].text;
    const std::vector<std::string> all = kernel_.tracepoints("*", "*");
    const std::string full = category + ":" + name;
    const bool exists = std::find(all.begin(), all.end(), full) != all.end();
    Diag& d = diags_.error(cover(spec.parts[1].span, spec.parts[2].span),
                           exists || all.empty() ? error.what : fmt::format("this kernel has no tracepoint {}", full));
    d.hint = exists || all.empty() ? error.hint : did_you_mean(closest(full, views(all)));
    if (d.hint.empty() && !exists)
        d.hint = fmt::format("`lt -l 't:*{}*'` lists what there is", name.substr(0, name.find('_')));
    return {};
}

Resolver::Places Resolver::raw_event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    if (!offered(spec, Feature::raw_tracepoint, "raw tracepoints")) return {};
    const std::string& name = spec.parts.back().text;
    std::vector<std::string> names = is_glob(name) ? kernel_.raw_tracepoints(name) : std::vector<std::string>{name};
    if (!count_fits(spec, names.size())) return {};
    if (!is_glob(name) && !kernel_.raw_tracepoint(name)) names = renamed_event(spec);
    const std::string module = spec.parts.size() > 2 ? spec.parts[1].text : "*";
    Places out;
    for (const std::string& each : names) {
        std::optional<KernelFunction> arguments = kernel_.raw_tracepoint(each);
        if (!arguments) continue;
        // the system of events is SystemTap's way to say which
        if (!glob_match(module, module_of(*arguments)) && kernel_.tracepoints(module, each).empty()) continue;
        ResolvedPlace p = place;
        p.text = text_of(probe_row(place.kind), spec.parts, each);
        p.function = std::move(*arguments);
        p.rungs = {{Way::raw_tracepoint, "", {}}};
        out.push_back(std::move(p));
    }
    return out.empty() ? missing_raw_event(spec) : out;
}

// What a tracepoint is called today that this kernel does not have.
std::vector<std::string> Resolver::renamed_event(const ast::ProbeSpec& spec) {
    const std::string& name = spec.parts.back().text;
    for (const Candidate& c : event_successors(name)) {
        if (!kernel_.raw_tracepoint(c.name)) continue;
        Diag& d = diags_.note(spec.parts.back().span,
                              fmt::format("this kernel has no raw tracepoint {}; {} is taken", name, c.name));
        if (!c.remark.empty()) d.notes.push_back({{}, std::string(c.remark)});
        return {c.name};
    }
    return {};
}

Resolver::Places Resolver::missing_raw_event(const ast::ProbeSpec& spec) {
    const std::string& name = spec.parts.back().text;
    const std::vector<std::string> all = kernel_.raw_tracepoints("*");
    Diag& d = diags_.error(spec.parts.back().span, all.empty() ? "the arguments of raw tracepoints are not known here: "
                                                                 "the kernel has no type information (BTF)"
                                                               : missing_raw(spec));
    d.hint = did_you_mean(closest(name, views(all)));
    if (d.hint.empty() && !all.empty()) d.hint = "`lt -l 'rt:*'` lists them all";
    return {};
}

}  // namespace lt
