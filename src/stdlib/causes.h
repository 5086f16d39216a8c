// Where the time inside a span goes: a row for each cause. A thread is in exactly one state at a time, so the causes of
// a span add up to its latency.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// The first ones are known from the events of the scheduler and of interrupts, the others from the function in which a
// thread waits. The first ten have the same numbers in stdlib/bpf/why.bpf.c.
enum class Cause : uint8_t {
    running,
    irq,
    softirq,
    woken,
    preempted,
    throttled,
    other,
    lock,
    mmap_lock,
    memory,
    futex,
    disk,
    fault,
    dirty,
    network,
    pipe,
    poll,
    timer,
    child,
    stopped,
    signal,
    file_lock,
    server,
    kernel,
    terminal,
    ipc,
    unexplained,
};
constexpr uint32_t cause_count = static_cast<uint32_t>(Cause::unexplained);  // as LT_CAUSES in stdlib/bpf/why.bpf.c

enum class CauseGroup : uint8_t { running, interrupts, runq, blocked, unexplained };

struct CauseRow {
    Cause id;
    std::string_view name;  // as a member of `why`
    CauseGroup group;
    std::string_view title;     // in tables: "block I/O"
    std::string_view sentence;  // what it means, for help and manual
    std::string_view example;   // of a program: a call that spends its time on this
};
std::span<const CauseRow> cause_rows();
// Those with this name, with this title ("run queue: woken") or its first part ("run queue"), or with this word in it.
std::vector<const CauseRow*> causes_named(std::string_view words);
std::string_view group_name(CauseGroup group);
constexpr size_t cause_groups = 5;

// The type of `why`: a record of the cause with the most time, the time of each cause, and that of the groups
// interrupts, runq and blocked; then the longest wait, a record as well.
const Type& why_type();

// A function of the kernel in which a thread waits for this. The compiler's suffixes (.isra.0) are not part of a name.
struct WaitRow {
    std::string_view function;
    Cause cause;
    bool anywhere = false;  // it counts wherever it is on the stack; else among the innermost frames
};
// Where several are on a stack, the first row counts.
std::span<const WaitRow> wait_rows();

}  // namespace lt
