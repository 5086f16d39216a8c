// The ways to attach, one function each, and the steps that they share.
#include "attach.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "breakpoint.h"
#include "multi_link.h"
#include "naming.h"
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

Result<std::vector<int>> threads_of(int process) {
    const std::string path = fmt::format("/proc/{}/task", process);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
    if (!folder) return Error{fmt::format("there is no process {}", process), "", ESRCH};
    std::vector<int> threads;
    while (const dirent* entry = ::readdir(folder.get()))
        if (const int thread = std::atoi(entry->d_name); thread > 0) threads.push_back(thread);
    return threads;
}

std::string trampoline_cause(int code) {
    switch (code) {
        case EBUSY:
        case EINVAL:
        case EOPNOTSUPP:
        case 524:
            return "the function is compiled without ftrace (notrace)";
        case EPERM:
        case EACCES:
            return "the kernel does not permit it";
    }
    return system_error("fentry", code).what;
}

// The programs of tracepoints and probes run whether or not the event that brought them is enabled.
bool stops_when_disabled(Way way) { return way == Way::breakpoint || way == Way::perf_event; }

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
    auto link = link_many(hook.way, hook.program, places, hook.process);
    if (link) {
        hook.links.push_back(*std::move(link));
        return Done{};
    }
    if (places.size() == 1) {
        const Attachment& place = places.front();
        const std::string& name = way_row(hook.way).user ? place.event : place.function;
        skipped.push_back({place.cookie, fmt::format("{}: {}", name, link.error().what)});
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

Result<Descriptor> link_iterator(Hook& hook) {
    bpf_iter_link_info info{};
    const bool cgroups = hook.raw_event == "cgroup";  // from the root on
    if (cgroups) info.cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE;
    if (hook.process != 0) info.task.pid = static_cast<uint32_t>(hook.process);
    const bool asks = cgroups || hook.process != 0;
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.iter_info = asks ? &info : nullptr;
    options.iter_info_len = asks ? sizeof info : 0;
    int link = bpf_link_create(hook.program, 0, BPF_TRACE_ITER, &options);
    if (link < 0) return system_error("cannot make the iterator", -link);
    Descriptor made(link);
    if (auto pinned = hook.pin.make(made.get()); !pinned) return pinned.error();
    return made;
}

// At the root of all control groups, beside what others have attached there.
Result<Descriptor> link_sockets(const Hook& hook) {
    const std::string root = cgroup_mount();
    if (root.empty())
        return Error{"no file system of cgroups (version 2) is mounted", "mount -t cgroup2 none /sys/fs/cgroup", 0};
    const Descriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) return system_error(root, errno);
    int link = bpf_link_create(hook.program, folder.get(), BPF_CGROUP_SOCK_OPS, nullptr);
    if (link < 0) return system_error("cannot attach to " + root, -link);
    return Descriptor(link);
}

Result<Descriptor> link_without_event(Hook& hook) {
    if (hook.way == Way::sockets) return link_sockets(hook);
    return hook.way == Way::iterator ? link_iterator(hook) : link_by_name(hook);
}

