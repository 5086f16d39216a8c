// Perf events that count: clocks, events of the kernel and the processor, memory accesses.
#include "runtime/attach/way.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "runtime/attach/perf.h"
#include "runtime/os/cpus.h"

namespace lt {
namespace {

Result<std::vector<int>> threads_of(int process) {
    const std::string path = fmt::format("/proc/{}/task", process);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
    if (!folder) return Error{fmt::format("there is no process {}", process), "", ESRCH};
    std::vector<int> threads;
    while (const dirent* entry = ::readdir(folder.get()))
        if (const int thread = std::atoi(entry->d_name); thread > 0) threads.push_back(thread);
    return threads;
}

Status link_early(Opening& from, Hook& hook, uint64_t cookie) {
    hook.cookie = from.object.kernel_tells_places() ? cookie : 0;
    return keep_link(hook, link_program(hook.event.get(), hook.program, hook.cookie));
}

// Opens the event on each CPU, or in each thread of a process; threads that start later inherit it. A watchpoint on
// user memory is for one process; the kernel's memory is the same everywhere.
Opened open_counting(Opening& from, const Attachment& a, int program) {
    const PerfEvent& perf = std::get<PerfEvent>(a.site);
    const bool in_memory = perf.type == PERF_TYPE_BREAKPOINT, of_kernel = in_memory && perf.config1 >> 63 != 0;
    const bool in_process = from.target.bound || (in_memory && (!of_kernel || from.target.process != 0));
    if (in_process && from.target.process == 0)
        return Error{"this needs a process to trace: give `-p PID` or `-c COMMAND`", "", 0};
    Result<std::vector<int>> where = in_process ? threads_of(from.target.process) : online_cpus();
    if (!where) return where.error();
    std::vector<Hook> hooks;
    for (int each : *where) {
        auto event =
            in_process ? open_counting_event(perf, each, -1, from.target.starts) : open_counting_event(perf, -1, each);
        if (!event && in_process && event.error().code == ESRCH) continue;  // the thread has just ended
        if (!event) return event.error();
        hooks.push_back({program, Way::perf_event, *std::move(event)});
        Hook& hook = hooks.back();
        hook.on_cpu = !in_process;
        if (!in_process) continue;
        hook.at_exec = from.target.starts;
        // Now, while it is stopped: a thread inherits the event with the program that it has when the thread starts.
        if (Status linked = link_early(from, hook, a.cookie); !linked) return linked.error();
    }
    if (hooks.empty()) return Error{fmt::format("process {} has ended", from.target.process), "", ESRCH};
    return hooks;
}

}  // namespace

extern constinit const WayAttach perf_event_way{
    .open = open_counting, .entry_ns = 1000, .return_ns = 1000, .stops_when_disabled = true};

}  // namespace lt
