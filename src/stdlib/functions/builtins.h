// All names of the language: variables, functions and aggregations, one row each. Lookup, argument checks, "did you
// mean", help and the man page follow from the row; a name of the language is a string only here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stdlib/types.h"

namespace lt {

enum class Variable : uint8_t {
    pid,
    tid,
    uid,
    gid,
    comm,
    nsecs,
    cpu,
    curtask,
    latency,
    retval,
    arg,
    args,
    probe,
    kstack,
    ustack,
    elapsed,
    func,
    probetype,
    cgroup,
    rand,
    jiffies,
    ncpus,
    numaid,
    username,
    ctx,
    ppid,
    pcomm,
    leader_tid,
    leader_comm,
    usermode,
    cpid,
    has_cpid,
    why,
};

// The probes in which a variable has a value.
enum class Scope : uint8_t {
    anywhere,
    entry_arguments,
    entry_fields,
    function_return,
    span_close,
    stack,
    function,  // at a function of the kernel or of a program
};

struct VariableRow {
    Variable id;
    std::string_view name;
    Type type;
    Scope scope;
    int helper;       // number of the BPF helper without arguments that returns it; 0: lowered by id
    uint32_t shift;   // right shift of the helper's result
    bool in_timeout;  // does it have a value in the block of a timeout?
    std::string_view sentence;
    std::string_view example;
    std::string_view members = {};  // not empty: it is short for these members of curtask, joined by `.`
};

enum class Function : uint8_t {
    // aggregations
    count,
    sum,
    min,
    max,
    avg,
    hist,
    stats,
    dist,
    // values
    str,
    entry,
    age,
    percentile,
    kstack,
    ustack,
    size_of,
    offset_of,
    kptr,
    uptr,
    buf,
    strlen,
    strncmp,
    strcontains,
    has_key,
    length,
    getopt,
    // statements
    printf,
    print,
    clear,
    zero,
    remove,
    exit,
    // text and addresses
    lhist,
    tseries,
    nsecs,
    ksym,
    usym,
    kaddr,
    reg,
    ntop,
    pton,
    macaddr,
    strftime,
    strerror,
    errno_name,
    signal_name,
    syscall_name,
    name_text,
    cgroup_path,
    cgroupid,
    bswap,
    substr,
    str_concat,
    tolower,
    toupper,
    flag_names,
    strtol,
    glob,
    globmatch,
    matches,
    strstr,
    strcap,
    memcmp,
    // actions of the runtime
    time,
    join,
    cat,
    system,
    signal,
    signal_thread,
    delay,
    setsockopt,
    write_user,
    errorf,
    warnf,
    debugf,
    assert_,
    static_assert_,
    fail,
    // texts by formats
    sprintf_,
    // known only to the kernel or to another process
    process_comm,
    container_of,
    percpu_kaddr,
    uaddr,
    path,
    socket_cookie,
    override_,
    counter,
    // collected values and queries about them
    samples,
    count_of,
    sum_of,
    min_of,
    max_of,
    avg_of,
    variance_of,
    hist_log,
    hist_linear,
    // many values in one
    all_args,
    whole,
    syscall_args,
    // known at compile time
    is_str,
    is_ptr,
    is_array,
    is_integer,
    is_unsigned_integer,
    is_literal,
    assert_str,
    default_str_length,
    kfunc_exist,
    kfunc_allowed,
    // addresses, maps and tasks
    is_err,
    find,
    pid_in,
    tid_in,
    type_info,
    // frames of a stack, characters of a string
    kframe,
    uframe,
    ksym_offset,
    usym_part,
    byte_at,
    quoted,
    quoted_bytes,
    // where time goes
    why,
    snapshot,
};

// The names of the other questions about a symbol of a program, for its type's name.
inline constexpr std::string_view symbol_object = "object", symbol_place = "place", symbol_file = "file",
                                  symbol_line = "line";

enum class Want : uint8_t {
    at_opening,
    integer,
    string,
    address_or_string,
    bytes,    // an address, or a value in memory
    number,   // a number as written, including a duration
    literal,  // a string as written
    word,     // a name that stands for itself
    value,
    map,
    map_or_value,
    format,
    distribution,
    percent,
    frames,
    frames_or_form,
    collected,  // the value of a map that collects
};

struct Parameter {
    std::string_view name;
    Want want;
    bool optional = false;
    bool repeated = false;  // only the last parameter
};

struct FunctionRow {
    Function id;
    std::string_view name;
    std::array<Parameter, 4> parameters;  // up to the first with an empty name
    Aggregation aggregation;              // none: not an aggregation
    Type result;
    std::string_view sentence;
    std::string_view example;
    bool unsafe = false;  // changes what is traced or runs commands: only with --unsafe

    std::span<const Parameter> wants() const;
};

std::span<const VariableRow> variable_rows();
const VariableRow& variable_row(Variable id);
const VariableRow* find_variable(std::string_view name);  // "arg3" is found as the row of `arg`

std::span<const FunctionRow> function_rows();
const FunctionRow& function_row(Function id);
const FunctionRow* find_function(std::string_view name);
// "hist(value)", "printf(format, values...)"
std::string signature(const FunctionRow& row);

// A variable or function of bpftrace that lt does not support yet.
struct OtherName {
    std::string_view name;
    std::string_view instead;  // what to write instead
};
const OtherName* find_other_name(std::string_view name);  // null: it is none of them

}  // namespace lt
