#include "stdlib/options.h"

#include <array>

namespace lt {
namespace {

constexpr std::array rows{
    OptionRow{Option::help, "-h,--help", "", "Print this help, with the parameters of the script where one is given."},
    OptionRow{Option::program, "-e", "PROGRAM", "Run this program instead of a file's."},
    OptionRow{Option::command, "-c,--cmd", "COMMAND", "Run this command, trace while it runs, and end with it."},
    OptionRow{Option::process, "-p,--pid", "PID", "Trace only this process, and end with it."},
    OptionRow{
        Option::follow, "--follow", "",
        "With -p or -c: trace that process, all that it has started and all that it will start, and nothing else."},
    OptionRow{Option::cgroup, "--cgroup", "PATH",
              "Trace only the processes of this cgroup (version 2) and of those below it."},
    OptionRow{
        Option::container, "--container", "NAME",
        "Trace only the processes of this container: a name or an id that docker, podman, LXC or machinectl knows."},
    OptionRow{Option::duration, "--duration", "TIME", "End after this time, as in --duration 30s."},
    OptionRow{Option::count, "-n,--count", "N", "End once the program has printed N results."},
    OptionRow{Option::live, "--live", "",
              "Show the maps while they fill, drawn anew each second, with how distributions move over time."},
    OptionRow{Option::record, "--record", "FILE",
              "Of the console: add what is entered and printed to a file, with times."},
    OptionRow{Option::list, "-l,--list", "[PATTERN]",
              "List the probes that match, as in -l 'k:vfs_*' or -l '*read*', or those of a script or a plan; with -v "
              "what each has at hand."},
    OptionRow{Option::format, "-f,--format", "FORMAT",
              "Print results as text, or as json: one object a line, which lt(1) describes."},
    OptionRow{Option::output, "-o,--output", "FILE", "Write results to a file instead of standard output."},
    OptionRow{Option::buffering, "-B", "MODE",
              "When results are written: line (soon after they come), none (each at once) or full (64 KiB at a time)."},
    OptionRow{Option::quiet, "-q,--quiet", "", "Do not tell that tracing has begun, nor what lt is at before."},
    OptionRow{Option::timestamps, "--timestamps", "", "Print the time of day at which it happened before each line."},
    OptionRow{Option::ready_fd, "--ready-fd", "N", "Write a line to this descriptor when every probe is attached."},
    OptionRow{
        Option::folded, "--folded", "",
        "Print maps with stacks in their keys as folded stacks, for tools that draw flame graphs; the rest goes to "
        "standard error."},
    OptionRow{Option::flame, "--flame", "FILE",
              "Draw a flame graph (SVG) of the maps with stacks in their keys as they are at the end."},
    OptionRow{Option::verbose, "-v,--verbose", "",
              "Tell how each probe is attached and why not in a cheaper way; show the verifier's log."},
    OptionRow{Option::version, "-V,--version", "", "Print the version."},
    OptionRow{Option::info, "--info", "", "Tell what this kernel allows, one feature a line, found by trying."},
    OptionRow{
        Option::dump, "--dump", "LIST",
        "Print what the compiler makes instead of running it: ast, typed, ir, llvm, bpf, plan; several with commas."},
    OptionRow{
        Option::stop_after, "--stop-after", "STAGE",
        "Stop after a stage: parse, resolve, check, lower, emit, load, attach, run; of a plan fit, load, attach, run."},
    OptionRow{Option::time, "--time", "", "Tell at the end how long each stage took."},
    OptionRow{Option::stats, "--stats,-t", "", "Tell at the end what each program cost and what became of each span."},
    OptionRow{Option::attach_with, "--attach-with", "LIST",
              "Attach functions only in these ways, several with commas: fentry, kprobe.session, kprobe.multi, kprobe, "
              "breakpoint; uprobe.session, uprobe.multi, uprobe."},
    OptionRow{
        Option::no_feature, "--no-feature", "LIST",
        "Do not use this feature of the kernel, several with commas: kprobe_multi, kprobe_session, uprobe_multi."},
    OptionRow{Option::max_map_keys, "--max-map-keys", "N",
              "Keep at most N keys in each map, and N open keys or threads for each span."},
    OptionRow{Option::max_overhead, "--max-overhead", "SHARE",
              "Tracing may take so much of all CPUs' time, as in --max-overhead 3%; above it the costliest probe is "
              "sampled, then detached. Without it more than 5% is told."},
    OptionRow{Option::header_folders, "-I", "LIST",
              "Look in these folders first for the headers of C that a script includes, and for files of a SystemTap "
              "program's library; several with commas."},
    OptionRow{Option::headers, "--include", "LIST",
              "Read these headers of C before the script's own lines; several with commas."},
    OptionRow{Option::debug_folders, "--debuginfo", "LIST",
              "Look for debug files in these folders, too, before /usr/lib/debug; several with commas."},
    OptionRow{Option::traceable, "--traceable-functions", "FILE",
              "Patterns of kernel functions stand for those that this file lists, instead of the kernel's own list."},
    OptionRow{Option::dry_run, "--dry-run", "", "Load and attach everything, then end: nothing is collected."},
    OptionRow{Option::warnings, "-k,--warnings", "",
              "Count reads of memory that failed, and divisions by zero, for each place of the script, and print a "
              "warning for each; without it their sums are printed."},
    OptionRow{Option::no_warnings, "--no-warnings", "", "Do not print warnings about the program."},
    OptionRow{Option::kernel, "--kernel", "DIR", "Compile for the kernel described in a folder; nothing is run."},
    OptionRow{Option::save, "--save", "FILE",
              "Compile only, and write the plan to a file (or into a folder): `lt FILE` runs it without compiling."},
    OptionRow{Option::aot, "--aot", "FILE",
              "Compile only, and write a program that runs by itself: lt with the plan in it. What the script asks of "
              "getopt() is an option of that program: ./FILE -- --name=value."},
    OptionRow{Option::probe_filter, "--probe-filter", "REGEX",
              "Leave out the probes in whose name this regular expression is not found."},
    OptionRow{Option::emit_elf, "--emit-elf", "FILE",
              "Compile only, and write the object with the BPF programs to a file."},
    OptionRow{Option::unsafe, "--unsafe", "",
              "Allow functions that change what is traced or run commands: system, signal, signal_thread, delay, "
              "override, setsockopt; and probes on bare addresses."},
    OptionRow{Option::bpftrace, "--bt", "", "The program is bpftrace's, as those of files that end in .bt."},
    OptionRow{Option::needless, "--verify-llvm-ir,--usdt-file-activation,--btf", "",
              "Options of bpftrace for what lt always does."},
    OptionRow{Option::systemtap, "--stp", "",
              "The program is of SystemTap's language, as those of files that end in .stp."},
    OptionRow{Option::target, "-x", "PID", "The process that a SystemTap program gets from target()."},
    OptionRow{Option::guru, "-g,--guru", "", "Allow a SystemTap program what --unsafe allows."},
    OptionRow{Option::global, "-G", "LIST", "Give a SystemTap program's global a value: -G name=value."},
    OptionRow{Option::time_limit, "-T", "SECONDS", "End after so many seconds."},
    OptionRow{Option::limits, "-D", "LIST",
              "Limits of SystemTap: MAXMAPENTRIES=N is --max-map-keys N, MAXERRORS=N errors do not end the run; of "
              "others lt has no need."},
    OptionRow{Option::suppress_errors, "--suppress-handler-errors", "",
              "Errors of a SystemTap program at run time do not end the run."},
    OptionRow{Option::no_meaning,
              "-w,-u,-F,-b,-R,--all-modules,--ldd,--skip-badvars,--suppress-time-limits,--check-version", "",
              "Options of SystemTap that lt has no need of; nor of -m and -s."},
    OptionRow{Option::module_name, "-m,--compatible", "NAME",
              "SystemTap's name of a module, of which lt makes none; the version whose language a program is of."},
    OptionRow{Option::buffer_size, "-s", "MB", "SystemTap's size of a buffer: lt's is as large as it has to be."},
};

constexpr std::array refused{
    RefusedOption{"-d,--debug",
                  "--dump ast,typed,ir,llvm,bpf,plan prints what the compiler makes, -v the verifier's log"},
    RefusedOption{"-W", "lt check FILE tells all that it has to say; a warning changes nothing"},
    RefusedOption{"-L", "lt -l PATTERN -v lists probes with what each has at hand"},
    RefusedOption{"--emit-llvm", "--dump llvm prints it: lt --dump llvm SCRIPT > FILE"},
    RefusedOption{"--dwarf-pid", "ustack walks frame pointers, of every process"},
    RefusedOption{"--fmt", "lt does not format programs yet; lt check FILE reports its mistakes"},
    RefusedOption{
        "--test",
        "there are no test: probes; lt check FILE compiles a program, lt --dry-run FILE loads and attaches it"},
    RefusedOption{"--bench", "there are no bench: probes; --stats prints what each probe of a run has cost"},
    RefusedOption{"--mode",
                  "lt check FILE compiles, --time tells how long each stage took, --stats what each probe has cost"},
};

}  // namespace

std::span<const OptionRow> option_rows() { return rows; }
std::span<const RefusedOption> refused_options() { return refused; }

}  // namespace lt
