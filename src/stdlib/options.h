// The command line's options: one row each, from which the parser and --help are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lt {

enum class Option : uint8_t {
    help,
    program,
    command,
    process,
    follow,
    cgroup,
    container,
    self,
    all,
    duration,
    at,
    count,
    live,
    record,
    history,
    list,
    format,
    output,
    buffering,
    quiet,
    timestamps,
    ready_fd,
    folded,
    flame,
    html,
    verbose,
    version,
    info,
    describe,
    dump,
    stop_after,
    time,
    stats,
    attach_with,
    max_map_keys,
    max_overhead,
    header_folders,
    debug_folders,
    traceable,
    headers,
    dry_run,
    warnings,
    kernel,
    save,
    aot,
    for_kernels,
    probe_filter,
    unsafe,
    systemtap,
    target,
    guru,
    global,
    time_limit,
    limits,
    suppress_errors,
    no_meaning,
    module_name,
    buffer_size,
    bpftrace,
    no_warnings,
    no_feature,
    emit_elf,
    no_cache,
    print,
    sort,
    top,
    columns,
    histograms,
    keep,
    keep_pause,
    keep_limit,
    format_check,
    format_diff,
    from,
    listen,
    ttl,
    max_series,
    otlp,
    export_interval,
    late,
    needless,
};

// The thing that an option is about. A saved plan keeps what was compiled in. lt-run, which has no compiler, takes
// those of `run` and `both`.
enum class Phase : uint8_t {
    run,          // a run: an option of a saved plan as of a script, but not of saving
    both,         // compiling, and running a saved plan
    compile,      // compiling
    compiled_in,  // likewise, and a saved plan cannot change it
    bound,        // compiled in, and about this machine: it cannot be saved
    lt,           // lt itself: neither a script nor a plan
};

struct OptionText {
    std::string_view argument, sentence;  // as in OptionRow
};

struct OptionRow {
    Option id;
    Phase phase;
    std::string_view names;     // "-e,--program"
    std::string_view argument;  // empty: a flag; LIST: several with commas, or the option several times; [X]: or none
    std::string_view sentence;
    OptionText of_runner = {};  // in the help of lt-run; a member that does not differ is empty
};

std::span<const OptionRow> option_rows();
const OptionRow& option_row(Option option);
std::string option_name(Option option);  // the first of its names: "-e"

// Options of bpftrace that lt does not support; each may have an argument.
struct RefusedOption {
    std::string_view names;
    std::string_view instead;  // what to type instead
};

std::span<const RefusedOption> refused_options();

// What to type for an option of other tracing tools, --NAME, that lt spells differently; empty if it knows none.
// `of_tool`: it was given to a tool, whose script the user does not write.
std::string_view other_spelling(std::string_view option, bool of_tool);

}  // namespace lt
