// System calls, one by one by the tracepoints at their entry and exit, or many by one program where all of them begin
// and where all of them end; where what is asked differs from call to call, that one goes on to the program of the
// call. The kernel takes some 50 ms to detach each tracepoint from a perf event, and a program at all calls costs those
// a few dozen nanoseconds that are not asked for: so few calls get tracepoints.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "resolver.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr size_t few_system_calls = 8;

// In the records of all calls at the same place.
constexpr std::string_view shared_fields[] = {syscall_number, "ret"};

// Calls whose return no tracepoint sees: a span of one would be left open.
constexpr std::string_view without_return[] = {"exit", "exit_group", "rt_sigreturn"};

// Does what is asked for lie in the record of all calls, too? There the number of the call has 8 bytes and is followed
// by six arguments of 8 bytes, or the result.
bool in_all_records(const Tracepoint& event, const Asked& asked) {
    constexpr uint32_t front = 16, word = 8, arguments = 6;
    const uint32_t end = front + word * (event.event.starts_with(syscall_exit) ? 1 : arguments);
    return std::ranges::all_of(event.fields, [&](const Field& field) {
        const bool is_asked = asked.whole || asked.fields.contains(field.name);
        return !is_asked || (!in_memory(field.type) && field.offset + field.type.size <= end);
    });
}

std::string behind(std::string_view prefix, const std::string& event) {
    const std::string all = fmt::format("{}:{}", syscall_category, prefix);
    return event.starts_with(all) ? event.substr(all.size()) : "";
}

}  // namespace

Resolver::Places Resolver::system_call(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    if (!offered(spec, Feature::tracepoint, "tracepoints")) return {};
    const std::string& pattern = spec.parts[1].text;
    std::vector<std::string> events =
        kernel_.tracepoints(syscall_category, fmt::format("{}{}", syscall_entry, pattern));
    if (events.empty()) return missing_system_call(spec);
    const bool any_of_many = is_glob(pattern) && asked.role == Role::call;
    const auto never_returns = [](const std::string& event) {
        return std::ranges::count(without_return, behind(syscall_entry, event)) > 0;
    };
    if (any_of_many) std::erase_if(events, never_returns);
    Places out;
    if (can_serve_system_calls(asked)) take_system_calls(place, syscall_entry, events, out);
    for (ResolvedPlace& p : out)
        if (auto exit = kernel_.tracepoint(syscall_category, fmt::format("{}{}", syscall_exit, p.members[0].function)))
            p.exit = std::move(*exit);
    if (!events.empty() && !count_fits(spec, events.size())) return {};
    for (const std::string& event : events)
        if (auto p = one_system_call(spec, place, behind(syscall_entry, event))) out.push_back(*std::move(p));
    call_by_number(place, asked, out);
    return out;
}

std::optional<ResolvedPlace> Resolver::one_system_call(const ast::ProbeSpec& spec, ResolvedPlace place,
                                                       const std::string& name) {
    Result<Tracepoint> entry = kernel_.tracepoint(syscall_category, fmt::format("{}{}", syscall_entry, name));
    Result<Tracepoint> exit = kernel_.tracepoint(syscall_category, fmt::format("{}{}", syscall_exit, name));
    if (!entry || !exit) return {};
    place.text = text_of(probe_row(place.kind), spec.parts, name);
    place.tracepoint = std::move(*entry);
    place.exit = std::move(*exit);
    place.rungs = {{Way::tracepoint, "", {}}};
    return place;
}

bool Resolver::can_serve_system_calls(const Asked& asked) {
    const auto is_shared = [](const std::string& field) { return std::ranges::count(shared_fields, field) > 0; };
    return !asked.whole && std::ranges::all_of(asked.fields, is_shared) && kernel_.can(Feature::raw_tracepoint).yes;
}

// Empty where the kernel's types do not say.
std::vector<Member> Resolver::width_of_call() {
    std::vector<Member> path;
    std::optional<Type> owner = kernel_.type("struct task_struct");
    for (const std::string_view name : {"thread_info", "status"}) {
        const std::vector<Member> all = owner ? kernel_.members(*owner) : std::vector<Member>{};
        const auto found = std::ranges::find(all, name, &Member::name);
        if (found == all.end()) return {};
        path.push_back(*found);
        owner = found->type;
    }
    return path;
}

