// Raw tracepoints, with the arguments that the kernel passes to them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/providers/provider.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

std::string missing_raw(const Search& s) {
    const std::string& name = s.last().text;
    return s.spec.parts.size() > 2 ? fmt::format("module {} has no raw tracepoint `{}`", s.spec.parts[1].text, name)
                                   : fmt::format("this kernel has no raw tracepoint `{}`", name);
}

Places missing_raw_event(const Search& s) {
    const std::string& name = s.last().text;
    const std::vector<std::string> all = s.kernel.raw_tracepoints("*");
    Diag& d = s.diags.error(s.last().span, all.empty() ? "the arguments of raw tracepoints are not known here: "
                                                         "the kernel has no type information (BTF)"
                                                       : missing_raw(s));
    const bool elsewhere = s.spec.parts.size() > 2 && s.kernel.raw_tracepoint(name);
    d.hint = elsewhere ? in_another_module(name) : did_you_mean(closest(name, views(all)));
    if (d.hint.empty() && !all.empty()) d.hint = "`lt -l 'rt:*'` lists all raw tracepoints";
    return {};
}

// The tracepoint's name in this kernel, if it was renamed.
std::vector<std::string> renamed_event(const Search& s) {
    const std::string& name = s.last().text;
    for (const Candidate& c : event_successors(name)) {
        if (!s.kernel.raw_tracepoint(c.name)) continue;
        Diag& d = s.diags.note(s.last().span,
                               fmt::format("this kernel has no raw tracepoint `{}`; lt uses `{}`", name, c.name));
        if (!c.remark.empty()) d.notes.push_back({{}, std::string(c.remark)});
        return {c.name};
    }
    return {};
}

Places raw_event(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::raw_tracepoint, "raw tracepoints")) return {};
    const std::string& name = s.last().text;
    std::vector<std::string> names = is_glob(name) ? s.kernel.raw_tracepoints(name) : std::vector<std::string>{name};
    if (!count_fits(s, names.size())) return {};
    if (!is_glob(name) && !s.kernel.raw_tracepoint(name)) names = renamed_event(s);
    const std::string module = s.spec.parts.size() > 2 ? s.spec.parts[1].text : "*";
    Places out;
    for (const std::string& each : names) {
        std::optional<KernelFunction> arguments = s.kernel.raw_tracepoint(each);
        if (!arguments) continue;
        // SystemTap selects by the events' category
        if (!glob_match(module, module_of(*arguments)) && s.kernel.tracepoints(module, each).empty()) continue;
        ResolvedPlace p = place;
        p.text = text_of(s, place.kind, each);
        p.there = RawEventPlace{std::move(*arguments)};
        p.rungs = {{Way::raw_tracepoint, "", {}}};
        out.push_back(std::move(p));
    }
    return out.empty() ? missing_raw_event(s) : out;
}

Site at_raw_event(const ResolvedPlace& place, bool) { return RawTracepointSite{kernel_function(place).name}; }

// Lists MODULE and EVENT.
FoundNames list_raw_events(const ListSearch& s) {
    std::vector<Listed> out;
    for (const std::string& name : s.kernel.raw_tracepoints(s.last())) {
        const bool names_module = s.parts.size() > 2;
        const auto event = names_module || s.as_bpftrace ? s.kernel.raw_tracepoint(name) : std::nullopt;
        const std::string module = event ? module_of(*event) : "vmlinux";
        if (names_module && (!event || !glob_match(s.parts[1], module))) continue;
        out.push_back({s.as_bpftrace ? fmt::format("{}:{}", module, name) : name, name});
    }
    return types_or_why(s, std::move(out), "raw tracepoints");
}

std::vector<std::string> describe_raw_event(Kernel& kernel, const ProbeRow&, const Listed& listed) {
    const auto event = kernel.raw_tracepoint(listed.name);
    return event ? declared_fields(event->parameters) : std::vector<std::string>{};
}

std::vector<std::string> complete_raw_event(Kernel& kernel, std::string_view typed) {
    return kernel.raw_tracepoints(fmt::format("{}*", typed));
}

std::vector<Field> fields_of_raw_event(Kernel& kernel, const std::vector<std::string_view>& parts) {
    const auto event = kernel.raw_tracepoint(parts[1]);
    return event ? event->parameters : std::vector<Field>{};
}

}  // namespace

extern constinit const Provider raw_event_provider{
    .least = 1,
    .most = 2,
    .find = raw_event,
    .site = at_raw_event,
    .list = list_raw_events,
    .describe = describe_raw_event,
    .complete = complete_raw_event,
    .fields = fields_of_raw_event,
    .sees = Sees::all,
    .looked_up = true,
};

}  // namespace lt
