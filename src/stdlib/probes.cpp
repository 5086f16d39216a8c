#include "stdlib/probes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/rows.h"

namespace lt {
namespace {

// kind, name, brief, place, arguments, fields, result, spans, shape, sentence, example
constexpr std::array probes{
    ProbeRow{ProbeKind::begin, "BEGIN", "", Place::nothing, false, false, false, false, "BEGIN",
             "Runs once, before anything is attached.", "BEGIN { printf(\"ready\\n\"); exit(); }"},
    ProbeRow{ProbeKind::end, "END", "", Place::nothing, false, false, false, false, "END",
             "Runs once, after everything is detached and before the maps are printed.",
             "END { printf(\"done\\n\"); }"},
    ProbeRow{ProbeKind::error, "ERROR", "", Place::nothing, false, false, false, false, "ERROR",
             "Runs instead of END if the setting runtime_errors is true and an error has ended the run.",
             "config = { runtime_errors = true } ERROR { printf(\"failed\\n\"); }"},
    ProbeRow{ProbeKind::interval, "interval", "i", Place::period, false, false, false, false,
             "interval:s:1, interval:ms:100 or interval:1s", "Runs repeatedly, on one CPU.",
             "k:vfs_read { @[comm] = count(); } interval:1s { print(@); clear(@); }"},
    ProbeRow{ProbeKind::tracepoint, "tracepoint", "t", Place::event, false, true, false, false,
             "tracepoint:CATEGORY:EVENT", "A location that the kernel's authors marked, with named fields.",
             "tracepoint:sched:sched_switch { @[args.next_comm] = count(); }"},
    ProbeRow{ProbeKind::raw_tracepoint, "rawtracepoint", "rt", Place::raw_event, true, true, false, false,
             "rawtracepoint:EVENT or rawtracepoint:MODULE:EVENT",
             "A tracepoint, with the arguments that the kernel itself passes to it.",
             "rawtracepoint:sched_switch { @[args.next->comm] = count(); }"},
    ProbeRow{ProbeKind::kprobe, "kprobe", "k", Place::kernel_function, true, true, false, true,
             "kprobe:FUNCTION, kprobe:FUNCTION+OFFSET or kprobe:MODULE:FUNCTION",
             "The entry of a kernel function, in the cheapest way that this kernel supports.",
             "kprobe:vfs_read { @[comm] = count(); }"},
    ProbeRow{ProbeKind::kretprobe, "kretprobe", "kr", Place::kernel_function, false, false, true, false,
             "kretprobe:FUNCTION", "The return of a kernel function.", "kretprobe:vfs_read { @ = hist(retval); }"},
    ProbeRow{ProbeKind::fentry, "fentry", "f", Place::kernel_function, true, true, false, true,
             "fentry:FUNCTION or fentry:bpf:[ID:]PROGRAM",
             "The entry of a kernel function, or of a BPF program, always by a BPF trampoline.",
             "fentry:vfs_read { @ = sum(args.count); }"},
    ProbeRow{
        ProbeKind::fexit, "fexit", "fr", Place::kernel_function, true, true, true, false,
        "fexit:FUNCTION or fexit:bpf:[ID:]PROGRAM",
        "The return of a kernel function, or of a BPF program, with the arguments of its entry, by a BPF trampoline.",
        "fexit:vfs_read { @[args.count] = hist(retval); }"},
    ProbeRow{ProbeKind::uprobe, "uprobe", "u", Place::binary_function, true, true, false, true, "uprobe:PATH:FUNCTION",
             "The entry of a function of a program or library.", "uprobe:/bin/bash:readline { @[comm] = count(); }"},
    ProbeRow{ProbeKind::uretprobe, "uretprobe", "ur", Place::binary_function, false, false, true, false,
             "uretprobe:PATH:FUNCTION", "The return of a function of a program or library.",
             "uretprobe:/bin/bash:readline { @[comm] = count(); }"},
    ProbeRow{ProbeKind::syscall, "syscall", "sc", Place::system_call, false, true, false, true, "syscall:NAME",
             "The entry of a system call, with its arguments by name; a span lasts until its exit.",
             "syscall:openat < @[str(args.filename)] = hist(latency) >"},
    ProbeRow{ProbeKind::usdt, "usdt", "U", Place::marker, true, false, false, false,
             "usdt:PATH:NAME or usdt:PATH:PROVIDER:NAME",
             "A location that the authors of a program or library marked, with its arguments.",
             "usdt:/bin/marked:app:request { @[arg0] = count(); }"},
    ProbeRow{ProbeKind::profile, "profile", "p", Place::clock, false, false, false, false,
             "profile:hz:99, profile:ms:10 or profile:10ms", "Runs repeatedly, on every CPU, whatever runs there.",
             "profile:hz:99 { @[kstack] = count(); }"},
    ProbeRow{ProbeKind::software, "software", "s", Place::counter, false, false, false, false,
             "software:EVENT:COUNT, software:EVENT:99hz or software:EVENT:",
             "Runs each time that a kernel event has happened COUNT times.",
             "software:page-faults:100 { @[comm] = count(); }"},
    ProbeRow{ProbeKind::hardware, "hardware", "h", Place::counter, false, false, false, false,
             "hardware:EVENT:COUNT, hardware:EVENT:99hz or hardware:EVENT:",
             "Runs each time that a processor event has happened COUNT times.",
             "hardware:cache-misses:1000000 { @[ustack] = count(); }"},
    ProbeRow{ProbeKind::watchpoint, "watchpoint", "w", Place::address, false, false, false, false,
             "watchpoint:ADDRESS:LENGTH:w, watchpoint:ADDRESS:LENGTH:rw or watchpoint:ADDRESS:LENGTH:x",
             "Runs when memory of one process (-p or -c) is read, written or executed.",
             "watchpoint:0x10000000:8:w { @[ustack] = count(); }"},
    ProbeRow{ProbeKind::self, "self", "", Place::signal, false, false, false, false,
             "self:signal:SIGUSR1 or self:set:NAME",
             "Runs when lt itself gets a signal, or when a parameter of the script is set.",
             "k:vfs_read { @ = count(); } self:signal:SIGUSR1 { print(@); }"},
    ProbeRow{ProbeKind::iter, "iter", "it", Place::kernel_objects, false, false, false, false, "iter:KIND[:PIN]",
             "Runs once for each task, file, socket ... that exists when the script starts.",
             "iter:task { @[ctx->task->comm] = count(); }"},
    ProbeRow{ProbeKind::socket, "socket", "", Place::socket_event, false, true, false, false, "socket:accepted",
             "Runs when a TCP connection to a listening socket is established, before accept(2) returns it.",
             "socket:accepted { @[args.local_port] = count(); }"},
};

// bpftrace's former names for them.
struct FormerName {
    std::string_view name;
    ProbeKind kind;
};
constexpr std::array former_names{FormerName{"kfunc", ProbeKind::fentry}, FormerName{"kretfunc", ProbeKind::fexit}};

constexpr std::string_view watch_instead = "`watchpoint:ADDRESS:LENGTH:w` watches an address";
constexpr std::array kinds_of_others{
    OtherKind{"asyncwatchpoint", watch_instead},
    OtherKind{"aw", watch_instead},
    OtherKind{"bench", "`--stats` prints what each probe of a run has cost"},
    OtherKind{"lsm", "`k:security_NAME` runs where the kernel asks its security modules, and cannot change the answer"},
    OtherKind{"test", "`lt check FILE` compiles a script, `lt --dry-run FILE` loads and attaches it"},
};

}  // namespace

std::span<const ProbeRow> probe_rows() { return probes; }

const ProbeRow& probe_row(ProbeKind kind) { return probes[static_cast<size_t>(kind)]; }

const ProbeRow* find_probe(std::string_view name) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (const ProbeRow& row : probes) {
        if (row.name == name || (!row.brief.empty() && row.brief == name)) return &row;
    }
    for (const ProbeRow& row : probes) {
        if (std::equal(name.begin(), name.end(), row.name.begin(), row.name.end(), same)) return &row;
    }
    for (const FormerName& former : former_names) {
        if (former.name == name) return &probe_row(former.kind);
    }
    return nullptr;
}

const OtherKind* find_other_kind(std::string_view name) { return find_row(kinds_of_others, name, &OtherKind::name); }

}  // namespace lt
