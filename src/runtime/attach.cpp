// The ways to attach, one function each, and the steps that they share.
#include "attach.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <thread>
#include <utility>

#include "breakpoint.h"
#include "multi_link.h"
#include "perf.h"

namespace lt {

namespace {

using Opened = Result<std::vector<Hook>>;

Opened one_hook(Result<Descriptor> event, Way way, int program) {
    if (!event) return event.error();
    std::vector<Hook> hooks(1);
    hooks[0].program = program;
    hooks[0].way = way;
    hooks[0].event = *std::move(event);
    return hooks;
}

Opened open_nothing(const Attachment&, int) { return std::vector<Hook>{}; }

Opened open_tracepoint(const Attachment& a, int program) {
    return one_hook(open_tracepoint_event(a.number), Way::tracepoint, program);
}

Opened open_raw_tracepoint(const Attachment& a, int program) {
    auto hooks = one_hook(Descriptor(), Way::raw_tracepoint, program);
    hooks->front().raw_event = a.event;
    return hooks;
}

Opened open_trampoline(const Attachment&, int program) { return one_hook(Descriptor(), Way::fentry, program); }

Opened open_kprobe(const Attachment& a, int program) {
    return one_hook(open_kprobe_event(a.function, a.at_return), Way::kprobe, program);
}

Opened open_uprobe(const Attachment& a, int program) {
    return one_hook(open_uprobe_event(a.function, a.number, a.at_return), Way::uprobe, program);
}

// Indexed by Way; what is linked to many places has no events, breakpoints need what the attacher knows of the kernel's
// symbols.
using Open = Opened (*)(const Attachment&, int program);
constexpr std::array<std::pair<Way, Open>, 12> ways{{
    {Way::run, open_nothing},
    {Way::tracepoint, open_tracepoint},
    {Way::raw_tracepoint, open_raw_tracepoint},
    {Way::fentry, open_trampoline},
    {Way::kprobe_session, nullptr},
    {Way::kprobe_multi, nullptr},
    {Way::kprobe, open_kprobe},
    {Way::uprobe_session, nullptr},
    {Way::uprobe_multi, nullptr},
    {Way::uprobe, open_uprobe},
    {Way::walk, open_nothing},
    {Way::breakpoint, nullptr},
}};
static_assert([] {
    for (size_t i = 0; i < ways.size(); i++)
        if (ways[i].first != static_cast<Way>(i)) return false;
    return true;
}());

std::string trampoline_cause(int code) {
    switch (code) {
        case EBUSY:
        case EINVAL:
        case EOPNOTSUPP:
        case 524:
            return "fentry: the function is compiled without ftrace (notrace)";
        case EPERM:
        case EACCES:
            return "fentry: the kernel does not permit it";
    }
    return system_error("fentry", code).what;
}

// The programs of tracepoints and probes run whether or not the event that brought them is enabled.
bool stops_when_disabled(Way way) { return way == Way::breakpoint; }

void close_every(std::vector<Descriptor>& descriptors, size_t first, size_t step) {
    for (size_t i = first; i < descriptors.size(); i += step) descriptors[i].reset();
}

// So many places that are refused before one is taken make clear that it is not the places.
constexpr size_t most_skipped = 100;

bool is_skipped(const std::vector<Skipped>& skipped, uint64_t cookie) {
    return std::ranges::any_of(skipped, [&](const Skipped& s) { return s.cookie == cookie; });
}

// The kernel takes all places of a link or none, and does not say which is at fault.
Status link_halves(Hook& hook, std::span<const Attachment> places, std::vector<Skipped>& skipped) {
    auto link = link_many(hook.way, hook.program, places);
    if (link) {
        hook.links.push_back(*std::move(link));
        return Done{};
    }
    if (places.size() == 1) {
        skipped.push_back({places.front().cookie, link.error().what});
        const bool hopeless = hook.links.empty() && skipped.size() > most_skipped;
        return hopeless ? Status(link.error()) : Status(Done{});
    }
    const size_t half = places.size() / 2;
    if (auto linked = link_halves(hook, places.first(half), skipped); !linked) return linked;
    return link_halves(hook, places.subspan(half), skipped);
}

Status link_places(Hook& hook, std::vector<Skipped>& skipped) {
    std::erase_if(hook.places, [&](const Attachment& a) { return is_skipped(skipped, a.cookie); });
    if (!hook.places.empty())
        if (auto linked = link_halves(hook, hook.places, skipped); !linked) return linked;
    if (hook.links.empty() && !skipped.empty()) return Error{skipped.front().why, "", 0};
    return Done{};
}

// A trampoline's program knows its place; a raw tracepoint is named.
Result<Descriptor> link_by_name(const Hook& hook) {
    int link = bpf_raw_tracepoint_open(hook.raw_event.empty() ? nullptr : hook.raw_event.c_str(), hook.program);
    if (link >= 0) return Descriptor(link);
    if (hook.raw_event.empty()) return Error{trampoline_cause(-link), "", -link};
    return system_error("raw tracepoint " + hook.raw_event, -link);
}

Status link_one(Hook& hook) {
    auto link = hook.event ? link_program(hook.event.get(), hook.program, hook.cookie) : link_by_name(hook);
    if (!link) return link.error();
    hook.on_event = !*link;
    if (*link) hook.links.push_back(*std::move(link));
    return Done{};
}

}  // namespace

Result<std::vector<Hook>> Attacher::open(const Rung& rung, std::vector<Skipped>& skipped) {
    std::vector<Hook> hooks;
    const std::span all(rung.attachments);
    for (bool returns : {true, false})
        for (size_t first = 0, count = 0; first < all.size(); first += count) {
            const auto same = [&](const Attachment& a) { return a.program == all[first].program; };
            const auto rest = all.subspan(first);
            count = static_cast<size_t>(std::ranges::find_if_not(rest, same) - rest.begin());
            if (all[first].at_return != returns) continue;
            auto opened = open_some(rung.way, rest.first(count), skipped);
            if (!opened) return opened;
            std::move(opened->begin(), opened->end(), std::back_inserter(hooks));
        }
    return hooks;
}

// Attachments of one program.
Attacher::Opened Attacher::open_some(Way way, std::span<const Attachment> attachments, std::vector<Skipped>& skipped) {
    if (way_row(way).many) return open_many(way, attachments);
    std::vector<Hook> hooks;
    for (const Attachment& attachment : attachments) {
        if (is_skipped(skipped, attachment.cookie)) continue;
        auto opened = open_one(way, attachment);
        if (!opened && attachments.size() == 1) return opened;
        if (!opened) {
            skipped.push_back({attachment.cookie, opened.error().what});
            if (skipped.size() > most_skipped && hooks.empty()) return opened;
            continue;
        }
        for (Hook& hook : *opened) hook.cookie = attachment.cookie;
        std::move(opened->begin(), opened->end(), std::back_inserter(hooks));
    }
    if (hooks.empty() && !skipped.empty()) return Error{skipped.front().why, "", 0};
    return hooks;
}

Attacher::Opened Attacher::open_many(Way way, std::span<const Attachment> attachments) {
    auto hooks = one_hook(Descriptor(), way, object_.program(attachments.front().program));
    hooks->front().places.assign(attachments.begin(), attachments.end());
    return hooks;
}

Attacher::Opened Attacher::open_one(Way way, const Attachment& attachment) {
    int program = object_.program(attachment.program);
    if (program < 0) return Error{fmt::format("program {} is not loaded", attachment.program), ""};
    Open opener = ways[static_cast<size_t>(way)].second;
    return opener ? opener(attachment, program) : open_breakpoints(attachment, program);
}

Attacher::Opened Attacher::open_breakpoints(const Attachment& attachment, int program) {
    std::string what = "breakpoints on " + attachment.function;
    const Result<CodeSymbols>& known = symbols();
    if (!known) return known.error_in(what);
    auto addresses = breakpoint_addresses(*known, attachment.function, attachment.at_return);
    if (!addresses) return addresses.error_in(what);
    auto cpus = online_cpus();
    if (!cpus) return cpus.error_in(what);
    std::vector<Hook> hooks;
    for (uint64_t address : *addresses)
        for (int cpu : *cpus) {
            auto event = open_kernel_breakpoint(address, cpu);
            if (!event) return event.error_in(what);
            hooks.push_back({program, Way::breakpoint, Descriptor(*event)});
        }
    return hooks;
}

const Result<CodeSymbols>& Attacher::symbols() {
    if (symbols_) return *symbols_;
    std::vector<std::string> functions;
    for (const PlannedProbe& probe : plan_.probes)
        for (const Rung& rung : probe.rungs)
            if (rung.way == Way::breakpoint)
                for (const Attachment& a : rung.attachments) functions.push_back(a.function);
    return symbols_.emplace(read_code_symbols(functions));
}

Status link_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped) {
    for (Hook& hook : hooks) {
        if (auto linked = hook.places.empty() ? link_one(hook) : link_places(hook, skipped); !linked) return linked;
    }
    return Done{};
}

Status enable_hooks(const std::vector<Hook>& hooks) {
    for (const Hook& hook : hooks)
        if (hook.event)
            if (auto enabled = enable_event(hook.event.get()); !enabled) return enabled;
    return Done{};
}

void stop_hooks(std::span<Hook* const> hooks) {
    for (Hook* hook : hooks)
        if (hook->event) disable_event(hook->event.get());
    std::vector<Descriptor> holders;
    for (Hook* hook : hooks) {
        if (stops_when_disabled(hook->way)) continue;
        std::ranges::move(hook->links, std::back_inserter(holders));
        if (hook->on_event) holders.push_back(std::move(hook->event));
        hook->links.clear();
    }
    close_all(std::move(holders));
}

void close_all(std::vector<Descriptor> descriptors) {
    constexpr size_t most_threads = 32;
    size_t count = std::min(descriptors.size(), most_threads);
    std::vector<std::jthread> threads;  // joined when they go
    for (size_t first = 1; first < count; first++)
        threads.emplace_back([&descriptors, first, count] { close_every(descriptors, first, count); });
    close_every(descriptors, 0, count);
}

}  // namespace lt
