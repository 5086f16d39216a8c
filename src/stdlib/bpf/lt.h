// Shared declarations of the BPF library, which is compiled to bitcode that the emitter links into each program and
// inlines.
#pragma once

#include <linux/bpf.h>
#include <linux/types.h>
// after the types that it uses
#include <bpf/bpf_helpers.h>

#define LT_API __attribute__((always_inline))

// Loss counters; defined by the emitter, indexed as Plan::losses.
extern __u64 lt_lost[];

#define LT_NO_LOSS 0xffffffffu

// Words of the session about itself; defined by the emitter, see runtime/border/run_words.h. The first word is not zero
// once the session is ending and no more spans are opened.
extern volatile __u64 lt_run[];
#define lt_stop lt_run[0]

static inline __attribute__((always_inline)) void lt_lose(__u32 loss) {
    if (loss != LT_NO_LOSS) __sync_fetch_and_add(&lt_lost[loss], 1);
}
