// The records of the flight recorder: the programs in stdlib/bpf/recorder.bpf.c and in scripts write them, runtime/
// recorder reads them from memory, files hold them (recording/file.h, ltr(5)).
//
// In memory: for each CPU two rings of slots, which overwrite themselves. One generation of rings is written, the other
// one rests; a word says which. A writer reserves a slot by adding 1 to its ring's head, sets the slot's sequence to 0,
// fills it, and sets the sequence to the low half of the slot's index + 1.
#pragma once

#include <cstdint>
#include <string_view>

namespace lt {

// The meaning of `a` and `b` of a record; `tid` is the thread that the record is about.
enum class RecordKind : uint8_t {
    none,
    switched,     // tid leaves its CPU. a: switch_*; b: the stack in which the next thread had waited, 0: not taken
    waking,       // tid is woken. a: waking_*; b: its priority, and in the high half its CPU
    lock_begin,   // tid begins to wait for a lock of the kernel. a: address; b: lock_*
    lock_end,     // tid has it, or gives up. a: address; b: the result, 32 bits
    futex,        // tid waits in futex(); follows its `switched`. a: address; b: futex_*
    block_issue,  // a request goes to a device. a: sector; b: block_*
    block_done,   // likewise, when it is complete
    softirq,      // has ended on this CPU, while tid was current. a: vector; b: nanoseconds
    irq,          // likewise a hard interrupt. a: its number
    fault,        // page faults of user code. a: the last address; b: how many since the CPU's last such record
    fork,         // tid is new. a: its process; b: the thread that made it
    name,         // tid is called so from now on, or at its last switch. a, b: 16 characters, padded with zeros
    exit,         // tid ends. a, b: its name
    open,         // tid opens a span. a: the span's index
    close,        // tid closes a span. a: the span's index, and in the high half who opened it, 0: idle; b: latency
    trigger,      // a snapshot was requested. a: the span's index, or outside_spans; b: latency so far
    renamed,      // tid had this name until now; a `name` follows. a, b: 16 characters
    member,       // tid, which ends, is a thread of this process. a: the process
};
constexpr uint32_t record_kinds = static_cast<uint32_t>(RecordKind::member) + 1;
constexpr uint64_t outside_spans = 0xffffffff;

// switched, a: the next thread's number, the state (16 bits: the kernel's task state), flags, the tracepoint's
// prev_state (4 bits: the number of its bit, from 1), and 1 if the thread could go on but for its group's CPU quota.
constexpr int switch_state_at = 32, switch_flags_at = 48, switch_reported_at = 49, switch_throttled_at = 53;
constexpr uint64_t switch_preempted = 1;
// waking, a: the thread that is current, what it is in, the softirq's vector, flags.
constexpr int waking_context_at = 32, waking_vector_at = 40, waking_flags_at = 48;
constexpr uint64_t waking_sends = 1;      // the current thread sent the packet over loopback that the softirq delivers
constexpr uint64_t waking_throttled = 2;  // the CPU quota of the woken thread's group is used up
constexpr uint64_t waking_releases = 4;   // the current thread has just released the lock that tid waits for in futex()
enum class WakeContext : uint8_t { thread, interrupt, softirq, timer };
// lock_begin, b: the kernel's LCB_F_* flags, then flags of ours, and in the high half the owner's thread, 0: unknown.
constexpr uint64_t lock_spins = 1, lock_read = 2, lock_write = 4, lock_mutex = 32, lock_mmap = 1 << 16;
constexpr int lock_owner_at = 32;
// futex, b: the owner's number as the lock's word has it, and in the high half the waiter's number in its own PID
// namespace.
constexpr int futex_own_at = 32;
// block_issue and block_done, b: sectors (24 bits), 1 for a write and 2 for a flush (8 bits), device as minor (20 bits)
// and major (12).
constexpr int block_does_at = 24, block_device_at = 32, block_major_at = 52;
constexpr int close_opener_at = 32;

// A record in memory.
struct KeptSlot {
    uint32_t sequence;
    uint32_t what;  // RecordKind, and from bit 8 on the thread's number
    uint64_t time;  // the monotonic clock, nanoseconds
    uint64_t a, b;
};
static_assert(sizeof(KeptSlot) == 32);
constexpr uint32_t slot_tid_at = 8;

// The map of heads: first the control element, then 2 * cpus rings, those of generation 0 first.
struct KeptControl {
    uint64_t generation;  // the lowest bit: which one is written
    uint64_t mask;        // slots of a ring - 1; a power of two - 1
    uint64_t cpus;
    uint64_t on;  // 0: nothing is recorded
    uint64_t unused[4];
};
struct KeptRing {
    uint64_t head;  // how many slots were ever reserved
    uint64_t unused[7];
};
static_assert(sizeof(KeptControl) == 64 && sizeof(KeptRing) == 64);

// Stacks by their hash, of waits that are not short. A slot is overwritten by another stack with the same low bits;
// records whose stack is gone have none.
constexpr uint64_t long_wait_ns = 200'000;
constexpr uint32_t kept_frames = 16;
struct KeptStack {
    uint64_t hash;                 // 0: while it is written
    uint64_t frames[kept_frames];  // addresses, innermost first, up to a zero
};
static_assert(sizeof(KeptStack) == 136);
constexpr uint32_t kept_stacks = 8192;

// The hash as the kernel's side computes it.
constexpr uint64_t stack_hash(const uint64_t (&frames)[kept_frames]) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const uint64_t frame : frames) {
        if (frame == 0) break;
        hash = (hash ^ frame) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash == 0 ? 1 : hash;
}

// Maps, by their names in objects.
constexpr std::string_view keep_rings_map = "lt_keep_rings", keep_slots_map = "lt_keep_slots",
                           keep_stacks_map = "lt_keep_stacks";

}  // namespace lt
