// The kinds of probe: one row each. A new kind is a row here, a provider that finds its locations (codegen/providers)
// and a way to attach it (runtime/attach).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lt {

enum class ProbeKind : uint8_t {
    begin,
    end,
    error,
    interval,
    tracepoint,
    raw_tracepoint,
    kprobe,
    kretprobe,
    fentry,
    fexit,
    uprobe,
    uretprobe,
    syscall,
    usdt,
    profile,
    software,
    hardware,
    watchpoint,
    self,
    iter,
    socket,
};

// The form of the text after the first colon.
enum class Place : uint8_t {
    nothing,          // BEGIN
    period,           // interval:s:1 or interval:1s
    event,            // tracepoint:CATEGORY:EVENT
    raw_event,        // rawtracepoint:EVENT
    kernel_function,  // kprobe:FUNCTION or kprobe:MODULE:FUNCTION
    system_call,      // syscall:NAME
    binary_function,  // uprobe:PATH:FUNCTION, also +OFFSET or 0xADDRESS for entries
    marker,           // usdt:PATH:NAME or usdt:PATH:PROVIDER:NAME
    clock,            // profile:hz:99
    counter,          // software:EVENT:COUNT
    address,          // watchpoint:ADDRESS:LENGTH:ACCESS
    signal,           // self:signal:NAME
    kernel_objects,   // iter:KIND
    socket_event,     // socket:accepted
};

// Does lt itself run the programs, so that they never interrupt what is traced?
constexpr bool run_by_lt(Place place) {
    return place == Place::nothing || place == Place::period || place == Place::signal ||
           place == Place::kernel_objects;
}

// A system call's two tracepoints: CATEGORY:ENTRY and CATEGORY:EXIT followed by its name.
inline constexpr std::string_view all_calls_category =
    "raw_syscalls";  // the prefixes of the tracepoints of entries and exits
inline constexpr std::string_view all_calls_entry = "sys_enter";
inline constexpr std::string_view all_calls_exit = "sys_exit";
inline constexpr std::string_view syscall_category = "syscalls";
inline constexpr std::string_view syscall_entry = "sys_enter_";
inline constexpr std::string_view syscall_exit = "sys_exit_";
inline constexpr std::string_view syscall_number =
    "__syscall_nr";  // the first field of each of their records, not an argument

struct ProbeRow {
    ProbeKind kind;
    std::string_view name;
    std::string_view brief;  // the one or two letters that people type; may be empty
    Place place;
    bool arguments;  // arg0, arg1 ...
    bool fields;     // args.NAME
    bool result;     // retval
    bool spans;      // `probe < ... >` spans from this entry to the return of the same function
    std::string_view shape;
    std::string_view sentence;
    std::string_view example;
};

std::span<const ProbeRow> probe_rows();
const ProbeRow& probe_row(ProbeKind kind);
// By brief, or by name ignoring case; nullptr if not found.
const ProbeRow* find_probe(std::string_view name);

// A kind of bpftrace that lt does not support yet.
struct OtherKind {
    std::string_view name;
    std::string_view instead;  // what to write instead
};
const OtherKind* find_other_kind(std::string_view name);  // null: it is none of them

}  // namespace lt
