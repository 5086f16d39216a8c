// The single waits of a thread inside a span with `why`. Plain C without BPF, so that tests on the host run the same
// lines.
#pragma once

#include <linux/types.h>

#define LT_WHY_FRAMES 16
#define LT_WHY_WAITS 8  // a power of two
#define LT_COMM 16

// A thread of interest: its number and name; number 0 and no name: unknown. In a PID namespace the number is the one
// there; 0 with a name: it is not in there, or only the kernel's number is known.
struct lt_why_thread {
    __u64 tid;
    char comm[LT_COMM];
};

// A time without a CPU that had one cause.
struct lt_why_wait {
    __u64 begin, time, cause;
    __u64 dropped;                    // when the last one began that was dropped before this one
    struct lt_why_thread by, holder;  // who ended it, or took the CPU; who held the lock: see lt_why_released()
    __u64 stack[LT_WHY_FRAMES];       // where it waited; empty in the run queue
};

// For spans that report their longest wait. A wait that is followed by a longer one is not the longest of any span that
// ends later, so it is forgotten; what remains gets shorter and shorter, and the longest since an opening is the first
// that began after it. If there is no room, the oldest one is dropped if it was before the thread's latest opening, and
// the newest one otherwise; a span that it belonged to then has no longest wait.
struct lt_why_waits {
    __u64 began;                      // the wait that the thread is in
    struct lt_why_thread by, holder;  // its
    __u64 opened;                     // the latest opening
    __u64 dropped;                    // when the last one began that was dropped as the oldest
    __u32 process, owner;             // waiting for a lock of this process, owned by this thread in its PID namespace
    __u64 address;                    // of that lock
    __u32 first, count;
    struct lt_why_wait at[LT_WHY_WAITS];
};

// The room for a wait.
static inline __attribute__((always_inline)) struct lt_why_wait* lt_why_push(struct lt_why_waits* w, __u64 begin,
                                                                             __u64 time, __u64 cause) {
    const __u32 mask = LT_WHY_WAITS - 1, before = w->count;
    __u32 count = before;
    for (__u32 i = 0; i < LT_WHY_WAITS; i++) {
        if (count == 0 || w->at[(w->first + count - 1) & mask].time > time) break;
        count--;
    }
    // what was dropped before the wait that this one replaces may be longer than both
    __u64 dropped = count < before ? w->at[(w->first + count) & mask].dropped : 0;
    if (count >= LT_WHY_WAITS) {
        count = LT_WHY_WAITS - 1;
        if (w->at[w->first & mask].begin < w->opened) {
            w->dropped = w->at[w->first & mask].begin;
            w->first = (w->first + 1) & mask;
            dropped = 0;
        } else {
            dropped = w->at[(w->first + count) & mask].begin;
        }
    }
    struct lt_why_wait* wait = &w->at[(w->first + count) & mask];
    w->count = count + 1;
    wait->dropped = dropped;
    wait->begin = begin;
    wait->time = time;
    wait->cause = cause;
    wait->by = w->by;
    return wait;
}

// The longest wait that began at `opened` or later; none if it was dropped.
static inline __attribute__((always_inline)) const struct lt_why_wait* lt_why_first(const struct lt_why_waits* w,
                                                                                    __u64 opened) {
    if (w->dropped >= opened) return 0;
    for (__u32 i = 0; i < LT_WHY_WAITS; i++) {
        const struct lt_why_wait* wait = &w->at[(w->first + i) & (LT_WHY_WAITS - 1)];
        if (i >= w->count) break;
        if (wait->begin >= opened) return wait->dropped < opened ? wait : 0;
    }
    return 0;
}
