#include "stdlib/options.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace lt {
namespace {

constexpr std::array options{
    OptionRow{Option::help, Phase::run, "-h,--help", "",
              "Print this help, and the parameters of the script if there is one."},
    OptionRow{Option::print, Phase::lt, "--print", "", "Print the source of a tool or a script, and do not run it."},
    OptionRow{Option::program, Phase::compile, "-e", "PROGRAM", "Run this script instead of a file."},
    OptionRow{Option::command, Phase::run, "-c,--cmd", "COMMAND",
              "Run this command, trace while it runs, and end with it."},
    OptionRow{Option::process, Phase::bound, "-p,--pid", "PID", "Trace only this process, and end with it."},
    OptionRow{Option::follow, Phase::bound, "--follow", "",
              "With -p or -c: trace only that process and its descendants, including those that start later."},
    OptionRow{Option::cgroup, Phase::bound, "--cgroup", "PATH",
              "Trace only the processes of this cgroup (version 2) and of those below it."},
    OptionRow{
        Option::container, Phase::bound, "--container", "NAME",
        "Trace only the processes of this container: a name or an id that docker, podman, LXC or machinectl knows."},
    OptionRow{
        Option::self, Phase::compiled_in, "--self", "",
        "Also trace the system calls of lt itself and the functions that it calls, which scripts of lt leave out."},
    OptionRow{Option::all, Phase::lt, "-a,--all", "",
              "With `lt why` alone: print where the time of all programs goes instead of the suspects of `lt triage`."},
    OptionRow{Option::duration, Phase::run, "--duration", "TIME", "End after this time, for example --duration 30s."},
    OptionRow{Option::at, Phase::run, "--at", "TIME",
              "Attach now, and begin to collect at this time, for example --at /10s (the next multiple of 10 s), --at "
              "14:30 or --at 2026-11-27T14:30:05Z, so that runs on many machines begin together."},
    OptionRow{Option::count, Phase::run, "-n,--count", "N", "End once the script has printed N results."},
    OptionRow{Option::live, Phase::run, "--live", "",
              "Show the maps while they fill, redrawn every second, with distributions over time."},
    OptionRow{Option::record, Phase::lt, "--record", "FILE",
              "In the console: append input and output to a file, with times."},
    OptionRow{Option::history, Phase::run, "--history", "",
              "Keep how distributions and histograms grow, so that `lt ctl show @ns 5m` prints what came in the last 5 "
              "minutes."},
    OptionRow{Option::sort, Phase::run, "--sort", "COLUMN",
              "Sort tables by this column, the greatest first (total by default), or by key."},
    OptionRow{Option::top, Phase::run, "--top", "N", "Print only the first N rows of each table."},
    OptionRow{
        Option::columns, Phase::run, "--columns", "LIST",
        "Print these columns of tables, separated by commas: count, total, share, min, avg, p50, p90, p99, p99.9, "
        "max."},
    OptionRow{Option::histograms, Phase::run, "--hist", "",
              "Print distributions with keys one by one, with their histograms, and not as a table."},
    OptionRow{
        Option::keep, Phase::run, "--keep", "AMOUNT",
        "For scripts that call snapshot(), and `lt why SPAN --slow TIME`: keep the last seconds of the whole machine "
        "in memory, for example --keep 10s or --keep 64MB. -o FOLDER says where snapshots go."},
    OptionRow{Option::keep_pause, Phase::run, "--keep-pause", "TIME",
              "Take no other snapshot for this time after one, 10s by default."},
    OptionRow{Option::keep_limit, Phase::run, "--keep-limit", "N", "Take at most N snapshots an hour, 60 by default."},
    OptionRow{Option::format_check, Phase::lt, "--check", "",
              "With `lt fmt`: print the names of the files that it would change, and write nothing."},
    OptionRow{Option::format_diff, Phase::lt, "--diff", "",
              "With `lt fmt`: print what it would change, and write nothing."},
    OptionRow{Option::from, Phase::compile, "--from", "FILE",
              "Read the events of a snapshot, FILE.ltr, instead of the kernel's. It needs no privileges."},
    OptionRow{Option::list,
              Phase::run,
              "-l,--list",
              "[PATTERN]",
              "List the probes that match, for example -l 'k:vfs_*' or -l '*read*', or those of a script or a plan; "
              "with -v also what each can read.",
              {"FILE", "List the locations of a plan's probes."}},
    OptionRow{Option::format, Phase::run, "-f,--format", "FORMAT",
              "Print results as text, or as json: one object per line, described in lt(1)."},
    OptionRow{Option::output, Phase::run, "-o,--output", "FILE", "Write results to a file instead of standard output."},
    OptionRow{Option::buffering, Phase::run, "-B", "MODE",
              "When to write results: line (soon after they come), none (each at once) or full (64 KiB at a time)."},
    OptionRow{Option::quiet, Phase::both, "-q,--quiet", "",
              "Do not print that tracing has begun, or progress before that."},
    OptionRow{Option::timestamps, Phase::both, "--timestamps", "",
              "Print the time of day of the event before each line."},
    OptionRow{Option::ready_fd, Phase::run, "--ready-fd", "N",
              "Write a line to this file descriptor when every probe is attached."},
    OptionRow{
        Option::folded, Phase::run, "--folded", "",
        "Print maps with stacks in their keys as folded stacks, for tools that draw flame graphs; the rest goes to "
        "standard error."},
    OptionRow{Option::flame, Phase::run, "--flame", "FILE",
              "Draw a flame graph (SVG) of the maps with stacks in their keys at the end."},
    OptionRow{Option::html, Phase::run, "--html", "FILE",
              "Write a page for a browser at the end: tables, histograms, heat maps over time, flame graphs, losses."},
    OptionRow{Option::verbose, Phase::both, "-v,--verbose", "",
              "Print how each probe is attached and why not in a cheaper way; show the verifier's log."},
    OptionRow{Option::version, Phase::run, "-V,--version", "", "Print the version."},
    OptionRow{Option::info, Phase::run, "--info", "",
              "Print what this kernel supports, one feature per line, found by trying."},
    OptionRow{Option::describe, Phase::run, "--describe", "DIR",
              "Write a description of this kernel into a folder, for lt build --for on another machine."},
    OptionRow{Option::dump,
              Phase::both,
              "--dump",
              "LIST",
              "Print what the compiler makes instead of running it: ast, typed, ir, llvm, bpf, plan; separate several "
              "with commas.",
              {"", "Print the plan instead of running it: --dump plan."}},
    OptionRow{Option::stop_after,
              Phase::both,
              "--stop-after",
              "STAGE",
              "Stop after a stage: parse, resolve, check, lower, emit, load, attach, run; for a plan fit, load, "
              "attach, run.",
              {"", "Stop after a stage: fit, load, attach, run."}},
    OptionRow{Option::time, Phase::both, "--time", "", "Print at the end how long each stage took."},
    OptionRow{Option::stats, Phase::run, "--stats,-t", "",
              "Print at the end what each program cost, and the account of each span."},
    OptionRow{Option::attach_with, Phase::compiled_in, "--attach-with", "LIST",
              "Attach functions only in these ways, separated by commas: fentry, kprobe.session, kprobe.multi, kprobe, "
              "breakpoint; uprobe.session, uprobe.multi, uprobe, ret.multi, ret."},
    OptionRow{Option::no_feature, Phase::compiled_in, "--no-feature", "LIST",
              "Do not use these kernel features, separated by commas: kprobe_multi, kprobe_session, uprobe_multi."},
    OptionRow{Option::max_map_keys, Phase::compiled_in, "--max-map-keys", "N",
              "Keep at most N keys in each map, and N open keys or threads for each span."},
    OptionRow{Option::max_overhead, Phase::both, "--max-overhead", "SHARE",
              "Limit tracing to this share of all CPUs' time, for example --max-overhead 3%; above it the costliest "
              "probe is sampled, then detached. Without this option lt warns above 5%."},
    OptionRow{
        Option::listen, Phase::lt, "--listen", "ADDRESS",
        "With `lt agent`: serve metrics there, for example --listen :9435 (the default, for this machine alone) or "
        "--listen 0.0.0.0:9435."},
    OptionRow{Option::ttl, Phase::lt, "--ttl", "TIME", "With `lt agent`: end after this time."},
    OptionRow{Option::max_series, Phase::lt, "--max-series", "N",
              "With `lt agent`: show at most N series of each metric, 1000 by default; the rest is added up in one."},
    OptionRow{Option::otlp, Phase::lt, "--otlp", "URL",
              "With `lt agent`: send the metrics to a collector of OpenTelemetry, too, for example --otlp "
              "http://collector:4318."},
    OptionRow{Option::export_interval, Phase::lt, "--export-interval", "TIME",
              "With `lt agent --otlp`: how often, every 60s by default."},
    OptionRow{
        Option::late, Phase::lt, "--late", "TIME",
        "With `lt agent`: spans that take longer are exemplars of their histograms, and traces with their causes."},
    OptionRow{Option::header_folders, Phase::compiled_in, "-I", "LIST",
              "Look in these folders first for C headers that a script includes, and for files of a SystemTap script's "
              "library; separate several with commas."},
    OptionRow{Option::headers, Phase::compiled_in, "--include", "LIST",
              "Read these C headers before the script's own lines; separate several with commas."},
    OptionRow{Option::debug_folders, Phase::both, "--debuginfo", "LIST",
              "Look for debug files in these folders, too, before /usr/lib/debug; separate several with commas."},
    OptionRow{Option::traceable, Phase::compiled_in, "--traceable-functions", "FILE",
              "Match patterns of kernel functions against the list in this file, instead of the kernel's own list."},
    OptionRow{Option::dry_run, Phase::run, "--dry-run", "",
              "Load and attach everything, then end without collecting anything."},
    OptionRow{
        Option::warnings, Phase::compile, "-k,--warnings", "",
        "Count failed memory reads, divisions by zero and loops that were cut short for each location in the script, "
        "and print a warning for each; otherwise only their totals are printed."},
    OptionRow{Option::no_warnings, Phase::both, "--no-warnings", "", "Do not print warnings about the script."},
    OptionRow{Option::kernel,
              Phase::both,
              "--kernel",
              "DIR",
              "Compile for the kernel described in a folder, and run nothing.",
              {"", "Check that the plan fits the kernel described in a folder, and run nothing."}},
    OptionRow{Option::save, Phase::compile, "--save", "FILE",
              "Compile only, and write the plan to a file (or into a folder): `lt FILE` runs it without compiling."},
    OptionRow{
        Option::aot, Phase::compile, "--aot", "FILE",
        "Compile only, and write a binary that runs by itself: lt-run with the plan in it. The script's options of "
        "getopt() are options of that binary: ./FILE -- --name=value."},
    OptionRow{
        Option::for_kernels, Phase::compile, "--for", "LIST",
        "With `lt build`: compile for the kernels described in these folders instead of this one, all in one plan; "
        "separate several with commas."},
    OptionRow{Option::probe_filter, Phase::compiled_in, "--probe-filter", "REGEX",
              "Only keep the probes whose name contains a match of this regular expression."},
    OptionRow{Option::no_cache, Phase::compile, "--no-cache", "",
              "Compile the script, even if its plan is kept from an earlier run, and keep no plan of it."},
    OptionRow{Option::emit_elf,
              Phase::both,
              "--emit-elf",
              "FILE",
              "Compile only, and write the object with the BPF programs to a file.",
              {"", "Write the object with the BPF programs to a file, and run nothing."}},
    OptionRow{Option::unsafe, Phase::both, "--unsafe", "",
              "Allow functions that change what is traced or run commands: system, signal, signal_thread, delay, "
              "override, setsockopt, write_user; and probes on bare addresses."},
    OptionRow{Option::bpftrace, Phase::compile, "--bt", "",
              "Read the script as bpftrace's, as for files that end in .bt."},
    OptionRow{Option::needless, Phase::compile, "--verify-llvm-ir,--usdt-file-activation,--btf", "",
              "bpftrace's options for what lt always does."},
    OptionRow{Option::systemtap, Phase::compiled_in, "--stp", "",
              "Read the script as SystemTap's, as for files that end in .stp."},
    OptionRow{Option::target, Phase::bound, "-x", "PID", "The process that target() returns in a SystemTap script."},
    OptionRow{Option::guru, Phase::compile, "-g,--guru", "", "Allow a SystemTap script what --unsafe allows."},
    OptionRow{Option::global, Phase::compiled_in, "-G", "LIST",
              "Give a SystemTap script's global a value: -G name=value."},
    OptionRow{Option::time_limit, Phase::run, "-T", "SECONDS", "End after this many seconds."},
    OptionRow{Option::limits, Phase::compiled_in, "-D", "LIST",
              "SystemTap's limits: MAXMAPENTRIES=N is --max-map-keys N, MAXERRORS=N errors do not end the run; lt "
              "needs no others."},
    OptionRow{Option::suppress_errors, Phase::run, "--suppress-handler-errors", "",
              "Do not end the run on run-time errors of a SystemTap script."},
    OptionRow{Option::no_meaning, Phase::compile,
              "-w,-u,-F,-b,-R,--all-modules,--ldd,--skip-badvars,--suppress-time-limits,--check-version", "",
              "SystemTap's options that lt does not need, like -m and -s."},
    OptionRow{Option::module_name, Phase::compile, "-m,--compatible", "NAME",
              "SystemTap's module name, which lt does not need; the language version of a script."},
    OptionRow{Option::buffer_size, Phase::compile, "-s", "MB", "SystemTap's buffer size: lt sizes its buffer itself."},
};

static_assert(options.size() == static_cast<size_t>(Option::needless) + 1 && [] {
    for (size_t option = 0; option < options.size(); option++)
        if (std::ranges::count(options, static_cast<Option>(option), &OptionRow::id) != 1) return false;
    return true;
}());

constexpr std::array refused{
    RefusedOption{"-d,--debug",
                  "`--dump ast,typed,ir,llvm,bpf,plan` prints what the compiler makes, `-v` the verifier's log"},
    RefusedOption{"-W", "`lt check FILE` prints all warnings; a warning changes nothing"},
    RefusedOption{"-L", "`lt -l PATTERN -v` lists probes with what each can read"},
    RefusedOption{"--emit-llvm", "`--dump llvm` prints it: `lt --dump llvm SCRIPT > FILE`"},
    RefusedOption{"--dwarf-pid", "ustack walks frame pointers, of every process"},
    RefusedOption{"--fmt", "`lt fmt FILE` formats .lt scripts; `lt check FILE` reports mistakes"},
    RefusedOption{
        "--test",
        "lt has no `test:` probes; `lt check FILE` compiles a script, `lt --dry-run FILE` loads and attaches it"},
    RefusedOption{"--bench", "lt has no `bench:` probes; `--stats` prints what each probe of a run has cost"},
    RefusedOption{
        "--mode",
        "`lt check FILE` compiles, `--time` prints how long each stage took, `--stats` what each probe has cost"},
};

struct SpellingRow {
    std::string_view names;
    std::string_view instead;
    bool in_script = true;  // it is written in the script, which is not for those who run a tool
};

// A script may have parameters of these names, and so lt does not take them as options of its own.
constexpr std::array other_spellings{
    SpellingRow{"--json,--jsonl,--ndjson", "`--format json` prints one JSON object per line", false},
    SpellingRow{"--comm,--name,--uid,--user,--tid,--thread,--filter",
                "a condition filters: `PROBE /comm == \"nginx\"/ { ... }`, likewise for tid, uid and others"},
    SpellingRow{"--freq,--frequency,--period,--hz",
                "a probe says how often it samples: `profile:hz:99 { @[comm] = count(); }`"},
    SpellingRow{"--interval,--every", "a probe runs at an interval: `interval:s:1 { print(@); }`"},
    SpellingRow{"--color,--no-color",
                "diagnostics are colored on a terminal, unless the environment variable NO_COLOR is set", false},
    SpellingRow{"--event,--events,--probe,--probes",
                "`-e 'PROBE { ... }'` names the probe; `lt -l PATTERN` lists them"},
};

}  // namespace

std::span<const OptionRow> option_rows() { return options; }
const OptionRow& option_row(Option option) { return *std::ranges::find(options, option, &OptionRow::id); }

std::string option_name(Option option) {
    const std::string_view names = option_row(option).names;
    return std::string(names.substr(0, names.find(',')));
}

std::span<const RefusedOption> refused_options() { return refused; }

std::string_view other_spelling(std::string_view option, bool of_tool) {
    for (const SpellingRow& row : other_spellings)
        if (const auto names = split(row.names, ','); std::ranges::find(names, option) != names.end())
            return of_tool && row.in_script ? "" : row.instead;
    return "";
}

}  // namespace lt
