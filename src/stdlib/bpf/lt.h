// What the BPF side of the library shares. Compiled for BPF it becomes bitcode that the emitter links into each program
// and inlines.
#pragma once

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/types.h>

#define LT_API __attribute__((always_inline))

// Counters of what got lost; defined by the emitter, indexed as Plan::losses.
extern __u64 lt_lost[];

#define LT_NO_LOSS 0xffffffffu

// Not zero once the session ends, when nothing is opened any more; defined by the emitter.
extern volatile __u64 lt_stop;

static inline __attribute__((always_inline)) void lt_lose(__u32 loss) {
    if (loss != LT_NO_LOSS) __sync_fetch_and_add(&lt_lost[loss], 1);
}