Status link_one(Hook& hook) {
    auto link = hook.event ? link_program(hook.event.get(), hook.program, hook.cookie) : link_without_event(hook);
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
    if (way_row(way).user)
        for (const Attachment& attachment : attachments) files_.map(attachment.function);
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

// One hook, and for places in several files one each: a link is to one of them.
Attacher::Opened Attacher::open_many(Way way, std::span<const Attachment> attachments) {
    std::vector<Hook> hooks;
    while (!attachments.empty()) {
        const std::string& file = attachments.front().function;
        const auto other = std::ranges::find_if(
            attachments, [&](const Attachment& a) { return way_row(way).user && a.function != file; });
        const std::span<const Attachment> places(attachments.begin(), other);
        auto one = one_hook(Descriptor(), way, object_.program(places.front().program));
        one->front().places.assign(places.begin(), places.end());
        if (target_.bound) one->front().process = target_.process;
        hooks.push_back(std::move(one->front()));
        attachments = attachments.subspan(places.size());
    }
    return hooks;
}

// Indexed by Way; what is linked to many places has no events of its own.
const Attacher::Open* Attacher::openers() {
    static constexpr std::array<Open, 17> rows{
        Open{Way::run, &Attacher::open_nothing},
        Open{Way::tracepoint, &Attacher::open_tracepoint},
        Open{Way::raw_tracepoint, &Attacher::open_raw_tracepoint},
        Open{Way::fentry, &Attacher::open_trampoline},
        Open{Way::kprobe_session, nullptr},
        Open{Way::kprobe_multi, nullptr},
        Open{Way::kprobe, &Attacher::open_kprobe},
        Open{Way::uprobe_session, nullptr},
        Open{Way::uprobe_multi, nullptr},
        Open{Way::uprobe, &Attacher::open_uprobe},
        Open{Way::walk, &Attacher::open_nothing},
        Open{Way::iterator, &Attacher::open_iterator},
        Open{Way::perf_event, &Attacher::open_counting},
        Open{Way::host, &Attacher::open_nothing},
        Open{Way::breakpoint, &Attacher::open_breakpoints},
        Open{Way::sockets, &Attacher::open_sockets},
        Open{Way::system_call, &Attacher::open_system_call},
    };
    static_assert([] {
        for (size_t i = 0; i < rows.size(); i++)
            if (static_cast<size_t>(rows[i].way) != i) return false;
        return true;
    }());
    return rows.data();
}

Attacher::Opened Attacher::open_nothing(const Attachment&, int) { return std::vector<Hook>{}; }

Attacher::Opened Attacher::open_tracepoint(const Attachment& a, int program) {
    return one_hook(open_tracepoint_event(a.number), Way::tracepoint, program);
}

Attacher::Opened Attacher::open_raw_tracepoint(const Attachment& a, int program) {
    auto hooks = one_hook(Descriptor(), Way::raw_tracepoint, program);
    hooks->front().raw_event = a.event;
    return hooks;
}

Attacher::Opened Attacher::open_trampoline(const Attachment&, int program) {
    return one_hook(Descriptor(), Way::fentry, program);
}

Attacher::Opened Attacher::open_kprobe(const Attachment& a, int program) {
    return one_hook(open_kprobe_event(a.function, a.number, a.at_return), Way::kprobe, program);
}

Attacher::Opened Attacher::open_iterator(const Attachment& a, int program) {
    auto hooks = one_hook(Descriptor(), Way::iterator, program);
    hooks->front().raw_event = a.event;
    hooks->front().pin = Pin(a.function);
    const bool tasks = std::string_view(a.event).starts_with("task");
    hooks->front().process = target_.bound && tasks ? target_.process : 0;
    return hooks;
}

Attacher::Opened Attacher::open_uprobe(const Attachment& a, int program) {
    const int process = target_.bound ? target_.process : 0;
    return one_hook(open_uprobe_event({a.function, a.number, a.at_return, a.semaphore, process}), Way::uprobe, program);
}

Attacher::Opened Attacher::open_sockets(const Attachment&, int program) {
    return one_hook(Descriptor(), Way::sockets, program);
}

// The one that calls the others is attached as a tracepoint's is. Those only lie in its table: none is called before it
// is linked, nor after its link has gone.
Attacher::Opened Attacher::open_system_call(const Attachment& a, int program) {
    if (a.table.empty()) return one_hook(open_tracepoint_event(a.number), Way::system_call, program);
    const int table = object_.programs(a.table);
    const auto cell = static_cast<uint32_t>(a.number);
    const int code = table < 0 ? table : bpf_map_update_elem(table, &cell, &program, BPF_ANY);
    if (code < 0) return system_error("cannot put a program into " + a.table, -code);
    return std::vector<Hook>{};
}

// On each CPU, or in each thread of a process; threads that it starts later inherit the event. Memory of programs is of
// one process, that of the kernel is the same everywhere.
Attacher::Opened Attacher::open_counting(const Attachment& a, int program) {
    const bool in_memory = a.perf.type == PERF_TYPE_BREAKPOINT, of_kernel = in_memory && a.perf.config1 >> 63 != 0;
    const bool in_process = target_.bound || (in_memory && (!of_kernel || target_.process != 0));
    if (in_process && target_.process == 0) return Error{"no process is traced: give -p PID or -c COMMAND", "", 0};
    Result<std::vector<int>> where = in_process ? threads_of(target_.process) : online_cpus();
    if (!where) return where.error();
    std::vector<Hook> hooks;
    for (int each : *where) {
        auto event =
            in_process ? open_counting_event(a.perf, each, -1, target_.starts) : open_counting_event(a.perf, -1, each);
        if (!event && in_process && event.error().code == ESRCH) continue;  // that thread has ended meanwhile
        if (!event) return event.error();
        hooks.push_back({program, Way::perf_event, *std::move(event)});
        hooks.back().at_exec = in_process && target_.starts;
    }
    if (hooks.empty()) return Error{fmt::format("process {} has ended", target_.process), "", ESRCH};
    return hooks;
}

Attacher::Opened Attacher::open_one(Way way, const Attachment& attachment) {
    if (way == Way::host) return std::vector<Hook>{};  // nothing of it is in the kernel
    int program = object_.program(attachment.program);
    if (program < 0) return Error{fmt::format("program {} is not loaded", attachment.program), ""};
    return (this->*openers()[static_cast<size_t>(way)].open)(attachment, program);
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
    Status last = Done{};
    for (Hook& hook : hooks) {
        auto linked = hook.places.empty() ? link_one(hook) : link_places(hook, skipped);
        if (!linked && (hook.places.empty() || hooks.size() == 1)) return linked;
        if (!linked) last = linked;
    }
    std::erase_if(hooks, [](const Hook& hook) { return !hook.places.empty() && hook.links.empty(); });
    return hooks.empty() ? last : Done{};
}

Status enable_hooks(const std::vector<Hook>& hooks) {
    for (const Hook& hook : hooks)
        if (hook.event && !hook.at_exec)
            if (auto enabled = enable_event(hook.event.get()); !enabled) return enabled;
    return Done{};
}

void stop_hooks(std::span<Hook* const> hooks) {
    for (Hook* hook : hooks)
        if (hook->event) disable_event(hook->event.get());
    std::vector<Descriptor> holders;
    for (Hook* hook : hooks) {
        if (stops_when_disabled(hook->way)) continue;
        hook->pin.remove();
        std::ranges::move(hook->links, std::back_inserter(holders));
        if (hook->on_event) holders.push_back(std::move(hook->event));
        hook->links.clear();
    }
    close_all(std::move(holders));
}

Status restart_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped) {
    for (Hook& hook : hooks) {
        if (hook.on_event) return Error{"this kernel cannot attach it again (Linux 5.15)", "stop the trace", 0};
        if (hook.links.empty()) {
            auto linked = hook.places.empty() ? link_one(hook) : link_places(hook, skipped);
            if (!linked) return linked;
        }
        if (!hook.event) continue;
        if (auto enabled = enable_event(hook.event.get()); !enabled) return enabled;
    }
    return Done{};
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
