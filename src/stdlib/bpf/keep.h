// Writes the records of the flight recorder. Layouts, kinds and what each word holds: runtime/border/recording.h.
#pragma once

#include "atomic.h"

enum {
    LT_KEEP_SWITCHED = 1,
    LT_KEEP_WAKING,
    LT_KEEP_LOCK_BEGIN,
    LT_KEEP_LOCK_END,
    LT_KEEP_FUTEX,
    LT_KEEP_BLOCK_ISSUE,
    LT_KEEP_BLOCK_DONE,
    LT_KEEP_SOFTIRQ,
    LT_KEEP_IRQ,
    LT_KEEP_FAULT,
    LT_KEEP_FORK,
    LT_KEEP_NAME,
    LT_KEEP_EXIT,
    LT_KEEP_OPEN,
    LT_KEEP_CLOSE,
    LT_KEEP_TRIGGER,
    LT_KEEP_RENAMED,
    LT_KEEP_MEMBER,
};

struct lt_keep_slot {
    __u32 sequence, what;
    __u64 time, a, b;
};

struct lt_keep_control {
    __u64 generation, mask, cpus, on, unused[4];
};

struct lt_keep_ring {
    __u64 head, unused[7];
};

// A time of 0 is now, read once the slot is reserved. An interrupt may come between any two lines: it gets a slot of
// its own.
static inline LT_API void lt_keep(void* rings, void* slots, __u32 kind, __u32 tid, __u64 time, __u64 a, __u64 b) {
    const __u32 first = 0;
    const struct lt_keep_control* control = bpf_map_lookup_elem(rings, &first);
    if (!control || !control->on) return;
    const __u64 mask = control->mask;
    const __u32 ring =
        (__u32)(*(const volatile __u64*)&control->generation & 1) * (__u32)control->cpus + bpf_get_smp_processor_id();
    const __u32 at = 1 + ring;
    struct lt_keep_ring* head = bpf_map_lookup_elem(rings, &at);
    if (!head) return;
    const __u64 index = lt_fetch_add(&head->head, 1);
    const __u32 place = (__u32)(ring * (mask + 1) + (index & mask));
    struct lt_keep_slot* slot = bpf_map_lookup_elem(slots, &place);
    if (!slot) return;
    *(volatile __u32*)&slot->sequence = 0;
    __asm__ volatile("" ::: "memory");
    slot->what = kind | tid << 8;
    slot->time = time ? time : bpf_ktime_get_ns();
    slot->a = a;
    slot->b = b;
    __asm__ volatile("" ::: "memory");
    *(volatile __u32*)&slot->sequence = (__u32)index + 1;
}
