// Who has to do with a wait: the thread that ends it, the one that holds the lock; and where it was.
#pragma once

#include "atomic.h"
#include "frames.h"
#include "traced.h"
#include "waits.h"

// Where a lock has its owner, and a task its number and name.
struct lt_why_owners {
    __u64 known, mutex, rwsem, pid, comm;
};

static inline LT_API void lt_why_name(struct lt_why_thread* to, const char* task, __u64 pid_at, __u64 comm_at) {
    __u32 pid = 0;
    bpf_probe_read_kernel(&pid, sizeof pid, task + pid_at);
    bpf_probe_read_kernel(to->comm, sizeof to->comm, task + comm_at);
    to->tid = lt_run[2] ? 0 : pid;  // the kernel's own id
}

// The thread that holds a mutex, or an rwsem for writing: the owner's lowest bits are flags, of an rwsem the first one
// for readers, and of those there can be many.
static inline LT_API void lt_why_holder(struct lt_why_thread* to, const char* lock, __u64 flags,
                                        const struct lt_why_owners* at) {
    const __u64 read = 2, write = 4, others = 8 | 16, mutex = 32, reader = 1;
    const int is_rwsem = (flags & (read | write)) && !(flags & (others | mutex));
    __u64 owner = 0;
    __builtin_memset(to, 0, sizeof *to);
    if (!at->known || !(is_rwsem || flags & mutex)) return;
    if (bpf_probe_read_kernel(&owner, sizeof owner, lock + (is_rwsem ? at->rwsem : at->mutex))) return;
    if (owner < 8 || (is_rwsem && owner & reader)) return;
    lt_why_name(to, (const char*)(owner & ~7ull), at->pid, at->comm);
}

// The stack gets its key in `to`.
static inline LT_API void lt_why_keep_stack(const __u64* stack, struct lt_stack_key* to, void* scratch, void* stacks,
                                            __u32 collision, __u32 full, __u32 busy) {
    struct lt_frames* f = lt_claim_frames(scratch);
    if (!f) {
        lt_lost_stack(to, busy);
        return;
    }
    for (__u32 i = 0; i < LT_WHY_FRAMES; i++) f->at[i] = stack[i];
    f->at[LT_WHY_FRAMES] = 0;
    lt_keep_frames(to, stacks, f, LT_KERNEL_LIMIT, collision, full);
    *(volatile __u64*)&f->claimed = 0;
}

// Who wakes a thread. An interrupt has no number: the thread that it interrupts has nothing to do with it. An idle CPU
// wakes no thread by itself: it is in an interrupt that has no tracepoint, or does the work that one has left to it.
static inline LT_API void lt_why_waker(struct lt_why_thread* to, __u64 inner) {
    const __u32 tid = inner ? 0 : (__u32)bpf_get_current_pid_tgid();
    to->tid = tid && lt_run[2] ? (__u32)lt_own_ids() : tid;
    if (tid == 0)
        __builtin_memcpy(to->comm, inner == 2 ? "softirq\0\0\0\0\0\0\0\0" : "interrupt\0\0\0\0\0\0", LT_COMM);
    else
        bpf_get_current_comm(to->comm, sizeof to->comm);
}
