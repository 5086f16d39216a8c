// The options of the command line: one row each, from which the parser, --help and the man page are made.
#pragma once

#include <cstdint>
#include <span>
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
    duration,
    count,
    live,
    record,
    list,
    format,
    output,
    buffering,
    quiet,
    timestamps,
    ready_fd,
    folded,
    flame,
    verbose,
    version,
    info,
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
    needless,
};

struct OptionRow {
    Option id;
    std::string_view names;     // "-e,--program"
    std::string_view argument;  // empty: a flag; LIST: several with commas, or the option several times; [X]: or none
    std::string_view sentence;
};

std::span<const OptionRow> option_rows();

// What bpftrace has and lt has not; each takes an argument or none.
struct RefusedOption {
    std::string_view names;
    std::string_view instead;  // what to type
};

std::span<const RefusedOption> refused_options();

}  // namespace lt