// Takes those out of the events that begin so, if they are many, and makes one place of them.
void Resolver::take_system_calls(const ResolvedPlace& place, std::string_view end, std::vector<std::string>& events,
                                 Places& out) {
    const auto is_one = [&](const std::string& event) { return traced_system_call(behind(end, event)).has_value(); };
    if (static_cast<size_t>(std::ranges::count_if(events, is_one)) <= few_system_calls) return;
    ResolvedPlace all = place;
    all.narrow = width_of_call();
    if (all.narrow.empty()) return;
    const ProbeRow& row = probe_row(place.kind);
    for (const std::string& event : events) {
        if (!is_one(event)) continue;
        const std::string name = behind(end, event);
        const std::string full = row.place == Place::system_call ? name : event;
        if (all.members.empty()) {
            Result<Tracepoint> first = kernel_.tracepoint(syscall_category, fmt::format("{}{}", end, name));
            if (!first) continue;
            all.tracepoint = std::move(*first);
        }
        all.members.push_back({fmt::format("{}:{}", row.name, full), name, {}, 0, *traced_system_call(name)});
    }
    all.rungs = {{Way::raw_tracepoint, "", {}}};
    std::erase_if(events, is_one);
    out.push_back(std::move(all));
}

// All that could be called by their numbers are told, and where they are many they are. What their own tracepoints hand
// over lies the same in the records of those of all calls; only what is behind the arguments does not.
void Resolver::call_by_number(const ResolvedPlace& pattern, const Asked& asked, Places& places) {
    const auto number_of = [](const Tracepoint& event) -> std::optional<uint32_t> {
        const std::string full = fmt::format("{}:{}", event.category, event.event);
        const std::string entered = behind(syscall_entry, full);
        return traced_system_call(entered.empty() ? behind(syscall_exit, full) : entered);
    };
    const auto is_one = [&](const ResolvedPlace& p) {
        return p.members.empty() && p.rungs.front().way == Way::tracepoint && number_of(p.tracepoint) &&
               in_all_records(p.tracepoint, asked);
    };
    if (asked.context) return;
    for (ResolvedPlace& p : places)
        if (is_one(p)) p.by_number = {p.text, *number_of(p.tracepoint)};
    const auto can_be = [](const ResolvedPlace& p) { return p.by_number.has_value(); };
    if (static_cast<size_t>(std::ranges::count_if(places, can_be)) <= few_system_calls) return;
    const Result<Tracepoint> entry = kernel_.tracepoint(all_calls_category, all_calls_entry);
    const Result<Tracepoint> at_end = kernel_.tracepoint(all_calls_category, all_calls_exit);
    const std::vector<Member> width = width_of_call();
    if (!entry || !at_end || width.empty()) return;
    for (ResolvedPlace& p : places) {
        if (!p.by_number) continue;
        p.by_number->pattern = pattern.text;
        p.by_number->entry = entry->id;
        p.by_number->at_end = at_end->id;
        p.narrow = width;
        p.rungs = {{Way::system_call, "", {}}};
    }
}

Resolver::Places Resolver::missing_system_call(const ast::ProbeSpec& spec) {
    const std::string& name = spec.parts[1].text;
    if (kernel_.tracepoints("*", "*").empty()) {  // they cannot be read
        const Result<Tracepoint> any = kernel_.tracepoint("raw_syscalls", "sys_enter");
        if (!any) diags_.error(spec.parts[1].span, any.error().what).hint = any.error().hint;
        if (!any) return {};
    }
    std::vector<std::string> all;
    for (const std::string& full : kernel_.tracepoints(syscall_category, fmt::format("{}*", syscall_entry)))
        all.push_back(behind(syscall_entry, full));
    Diag& d = diags_.error(spec.parts[1].span,
                           all.empty() ? "this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)"
                                       : fmt::format("this kernel has no system call {}", name));
    d.hint = did_you_mean(closest(name, views(all)));
    if (d.hint.empty() && !all.empty()) d.hint = "`lt -l 'sc:*'` lists them all";
    return {};
}

// Blocks at one place run in the order in which they are attached, which holds among those of one way: so where some
// are called by number, all at that call are.
void keep_order_of_calls(Typed& typed) {
    const auto is_called = [](const Body& body) { return called_by_number(body.place); };
    const auto first = std::ranges::find_if(typed.bodies, is_called);
    if (first == typed.bodies.end()) return;
    const ResolvedPlace from = first->place;
    std::set<uint32_t> calls;
    for (const Body& body : typed.bodies)
        if (is_called(body)) calls.insert(body.place.by_number->number);
    for (Body& body : typed.bodies) {
        ResolvedPlace& place = body.place;
        if (!place.by_number || is_called(body) || !calls.contains(place.by_number->number)) continue;
        place.by_number->entry = from.by_number->entry;
        place.by_number->at_end = from.by_number->at_end;
        place.narrow = from.narrow;
        place.rungs = from.rungs;
    }
}

}  // namespace lt
