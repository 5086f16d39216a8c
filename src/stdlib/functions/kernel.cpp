// Functions whose answer only the kernel or another process knows, and the one that changes a function's result.
#include <array>

#include "stdlib/functions/tables.h"

namespace lt {
namespace {

// id, name, parameters, aggregation, result, sentence, example, unsafe
constexpr std::array of_kernel{
    FunctionRow{Function::process_comm,
                "comm",
                {Parameter{"pid", Want::integer}},
                Aggregation::none,
                named(integer_type(4, false), Naming::process),
                "The name of the process with this id, when the line is printed; the id if the process has ended.",
                "t:sched:sched_wakeup { @[comm(args.pid)] = count(); }"},
    FunctionRow{Function::container_of,
                "container_of",
                {Parameter{"address", Want::integer}, Parameter{"type", Want::value}, Parameter{"member", Want::value}},
                Aggregation::none,
                u64,
                "The address of the structure whose member, or path of members, is at this address.",
                "k:vfs_read { print(container_of(arg1, struct task_struct, comm)->pid); }"},
    FunctionRow{Function::percpu_kaddr,
                "percpu_kaddr",
                {Parameter{"symbol", Want::literal}, Parameter{"cpu", Want::integer, true}},
                Aggregation::none,
                u64,
                "The address of a per-CPU variable of the kernel: that of this CPU, or of the CPU with this number; 0 "
                "if there is no such CPU.",
                "BEGIN { printf(\"%x\\n\", percpu_kaddr(\"runqueues\", 0)); exit(); }"},
    FunctionRow{Function::uaddr,
                "uaddr",
                {Parameter{"symbol", Want::literal}},
                Aggregation::none,
                u64,
                "The address of a variable or a function of the traced program, in the current process. Where a "
                "function of the program begins, not at its return.",
                "u:/bin/bash:readline { printf(\"%x\\n\", uaddr(\"main\")); }"},
    FunctionRow{
        Function::path,
        "path",
        {Parameter{"address", Want::value}, Parameter{"length", Want::number, true}},
        Aggregation::none,
        string_type(1024),
        "The path of a struct path that is an argument of the function, or a member of one; in fentry: and fexit: "
        "probes, on the few functions where the kernel allows it. Up to 1024 bytes, or the given length.",
        "fentry:vfs_getattr { @[path(args.path)] = count(); }"},
    FunctionRow{Function::socket_cookie,
                "socket_cookie",
                {Parameter{"socket", Want::integer}},
                Aggregation::none,
                u64,
                "A number that is unique for each socket, for a struct sock that is an argument of the function; in "
                "fentry: and fexit: probes.",
                "fentry:tcp_sendmsg { @[socket_cookie(args.sk)] = count(); }"},
    FunctionRow{Function::override_,
                "override",
                {Parameter{"value", Want::integer}},
                Aggregation::none,
                nothing(),
                "Skips the function and returns this value. In kprobe: probes, on functions that the kernel marks for "
                "it (ALLOW_ERROR_INJECTION), if it was built with CONFIG_BPF_KPROBE_OVERRIDE. Only with --unsafe.",
                "k:vfs_read /comm == \"cat\"/ { override(-5); }",
                true},
    FunctionRow{Function::counter,
                "counter",
                {Parameter{"event", Want::literal}},
                Aggregation::none,
                u64,
                "How often an event of the kernel or of the processor, named as in software: and hardware: probes, has "
                "happened on this CPU since tracing began. Clocks count nanoseconds.",
                "t:sched:sched_switch { @[cpu] = max(counter(\"page-faults\")); }"},
};

}  // namespace

std::span<const FunctionRow> kernel_functions() { return of_kernel; }

}  // namespace lt
