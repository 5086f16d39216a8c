// System calls. A few calls get the tracepoints at their own entry and exit. Many calls share one program at the entry
// and one at the exit of all calls; if blocks use different arguments, that program tail-calls the program of the call.
// The kernel takes some 50 ms to detach each tracepoint from a perf event, while a program at all calls costs the
// other calls a few dozen nanoseconds.
#include "codegen/providers/system_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arch/arch.h"
#include "base/text.h"
#include "codegen/providers/provider.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr size_t few_system_calls = 8;

// Fields that have the same offset in the records of all calls.
constexpr std::string_view shared_fields[] = {syscall_number, "ret"};

// Calls whose return has no tracepoint: a span of one would stay open.
constexpr std::string_view without_return[] = {"exit", "exit_group", "rt_sigreturn"};

// Are the fields that the item uses also in the record of all calls? That has the number of the call in 8 bytes, then
// six arguments of 8 bytes, or the result.
bool in_all_records(const Search& s, const Tracepoint& event) {
    constexpr uint32_t front = 16, word = 8, arguments = 6;
    const uint32_t end = front + word * (event.event.starts_with(syscall_exit) ? 1 : arguments);
    return std::ranges::all_of(event.fields, [&](const Field& field) {
        const bool is_asked = s.asked.whole || s.asked.fields.contains(field.name);
        return !is_asked || (!in_memory(field.type) && field.offset + field.type.size <= end);
    });
}

// Can the programs read the registers and the task without a helper?
bool knows_types(const Search& s) {
    const auto is_typed = [](const RuledOut& r) { return r.way == Way::typed_tracepoint; };
    return std::ranges::none_of(s.options.ruled_out, is_typed) && s.kernel.can(Feature::btf).yes &&
           s.kernel.can(Feature::task_storage).yes;
}

std::string behind(std::string_view prefix, const std::string& event) {
    const std::string all = fmt::format("{}:{}", syscall_category, prefix);
    return event.starts_with(all) ? event.substr(all.size()) : "";
}

}  // namespace

std::vector<Member> width_of_call(Kernel& kernel) {
    std::vector<Member> path;
    std::optional<Type> owner = kernel.type("struct task_struct");
    for (const std::string_view name : arch::native.narrow_call) {
        if (!owner) return {};
        const std::vector<Member>& all = kernel.members(*owner);
        const auto found = std::ranges::find(all, name, &Member::name);
        if (found == all.end()) return {};
        path.push_back(*found);
        owner = found->type;
    }
    return path;
}

Site tracepoint_site(const Tracepoint& event) { return TracepointSite{event.category, event.event, event.id}; }

bool can_serve_system_calls(const Search& s) {
    const auto is_shared = [](const std::string& field) { return std::ranges::count(shared_fields, field) > 0; };
    return !s.asked.whole && std::ranges::all_of(s.asked.fields, is_shared) &&
           s.kernel.can(Feature::raw_tracepoint).yes;
}

void take_system_calls(const Search& s, const ResolvedPlace& place, std::string_view end,
                       std::vector<std::string>& events, Places& out) {
    const auto is_one = [&](const std::string& event) { return traced_system_call(behind(end, event)).has_value(); };
    if (static_cast<size_t>(std::ranges::count_if(events, is_one)) <= few_system_calls) return;
    ResolvedPlace all = place;
    EventPlace at;
    at.narrow = width_of_call(s.kernel);
    if (at.narrow.empty()) return;
    const ProbeRow& row = probe_row(place.kind);
    for (const std::string& event : events) {
        if (!is_one(event)) continue;
        const std::string name = behind(end, event);
        const std::string full = row.place == Place::system_call ? name : event;
        if (all.members.empty()) {
            Result<Tracepoint> first = s.kernel.tracepoint(syscall_category, fmt::format("{}{}", end, name));
            if (!first) continue;
            at.event = std::move(*first);
        }
        all.members.push_back({fmt::format("{}:{}", row.name, full), name, {}, 0, *traced_system_call(name)});
    }
    all.there = std::move(at);
    all.rungs = {{knows_types(s) ? Way::typed_tracepoint : Way::raw_tracepoint, "", {}}};
    std::erase_if(events, is_one);
    out.push_back(std::move(all));
}

void call_by_number(const Search& s, const ResolvedPlace& pattern, Places& places) {
    const auto number_of = [](const Tracepoint& event) -> std::optional<uint32_t> {
        const std::string full = fmt::format("{}:{}", event.category, event.event);
        const std::string entered = behind(syscall_entry, full);
        return traced_system_call(entered.empty() ? behind(syscall_exit, full) : entered);
    };
    const auto is_one = [&](const ResolvedPlace& p) {
        return p.members.empty() && p.rungs.front().way == Way::tracepoint && number_of(record(p)) &&
               in_all_records(s, record(p));
    };
    if (s.asked.context) return;
    for (ResolvedPlace& p : places)
        if (is_one(p)) std::get<EventPlace>(p.there).by_number = {p.text, *number_of(record(p))};
    const auto can_be = [](const ResolvedPlace& p) { return event_place(p).by_number.has_value(); };
    if (static_cast<size_t>(std::ranges::count_if(places, can_be)) <= few_system_calls) return;
    const Result<Tracepoint> entry = s.kernel.tracepoint(all_calls_category, all_calls_entry);
    const Result<Tracepoint> at_end = s.kernel.tracepoint(all_calls_category, all_calls_exit);
    const std::vector<Member> width = width_of_call(s.kernel);
    if (!entry || !at_end || width.empty()) return;
    for (ResolvedPlace& p : places) {
        auto* const at = std::get_if<EventPlace>(&p.there);
        if (!at || !at->by_number) continue;
        at->by_number->pattern = pattern.text;
        at->by_number->entry = entry->id;
        at->by_number->at_end = at_end->id;
        at->narrow = width;
        p.rungs = {{Way::system_call, "", {}}};
    }
}

