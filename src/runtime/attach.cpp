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
#include "perf.h"

namespace lt {

namespace {

using Opened = Result<std::vector<Hook>>;

Opened one_hook(Result<Descriptor> event, Way way, int program) {
    if (!event) return event.error();
    std::vector<Hook> hooks(1);
    hooks[0] = {program, way, *std::move(event), Descriptor(), "", false};
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

// Indexed by Way; breakpoints need what the attacher knows of the kernel's symbols.
using Open = Opened (*)(const Attachment&, int program);
constexpr std::array<std::pair<Way, Open>, 8> ways{{
    {Way::run, open_nothing},
    {Way::tracepoint, open_tracepoint},
    {Way::raw_tracepoint, open_raw_tracepoint},
    {Way::fentry, open_trampoline},
    {Way::kprobe, open_kprobe},
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

// A trampoline's program knows its place; a raw tracepoint is named.
Result<Descriptor> link_by_name(const Hook& hook) {
    int link = bpf_raw_tracepoint_open(hook.raw_event.empty() ? nullptr : hook.raw_event.c_str(), hook.program);
    if (link >= 0) return Descriptor(link);
    if (hook.raw_event.empty()) return Error{trampoline_cause(-link), "", -link};
    return system_error("raw tracepoint " + hook.raw_event, -link);
}

}  // namespace

Result<std::vector<Hook>> Attacher::open(const Rung& rung) {
    std::vector<Hook> hooks;
    for (bool returns : {true, false})
        for (const Attachment& attachment : rung.attachments) {
            if (attachment.at_return != returns) continue;
            auto opened = open_one(rung.way, attachment);
            if (!opened) return opened;
            std::move(opened->begin(), opened->end(), std::back_inserter(hooks));
        }
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
            hooks.push_back({program, Way::breakpoint, Descriptor(*event), Descriptor(), "", false});
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

Status link_hooks(std::vector<Hook>& hooks) {
    for (Hook& hook : hooks) {
        auto link = hook.event ? link_program(hook.event.get(), hook.program) : link_by_name(hook);
        if (!link) return link.error();
        hook.link = *std::move(link);
        hook.on_event = !hook.link;
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
    for (Hook* hook : hooks)
        if (!stops_when_disabled(hook->way)) holders.push_back(std::move(hook->on_event ? hook->event : hook->link));
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
