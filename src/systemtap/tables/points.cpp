// SystemTap's probe points. Aliases (syscall.*, vfs.* ...) are in lib/*.stp.
#include <array>

#include "systemtap/tables/stp.h"

namespace lt {
namespace {

constexpr std::string_view needs_lines = "in the kernel, lt finds functions, lines and inlined functions, but not this";
constexpr std::string_view at_entry = "probe the function's entry: `.function(\"NAME\").call`";
constexpr std::string_view no_linkage = "lt does not probe the procedure linkage table of a program";
constexpr std::string_view in_library = "probe the function in its library: `process(\"/lib/...\").function(\"NAME\")`";

// shape, probe, entry, variables, result, refusal, hint
constexpr std::array points{
    StpPoint{"begin", "BEGIN", "", "", ""},
    StpPoint{"begin(n)", "BEGIN", "", "", ""},
    StpPoint{"end", "END", "", "", ""},
    StpPoint{"end(n)", "END", "", "", ""},
    StpPoint{"error", "ERROR", "", "", ""},
    StpPoint{"error(n)", "ERROR", "", "", ""},
    StpPoint{"never", "", "", "", ""},

    StpPoint{"timer.s(n)", "interval:s:{0}", "", "", ""},
    StpPoint{"timer.sec(n)", "interval:s:{0}", "", "", ""},
    StpPoint{"timer.ms(n)", "interval:ms:{0}", "", "", ""},
    StpPoint{"timer.msec(n)", "interval:ms:{0}", "", "", ""},
    StpPoint{"timer.us(n)", "interval:us:{0}", "", "", ""},
    StpPoint{"timer.usec(n)", "interval:us:{0}", "", "", ""},
    StpPoint{"timer.ns(n)", "interval:ns:{0}", "", "", ""},
    StpPoint{"timer.nsec(n)", "interval:ns:{0}", "", "", ""},
    StpPoint{"timer.hz(n)", "interval:hz:{0}", "", "", ""},
    StpPoint{"timer.jiffies(n)", "interval:jiffies:{0}", "", "", ""},
    StpPoint{"timer.profile", "profile:hz:1000", "", "", ""},
    StpPoint{"timer.profile.tick", "profile:hz:1000", "", "", ""},
    StpPoint{"timer.profile.freq.hz(n)", "profile:hz:{0}", "", "", ""},

    StpPoint{"kernel.function(s)", "kprobe:{0}", "", "args", ""},
    StpPoint{"kernel.function(s).call", "kprobe:{0}", "", "args", ""},
    StpPoint{"kernel.function(s).exported", "kprobe:{0}", "", "args", ""},
    StpPoint{"kernel.function(s).return", "kretprobe:{0}", "kprobe:{0}", "args", "retval"},
    StpPoint{"kernel.function(s).inline", "kprobe:inline:{0}", "", "args", ""},
    StpPoint{"kernel.function(s).label(s)", "", "", "", "", needs_lines, at_entry},
    StpPoint{"kernel.function(s).callee(s)", "", "", "", "", needs_lines, at_entry},
    StpPoint{"kernel.function(s).callees(n)", "", "", "", "", needs_lines, at_entry},
    StpPoint{"kernel.function(n)", "", "", "", "", needs_lines, at_entry},
    StpPoint{"kernel.statement(s)", "kprobe:{0}", "", "args", ""},
    StpPoint{"kernel.statement(s).nearest", "kprobe:{0}", "", "args", ""},
    // an address, which may be inside of an instruction: with -g
    StpPoint{"kernel.statement(n)", "kprobe:{0}", "", "", ""},
    StpPoint{"kernel.statement(n).absolute", "kprobe:{0}", "", "", ""},
    StpPoint{"module(s).function(s)", "kprobe:{0}:{1}", "", "args", ""},
    StpPoint{"module(s).function(s).call", "kprobe:{0}:{1}", "", "args", ""},
    StpPoint{"module(s).function(s).return", "kretprobe:{0}:{1}", "kprobe:{0}:{1}", "args", "retval"},
    StpPoint{"module(s).statement(s)", "", "", "", "", needs_lines, at_entry},
    StpPoint{"module(s).function(s).inline", "", "", "", "", needs_lines, at_entry},
    StpPoint{"kprobe.function(s)", "kprobe:{0}", "", "args", ""},
    StpPoint{"kprobe.function(s).return", "kretprobe:{0}", "kprobe:{0}", "args", "retval"},
    StpPoint{"kprobe.module(s).function(s)", "kprobe:{0}:{1}", "", "args", ""},
    StpPoint{"kprobe.module(s).function(s).return", "kretprobe:{0}:{1}", "kprobe:{0}:{1}", "args", "retval"},
    StpPoint{"kernel.trace(s)", "rawtracepoint:{0}", "", "args", ""},
    // lt's own, for the aliases of system calls
    StpPoint{"kernel.syscall(s)", "syscall:{0}", "", "args", ""},
    StpPoint{"kernel.syscall(s).return", "tracepoint:syscalls:sys_exit_{0}", "syscall:{0}", "args", "args.ret"},
    // lt's own: a connection, before accept(2) returns it
    StpPoint{"socket.accepted", "socket:accepted", "", "args", ""},
    // an address, or the name of a variable
    StpPoint{"kernel.data(n).write", "watchpoint:{0}:4:w", "", "", ""},
    StpPoint{"kernel.data(n).rw", "watchpoint:{0}:4:rw", "", "", ""},
    StpPoint{"kernel.data(n).length(n).write", "watchpoint:{0}:{1}:w", "", "", ""},
    StpPoint{"kernel.data(n).length(n).rw", "watchpoint:{0}:{1}:rw", "", "", ""},
    StpPoint{"kernel.data(s).write", "watchpoint:{0}:4:w", "", "", ""},
    StpPoint{"kernel.data(s).rw", "watchpoint:{0}:4:rw", "", "", ""},
    StpPoint{"kernel.data(s).length(n).write", "watchpoint:{0}:{1}:w", "", "", ""},
    StpPoint{"kernel.data(s).length(n).rw", "watchpoint:{0}:{1}:rw", "", "", ""},

    StpPoint{"process(s).function(s)", "uprobe:{0}:{1}", "", "args", ""},
    StpPoint{"process(s).function(s).call", "uprobe:{0}:{1}", "", "args", ""},
    StpPoint{"process(s).function(s).exported", "uprobe:{0}:{1}", "", "args", ""},
    StpPoint{"process(s).function(s).return", "uretprobe:{0}:{1}", "uprobe:{0}:{1}", "args", "retval"},
    StpPoint{"process(s).function(s).inline", "uprobe:{0}:inline:{1}", "", "args", ""},
    StpPoint{"process(s).statement(s)", "uprobe:{0}:{1}", "", "args", ""},
    StpPoint{"process(s).statement(s).nearest", "uprobe:{0}:{1}", "", "args", ""},
    StpPoint{"process(s).library(s).function(s)", "uprobe:{1}:{2}", "", "args", ""},
    StpPoint{"process(s).library(s).function(s).call", "uprobe:{1}:{2}", "", "args", ""},
    StpPoint{"process(s).library(s).function(s).return", "uretprobe:{1}:{2}", "uprobe:{1}:{2}", "args", "retval"},
    StpPoint{"process(s).library(s).statement(s)", "uprobe:{1}:{2}", "", "args", ""},
    StpPoint{"process(s).library(s).statement(s).nearest", "uprobe:{1}:{2}", "", "args", ""},
    StpPoint{"process(s).mark(s)", "usdt:{0}:{1}", "", "marker", ""},
    StpPoint{"process(s).provider(s).mark(s)", "usdt:{0}:{1}:{2}", "", "marker", ""},
    StpPoint{"process(s).library(s).mark(s)", "usdt:{1}:{2}", "", "marker", ""},
    StpPoint{"process(s).library(s).provider(s).mark(s)", "usdt:{1}:{2}:{3}", "", "marker", ""},
    StpPoint{"process(s).plt(s)", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).plt(s).return", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).plt", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).plt.return", "", "", "", "", no_linkage, in_library},
    StpPoint{"process.plt", "", "", "", "", no_linkage, in_library},
    StpPoint{"process.plt.return", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).library(s).plt(s)", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).library(s).plt(s).return", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).library(s).plt", "", "", "", "", no_linkage, in_library},
    StpPoint{"process(s).library(s).plt.return", "", "", "", "", no_linkage, in_library},
    // lt's own, for process.syscall
    StpPoint{"kernel.any_syscall", "rawtracepoint:sys_enter", "", "system call", ""},
    StpPoint{"kernel.any_syscall.return", "rawtracepoint:sys_exit", "", "system call", "args.ret"},

    StpPoint{"perf.type(n).config(n)", "hardware:{0}/{1}:1000000", "", "", ""},
    StpPoint{"perf.type(n).config(n).sample(n)", "hardware:{0}/{1}:{2}", "", "", ""},
    StpPoint{"perf.type(n).config(n).hz(n)", "hardware:{0}/{1}:{2}hz", "", "", ""},
    // lt prints what would be read when it gets the signal
    StpPoint{"procfs(s).read", "self:signal:SIGUSR1", "", "printed", ""},
    StpPoint{"procfs.read", "self:signal:SIGUSR1", "", "printed", ""},
    // `lt set NAME=TEXT` sets what would be written
    StpPoint{"procfs(s).write", "self:set:{0}", "", "written", ""},
    StpPoint{"procfs.write", "self:set:command", "", "written", ""},
    StpPoint{"java(s).class(s).method(s)", "", "", "", "", "lt does not look into the Java machine", ""},
};

}  // namespace

std::span<const StpPoint> stp_points() { return points; }

}  // namespace lt
