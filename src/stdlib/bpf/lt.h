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

// Hides a value from the compiler, so that the register compared with a bound is the one used afterwards, and not a
// copy whose bound the verifier cannot see. The bound also shows the verifier that a loop downwards ends;
// and a check that LLVM could see to be needless, it would drop.
#define lt_opaque(v) __asm__ volatile("" : "+r"(v))

// The value of a key, created from `zero` if there is none yet. Null if the map has no room (adds 1 to `full`) or if
// the kernel has no memory for it now (adds 1 to `starved`).
static inline __attribute__((always_inline)) void* lt_make_slot(void* map, const void* key, const void* zero,
                                                                __u32 full, __u32 starved) {
    const int no_room = -7;  // E2BIG
    void* slot = bpf_map_lookup_elem(map, key);
    if (slot) return slot;
    int error = (int)bpf_map_update_elem(map, key, zero, BPF_NOEXIST);  // kernels before 6.4 do not set the upper half
    slot = bpf_map_lookup_elem(map, key);
    if (!slot) lt_lose(error == no_room ? full : starved);
    return slot;
}