void keep_order_of_calls(Typed& typed) {
    const auto is_called = [](const Body& body) { return called_by_number(body.place); };
    const auto first = std::ranges::find_if(typed.bodies, is_called);
    if (first == typed.bodies.end()) return;
    const ResolvedPlace from = first->place;
    std::set<uint32_t> calls;
    for (const Body& body : typed.bodies)
        if (is_called(body)) calls.insert(event_place(body.place).by_number->number);
    for (Body& body : typed.bodies) {
        ResolvedPlace& place = body.place;
        auto* const at = std::get_if<EventPlace>(&place.there);
        if (!at || !at->by_number || is_called(body) || !calls.contains(at->by_number->number)) continue;
        at->by_number->entry = event_place(from).by_number->entry;
        at->by_number->at_end = event_place(from).by_number->at_end;
        at->narrow = event_place(from).narrow;
        place.rungs = from.rungs;
    }
}

namespace {

Places missing_system_call(const Search& s) {
    const std::string& name = s.spec.parts[1].text;
    if (s.kernel.tracepoints("*", "*").empty()) {  // tracefs is not readable
        const Result<Tracepoint> any = s.kernel.tracepoint("raw_syscalls", "sys_enter");
        if (!any) s.diags.error(s.spec.parts[1].span, any.error().what).hint = any.error().hint;
        if (!any) return {};
    }
    std::vector<std::string> all;
    for (const std::string& full : s.kernel.tracepoints(syscall_category, fmt::format("{}*", syscall_entry)))
        all.push_back(behind(syscall_entry, full));
    Diag& d = s.diags.error(s.spec.parts[1].span,
                            all.empty() ? "this kernel has no tracepoints for system calls (CONFIG_FTRACE_SYSCALLS)"
                                        : fmt::format("this kernel has no system call `{}`", name));
    d.hint = did_you_mean(closest(name, views(all)));
    if (d.hint.empty() && !all.empty()) d.hint = "`lt -l 'sc:*'` lists all system calls";
    return {};
}

std::optional<ResolvedPlace> one_system_call(const Search& s, ResolvedPlace place, const std::string& name) {
    Result<Tracepoint> entry = s.kernel.tracepoint(syscall_category, fmt::format("{}{}", syscall_entry, name));
    Result<Tracepoint> exit = s.kernel.tracepoint(syscall_category, fmt::format("{}{}", syscall_exit, name));
    if (!entry || !exit) return {};
    place.text = text_of(s, place.kind, name);
    place.there = EventPlace{.event = std::move(*entry), .exit = std::move(*exit)};
    place.rungs = {{Way::tracepoint, "", {}}};
    return place;
}

Places system_call(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::tracepoint, "tracepoints")) return {};
    const std::string& pattern = s.spec.parts[1].text;
    std::vector<std::string> events =
        s.kernel.tracepoints(syscall_category, fmt::format("{}{}", syscall_entry, pattern));
    if (events.empty()) return missing_system_call(s);
    const bool any_of_many = is_glob(pattern) && s.asked.role == Role::call;
    const auto never_returns = [](const std::string& event) {
        return std::ranges::count(without_return, behind(syscall_entry, event)) > 0;
    };
    if (any_of_many) std::erase_if(events, never_returns);
    Places out;
    if (can_serve_system_calls(s)) take_system_calls(s, place, syscall_entry, events, out);
    for (ResolvedPlace& p : out)
        if (auto exit = s.kernel.tracepoint(syscall_category, fmt::format("{}{}", syscall_exit, p.members[0].function)))
            std::get<EventPlace>(p.there).exit = std::move(*exit);
    if (!events.empty() && !count_fits(s, events.size())) return {};
    for (const std::string& event : events)
        if (auto p = one_system_call(s, place, behind(syscall_entry, event))) out.push_back(*std::move(p));
    call_by_number(s, place, out);
    return out;
}

Site call_site(const ResolvedPlace& place, bool at_return) {
    return tracepoint_site(at_return ? event_place(place).exit : record(place));
}

std::vector<std::string> calls(Kernel& kernel, const std::string& pattern) {
    std::vector<std::string> out;
    for (const std::string& event : kernel.tracepoints(syscall_category, fmt::format("{}{}", syscall_entry, pattern)))
        out.push_back(behind(syscall_entry, event));
    return out;
}

FoundNames list_calls(const ListSearch& s) {
    return events_or_why(s, named(calls(s.kernel, s.part(1))), "system calls");
}

std::vector<Field> fields_of_call(Kernel& kernel, const std::vector<std::string_view>& parts) {
    const auto event = kernel.tracepoint(syscall_category, fmt::format("{}{}", syscall_entry, parts[1]));
    return event ? event->fields : std::vector<Field>{};
}

std::vector<std::string> describe_call(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    return declared_fields(fields_of_call(kernel, {row.name, listed.name}));
}

std::vector<std::string> complete_call(Kernel& kernel, std::string_view typed) {
    return calls(kernel, fmt::format("{}*", typed));
}

}  // namespace

extern constinit const Provider system_call_provider{
    .least = 1,
    .most = 1,
    .find = system_call,
    .site = call_site,
    .list = list_calls,
    .describe = describe_call,
    .complete = complete_call,
    .fields = fields_of_call,
    .sees = Sees::all,
    .looked_up = true,
    .only_lt = true,
    .acts = true,
};

}  // namespace lt
