#include "stdlib/options.h"

#include <array>

namespace lt {
namespace {

constexpr std::array rows{
    OptionRow{Option::help, "-h,--help", "", "Print this help, with the parameters of the script where one is given."},
    OptionRow{Option::program, "-e", "PROGRAM", "Run this program instead of a file's."},
    OptionRow{Option::command, "-c", "COMMAND", "Run this command, trace while it runs, and end with it."},
    OptionRow{Option::process, "-p", "PID", "Trace only this process, and end with it."},
    OptionRow{Option::list, "-l,--list", "PATTERN",
              "List the probes that match, as in -l 'k:vfs_*' or -l '*read*', or those of a script; with -v what each "
              "has at hand."},
    OptionRow{Option::verbose, "-v,--verbose", "",
              "Tell how each probe is attached and why not in a cheaper way; show the verifier's log."},
    OptionRow{Option::version, "-V,--version", "", "Print the version."},
    OptionRow{Option::info, "--info", "", "Tell what this kernel allows, one feature a line, found by trying."},
    OptionRow{
        Option::dump, "--dump", "LIST",
        "Print what the compiler makes instead of running it: ast, typed, ir, llvm, bpf, plan; several with commas."},
    OptionRow{Option::stop_after, "--stop-after", "STAGE",
              "Stop after a stage: parse, resolve, check, lower, emit, load, attach, run."},
    OptionRow{Option::time, "--time", "", "Tell at the end how long each stage took."},
    OptionRow{Option::stats, "--stats", "", "Tell at the end what each program cost and what became of each span."},
    OptionRow{Option::attach_with, "--attach-with", "LIST",
              "Attach kernel functions only in these ways: fentry, kprobe, breakpoint; several with commas."},
    OptionRow{Option::max_map_keys, "--max-map-keys", "N",
              "Keep at most N keys in each map, and N open keys or threads for each span."},
    OptionRow{Option::kernel, "--kernel", "DIR", "Compile for the kernel described in a folder; nothing is run."},
};

}  // namespace

std::span<const OptionRow> option_rows() { return rows; }

}  // namespace lt
