#include "stdlib/functions/builtins.h"

#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/rows.h"
#include "stdlib/functions/tables.h"

namespace lt {
namespace {

constexpr uint32_t comm_size = 16;  // TASK_COMM_LEN

// id, name, type, scope, helper, shift, in a timeout, sentence, example
constexpr std::array variables{
    VariableRow{Variable::pid, "pid", u32, Scope::anywhere, BPF_FUNC_get_current_pid_tgid, 32, true,
                "The process id of the current task (its thread group).", "k:vfs_read { @[pid] = count(); }"},
    VariableRow{Variable::tid, "tid", u32, Scope::anywhere, BPF_FUNC_get_current_pid_tgid, 0, true,
                "The current thread's id.", "k:vfs_read { @[tid] = count(); }"},
    VariableRow{Variable::uid, "uid", u32, Scope::anywhere, BPF_FUNC_get_current_uid_gid, 0, false,
                "The current task's user id.", "k:vfs_read { @[uid] = count(); }"},
    VariableRow{Variable::gid, "gid", u32, Scope::anywhere, BPF_FUNC_get_current_uid_gid, 32, false,
                "The current task's group id.", "k:vfs_read { @[gid] = count(); }"},
    VariableRow{Variable::comm, "comm", string_type(comm_size), Scope::anywhere, 0, 0, true,
                "The current task's name, up to 15 characters.", "k:vfs_read { @[comm] = count(); }"},
    VariableRow{Variable::nsecs, "nsecs", u64, Scope::anywhere, BPF_FUNC_ktime_get_ns, 0, true,
                "Nanoseconds since boot, by the clock that measures latencies.",
                "BEGIN { printf(\"%u\\n\", nsecs); exit(); }"},
    VariableRow{Variable::cpu, "cpu", u32, Scope::anywhere, BPF_FUNC_get_smp_processor_id, 0, false,
                "The current CPU's number.", "k:vfs_read { @[cpu] = count(); }"},
    VariableRow{Variable::curtask, "curtask", u64, Scope::anywhere, BPF_FUNC_get_current_task, 0, false,
                "The current task, an address of type struct task_struct *.",
                "t:sched:sched_switch { @[curtask->comm, curtask->prio] = count(); }"},
    VariableRow{Variable::latency, "latency", duration_type(), Scope::span_close, 0, 0, true,
                "The time from the opening of the span to its close; `...` means the same.",
                "k:vfs_read < @ = hist(latency) >"},
    VariableRow{Variable::retval, "retval", integer_type(8, true), Scope::function_return, 0, 0, false,
                "The value that the function returned.", "kr:vfs_read { @ = hist(retval); }"},
    VariableRow{Variable::arg, "arg", u64, Scope::entry_arguments, 0, 0, true,
                "arg0, arg1 ...: the arguments of the function, as integers.", "k:vfs_read { @ = hist(arg2); }"},
    VariableRow{Variable::args, "args", record_type(), Scope::entry_fields, 0, 0, true,
                "args.NAME: the fields of a tracepoint, the arguments of a kernel function.",
                "t:sched:sched_switch { @[args.next_comm] = count(); }"},
    VariableRow{Variable::probe, "probe", string_type(64), Scope::anywhere, 0, 0, true,
                "The probe as written in the script.", "k:vfs_* { @[probe] = count(); }"},
    VariableRow{Variable::kstack, "kstack", stack_type(), Scope::stack, 0, 0, true,
                "The kernel's call stack, up to 127 frames, innermost first.", "k:vfs_read { @[kstack] = count(); }"},
    VariableRow{Variable::ustack, "ustack", stack_type(), Scope::stack, 0, 0, false,
                "The program's call stack, up to 127 frames, innermost first; found by frame pointers.",
                "u:/bin/bash:readline { @[ustack, comm] = count(); }"},
    VariableRow{Variable::elapsed, "elapsed", duration_type(), Scope::anywhere, 0, 0, true,
                "The time since the session began, a duration.", "interval:1s { printf(\"%s\\n\", elapsed); }"},
    VariableRow{Variable::func, "func", string_type(64), Scope::function, 0, 0, true,
                "The name of the traced function.", "k:vfs_* { @[func] = count(); }"},
    VariableRow{Variable::probetype, "probetype", string_type(16), Scope::anywhere, 0, 0, true,
                "The kind of the probe, for example kprobe.", "k:vfs_read { @[probetype] = count(); }"},
    VariableRow{Variable::cgroup, "cgroup", u64, Scope::anywhere, BPF_FUNC_get_current_cgroup_id, 0, false,
                "The id of the current task's control group (version 2).", "k:vfs_read { @[cgroup] = count(); }"},
    VariableRow{Variable::rand, "rand", u32, Scope::anywhere, BPF_FUNC_get_prandom_u32, 0, true,
                "A random 32-bit number.", "k:vfs_read /rand % 100 == 0/ { @[comm] = count(); }"},
    VariableRow{Variable::jiffies, "jiffies", u64, Scope::anywhere, BPF_FUNC_jiffies64, 0, true,
                "Ticks of the kernel's timer.", "BEGIN { printf(\"%u\\n\", jiffies); exit(); }"},
    VariableRow{Variable::ncpus, "ncpus", u64, Scope::anywhere, 0, 0, true, "The number of possible CPUs.",
                "BEGIN { printf(\"%d\\n\", ncpus); exit(); }"},
    VariableRow{Variable::numaid, "numaid", u32, Scope::anywhere, BPF_FUNC_get_numa_node_id, 0, false,
                "The current CPU's NUMA node.", "k:vfs_read { @[numaid] = count(); }"},
    VariableRow{Variable::username, "username", named(u32, Naming::user), Scope::anywhere, BPF_FUNC_get_current_uid_gid,
                0, false, "The current task's user name.", "k:vfs_read { @[username] = count(); }"},
    VariableRow{Variable::ctx, "ctx", u64, Scope::anywhere, 0, 0, false,
                "The address of the probe's context; in an iterator a struct bpf_iter__KIND *.",
                "iter:task { @[ctx->task->comm] = count(); }"},
    VariableRow{Variable::ppid, "ppid", u32, Scope::anywhere, 0, 0, false, "The parent process's id.",
                "k:vfs_read { @[ppid] = count(); }", "real_parent.tgid"},
    VariableRow{Variable::pcomm, "pcomm", string_type(comm_size), Scope::anywhere, 0, 0, false,
                "The parent process's name.", "k:vfs_read { @[pcomm] = count(); }", "real_parent.comm"},
    VariableRow{Variable::leader_tid, "leader_tid", u32, Scope::anywhere, 0, 0, false,
                "The id of the thread group's leader, its first thread.", "k:vfs_read { @[leader_tid] = count(); }",
                "group_leader.pid"},
    VariableRow{Variable::leader_comm, "leader_comm", string_type(comm_size), Scope::anywhere, 0, 0, false,
                "The name of the thread group's leader.", "k:vfs_read { @[leader_comm] = count(); }",
                "group_leader.comm"},
    VariableRow{Variable::usermode, "usermode", integer_type(8, true), Scope::anywhere, 0, 0, false,
                "Was the CPU running user code, not kernel code? For probes that sample or count.",
                "profile:hz:99 { @[usermode] = count(); }"},
    VariableRow{Variable::cpid, "cpid", u32, Scope::anywhere, 0, 0, true, "The process id of the command of -c.",
                "k:vfs_read /pid == cpid/ { @[comm] = count(); }"},
    VariableRow{Variable::has_cpid, "has_cpid", truth_value, Scope::anywhere, 0, 0, true,
                "Was -c given? A script that uses this can use cpid, which is then 0 without -c.",
                "BEGIN { if (has_cpid) { printf(\"%d\\n\", cpid); } exit(); }"},
    VariableRow{
        Variable::why, "why", record_type(), Scope::span_close, 0, 0, false,
        "Where the time of the span went: `why.cause` is the cause with the most time, `why.running`, `why.runq`, "
        "`why.blocked` and the others are durations that add up to the latency.",
        "sc:read < @[why.cause] = count() >"},
};
static_assert(in_enum_order(variables, &VariableRow::id, static_cast<size_t>(Variable::why) + 1));

constexpr Parameter value_in{"value", Want::integer};
constexpr Type no_result = nothing();

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array functions{
    FunctionRow{
        Function::count, "count", {}, Aggregation::count, no_result, "How often.", "k:vfs_read { @[comm] = count(); }"},
    FunctionRow{Function::sum,
                "sum",
                {value_in},
                Aggregation::sum,
                no_result,
                "The sum of the values.",
                "k:vfs_read { @ = sum(arg2); }"},
    FunctionRow{Function::min,
                "min",
                {value_in},
                Aggregation::min,
                no_result,
                "The smallest value.",
                "k:vfs_read < @ = min(latency) >"},
    FunctionRow{Function::max,
                "max",
                {value_in},
                Aggregation::max,
                no_result,
                "The largest value.",
                "k:vfs_read < @ = max(latency) >"},
    FunctionRow{Function::avg,
                "avg",
                {value_in},
                Aggregation::avg,
                no_result,
                "The average of the values.",
                "k:vfs_read < @ = avg(latency) >"},
    FunctionRow{Function::hist,
                "hist",
                {value_in, Parameter{"bits", Want::number, true}},
                Aggregation::hist,
                no_result,
                "A histogram whose buckets double; for durations the buckets have round bounds. With `bits` from 1 to "
                "5 each doubling is split into 2, 4, 8, 16 or 32.",
                "k:vfs_read < @ns = hist(...) >"},
    FunctionRow{Function::stats,
                "stats",
                {value_in},
                Aggregation::stats,
                no_result,
                "The number of values, their average and their total.",
                "k:vfs_read { @[comm] = stats(arg2); }"},
    FunctionRow{Function::dist,
                "dist",
                {value_in},
                Aggregation::dist,
                no_result,
                "A distribution: exact count, average, minimum and maximum, percentiles within 2.2 %, and a histogram. "
                "Takes 8 KB per key, 16 KB if values can be negative; without a key, per CPU.",
                "k:vfs_read < @ns[comm] = dist(...) >"},
    FunctionRow{
        Function::str,
        "str",
        {Parameter{"address", Want::address_or_string}, Parameter{"length", Want::integer, true}},
        Aggregation::none,
        string_type(64),
        "The string at an address, up to 63 bytes or the given length; a string stays the same, or is truncated.",
        "t:syscalls:sys_enter_openat { @[str(args.filename)] = count(); }"},
    FunctionRow{
        Function::entry,
        "entry",
        {Parameter{"expression", Want::at_opening}},
        Aggregation::none,
        no_result,
        "The value that the expression had when the span opened.",
        "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @[entry(comm)] = hist(latency) >"},
    FunctionRow{Function::age,
                "age",
                {Parameter{"span", Want::value}, Parameter{"key", Want::value, true, true}},
                Aggregation::none,
                duration_type(),
                "How long the span of this name has been open, for this thread or for a key; 0 if it is not open.",
                "span reading = k:vfs_read < @ = hist(latency) > t:sched:sched_switch /age(reading) > 1ms/ { "
                "@late[comm] = count(); }"},
    FunctionRow{
        Function::percentile,
        "percentile",
        {Parameter{"@map", Want::distribution}, Parameter{"percent", Want::percent}},
        Aggregation::none,
        no_result,
        "A percentile of the values that dist() collected in @map or @map[key], over all CPUs, when the line is "
        "printed; `-` where there is "
        "nothing. An argument of print() or printf() only. The percent is a number from 0 (the minimum) to 100 "
        "(the maximum); "
        "one with a fraction stands in quotes: \"99.9\".",
        "k:vfs_read < @ns = dist(...) > interval:1s { printf(\"p99 %s, p99.9 %s\\n\", percentile(@ns, 99), "
        "percentile(@ns, \"99.9\")); }"},
    FunctionRow{Function::kstack,
                "kstack",
                {Parameter{"form", Want::frames_or_form}, Parameter{"frames", Want::frames, true}},
                Aggregation::none,
                stack_type(),
                "The innermost frames of the kernel's call stack, 1 to 127 of them, or all of it in another form: "
                "bpftrace, perf, raw; or both, "
                "as in kstack(perf, 5).",
                "k:vfs_read { @[kstack(3)] = count(); }"},
    FunctionRow{Function::ustack,
                "ustack",
                {Parameter{"form", Want::frames_or_form}, Parameter{"frames", Want::frames, true}},
                Aggregation::none,
                stack_type(),
                "The innermost frames of the program's call stack, 1 to 127 of them, or all of it in another form: "
                "bpftrace, perf, raw; or both, "
                "as in ustack(perf, 5).",
                "u:/bin/bash:readline { print(ustack(5)); }"},
    FunctionRow{Function::size_of,
                "sizeof",
                {Parameter{"type or value", Want::value}},
                Aggregation::none,
                u64,
                "The size of a type or a value in bytes.",
                "BEGIN { print(sizeof(struct task_struct)); exit(); }"},
    FunctionRow{Function::offset_of,
                "offsetof",
                {Parameter{"type", Want::value}, Parameter{"member", Want::value}},
                Aggregation::none,
                u64,
                "The offset of a structure's member, in bytes; the member may be a path, such as a.b.",
                "BEGIN { print(offsetof(struct task_struct, comm)); exit(); }"},
    FunctionRow{Function::kptr,
                "kptr",
                {Parameter{"address", Want::integer}},
                Aggregation::none,
                u64,
                "The address, marked as kernel memory.",
                "u:/bin/bash:readline { print(*kptr((uint64 *)arg0)); }"},
    FunctionRow{Function::uptr,
                "uptr",
                {Parameter{"address", Want::integer}},
                Aggregation::none,
                u64,
                "The address, marked as user memory.",
                "k:vfs_read { print(*uptr((uint8 *)arg1)); }"},
    FunctionRow{Function::buf,
                "buf",
                {Parameter{"address", Want::bytes}, Parameter{"length", Want::integer, true}},
                Aggregation::none,
                no_result,
                "The bytes at an address, or those of an array or a structure; prints \\xNN for what is not "
                "printable ASCII.",
                "t:syscalls:sys_enter_write { printf(\"%r\\n\", buf(args.buf, args.count)); }"},
    FunctionRow{Function::strlen,
                "strlen",
                {Parameter{"string", Want::string}},
                Aggregation::none,
                u64,
                "The length of a string, as far as it was read.",
                "t:syscalls:sys_enter_openat { @ = hist(strlen(str(args.filename, 255))); }"},
    FunctionRow{
        Function::strncmp,
        "strncmp",
        {Parameter{"string", Want::string}, Parameter{"string", Want::string}, Parameter{"length", Want::number}},
        Aggregation::none,
        integer_type(8, true),
        "Compares the first bytes of two strings: 0 if they are equal, else below or above 0 by their order.",
        "t:sched:sched_switch /strncmp(args.next_comm, \"kworker\", 7) == 0/ { @ = count(); }"},
    FunctionRow{Function::strcontains,
                "strcontains",
                {Parameter{"string", Want::string}, Parameter{"part", Want::string}},
                Aggregation::none,
                truth_value,
                "Does the first string contain the second?",
                "t:syscalls:sys_enter_openat /strcontains(str(args.filename), \".so\")/ { @[comm] = count(); }"},
    FunctionRow{Function::has_key,
                "has_key",
                {Parameter{"@map[key]", Want::map}},
                Aggregation::none,
                truth_value,
                "Is there a value for this key? has_key(@map, key) is the same.",
                "k:vfs_read { @[tid] = nsecs; } kr:vfs_read /has_key(@[tid])/ { delete(@[tid]); }"},
    FunctionRow{Function::length,
                "len",
                {Parameter{"map", Want::map}},
                Aggregation::none,
                integer_type(8, true),
                "The number of keys of a map; lt counts them one by one.",
                "k:vfs_read { @[tid] = 1; } interval:1s { printf(\"%d\\n\", len(@)); }"},
    FunctionRow{Function::getopt,
                "getopt",
                {Parameter{"name", Want::string}, Parameter{"default", Want::value, true},
                 Parameter{"description", Want::string, true}},
                Aggregation::none,
                integer_type(8, true),
                "The value of the script's option --name=value, or its default; without a default, whether the option "
                "was given.",
                "BEGIN { printf(\"%d\\n\", getopt(\"limit\", 10, \"how many\")); exit(); }"},
    FunctionRow{Function::printf,
                "printf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                no_result,
                "Prints values by a format, as printf(3) does.",
                "BEGIN { printf(\"%s %d\\n\", comm, pid); exit(); }"},
    FunctionRow{
        Function::print,
        "print",
        {Parameter{"value", Want::map_or_value}, Parameter{"top", Want::integer, true},
         Parameter{"divisor", Want::integer, true}},
        Aggregation::none,
        no_result,
        "Prints a map, or a value and a newline; for a map only the largest `top` values, divided by `divisor`.",
        "k:vfs_read { @[comm] = count(); } interval:1s { print(@); }"},
    FunctionRow{Function::clear,
                "clear",
                {Parameter{"map", Want::map}},
                Aggregation::none,
                no_result,
                "Removes all keys of a map.",
                "k:vfs_read { @[comm] = count(); } interval:1s { print(@); clear(@); }"},
    FunctionRow{Function::zero,
                "zero",
                {Parameter{"map", Want::map}},
                Aggregation::none,
                no_result,
                "Sets all values of a map to zero and keeps its keys.",
                "k:vfs_read { @[comm] = count(); } interval:1s { print(@); zero(@); }"},
    FunctionRow{Function::remove,
                "delete",
                {Parameter{"@map[key]", Want::map, false, true}},
                Aggregation::none,
                truth_value,
                "Removes one key of a map, and returns whether it existed; delete(@map, key) is the same.",
                "k:vfs_read { @[tid] = nsecs; } kr:vfs_read { delete(@[tid]); }"},
    FunctionRow{Function::exit,
                "exit",
                {Parameter{"status", Want::integer, true}},
                Aggregation::none,
                no_result,
                "Ends the script with this status, and prints its maps.",
                "interval:10s { exit(); }"},
};

constexpr std::array names_of_others{
    OtherName{"dw_ustack", "`ustack` follows frame pointers"},
    OtherName{"sarg",
              "`*(uint64 *)(reg(\"sp\") + 8)` is the first word on the stack after the return address, with 16 it is "
              "the second; Go 1.17 and later pass arguments in registers: `arg0`"},
    OtherName{"skboutput",
              "`buf(args.skb->data, 64)` has the first bytes of a packet, `tcpdump -w FILE` writes packets to a file"},
    OtherName{"stack", "write `kstack` or `ustack`"},
    OtherName{"unwatch", "a watchpoint stays until the run ends"},
};

bool is_argument(std::string_view name) {
    return name.size() > 3 && name.substr(0, 3) == "arg" &&
           std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::span<const Parameter> FunctionRow::wants() const {
    size_t n = 0;
    while (n < parameters.size() && !parameters[n].name.empty()) n++;
    return std::span(parameters).first(n);
}

std::span<const VariableRow> variable_rows() { return variables; }

const VariableRow& variable_row(Variable id) { return variables[static_cast<size_t>(id)]; }

const VariableRow* find_variable(std::string_view name) {
    for (const VariableRow& row : variables) {
        if (row.id == Variable::arg ? is_argument(name) : name == row.name) return &row;
    }
    return nullptr;
}

// All tables as one, in the order of the ids.
std::span<const FunctionRow> function_rows() {
    static const std::vector<FunctionRow> all = [] {
        std::vector<FunctionRow> rows(functions.begin(), functions.end());
        for (std::span<const FunctionRow> table :
             {text_functions(), runtime_functions(), format_functions(), kernel_functions(), samples_functions(),
              whole_functions(), type_functions(), part_functions()})
            rows.insert(rows.end(), table.begin(), table.end());
        return rows;
    }();
    return all;
}

const FunctionRow& function_row(Function id) { return function_rows()[static_cast<size_t>(id)]; }

const FunctionRow* find_function(std::string_view name) {
    const auto rows = function_rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const FunctionRow& r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

std::string signature(const FunctionRow& row) {
    std::string out(row.name);
    out += '(';
    for (const Parameter& p : row.wants()) {
        if (out.back() != '(') out += ", ";
        out += p.name;
        if (p.repeated) out += "...";
    }
    return out + ')';
}

const OtherName* find_other_name(std::string_view name) {
    if (name.starts_with('s') && is_argument(name.substr(1))) name = "sarg";  // sarg0, sarg1 ...
    return find_row(names_of_others, name, &OtherName::name);
}

}  // namespace lt
