// Call stacks: each is stored once in a hash, under a key that maps and records hold in its place (see
// runtime/border/plan.h).
//
// A stack is taken in a scratch of the CPU. Others can be taken meanwhile on the same CPU, by programs that interrupt
// this one or that run while it waits for the CPU, so there are several, and each is claimed first.
#pragma once

#include "addresses.h"
#include "atomic.h"

#define LT_FRAMES 127
#define LT_NESTED 4
#define LT_STACK_LOST (~0ull)

struct lt_frames {
    __u64 claimed;        // 0: free; in a stored stack of a program, the time at which it was stored
    __u64 at[LT_FRAMES];  // innermost first, up to the first value that cannot be a frame; the rest is undefined
};

struct lt_stack_key {
    __u64 id;
    __u64 process;  // 0: a kernel stack
};

// Zero is not a frame, and neither is a value above all user addresses: in code without frame pointers they lead to
// whatever is on the stack.
#define LT_ENDS(frame, limit) ((frame) - 1 >= (limit))
#define LT_KERNEL_LIMIT (~0ull)
#define LT_USER_LIMIT (1ull << LT_PROGRAM_ADDRESS_BITS)

static inline __attribute__((always_inline)) struct lt_frames* lt_claim_frames(void* scratch) {
    for (__u32 i = 0; i < LT_NESTED; i++) {
        __u32 key = i;
        struct lt_frames* f = bpf_map_lookup_elem(scratch, &key);
        if (!f) return 0;
        if (lt_claim_word(&f->claimed)) return f;
    }
    return 0;
}

static inline __attribute__((always_inline)) __u64 lt_frames_id(struct lt_frames* f, __u64 limit) {
    __u64 hash = 0;
    for (int i = 0; i < LT_FRAMES; i++) {
        __u64 frame = f->at[i];
        if (LT_ENDS(frame, limit)) break;
        hash = (hash ^ frame) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return hash == 0 || hash == LT_STACK_LOST ? 1 : hash;
}

static inline __attribute__((always_inline)) int lt_frames_differ(struct lt_frames* a, struct lt_frames* b,
                                                                  __u64 limit) {
    for (int i = 0; i < LT_FRAMES; i++) {
        __u64 frame = a->at[i], other = b->at[i];
        if (LT_ENDS(frame, limit)) return !LT_ENDS(other, limit);
        if (frame != other) return 1;
    }
    return 0;
}

static inline __attribute__((always_inline)) __u64 lt_lost_stack(struct lt_stack_key* out, __u32 loss) {
    out->id = LT_STACK_LOST;
    lt_lose(loss);
    return 0;
}

// 1: it was not stored yet.
static inline __attribute__((always_inline)) __u64 lt_keep_frames(struct lt_stack_key* out, void* stacks,
                                                                  struct lt_frames* f, __u64 limit, __u32 collision,
                                                                  __u32 full) {
    out->id = lt_frames_id(f, limit);
    struct lt_frames* kept = bpf_map_lookup_elem(stacks, out);
    if (!kept) {
        if (out->process) f->claimed = bpf_ktime_get_ns();
        if (bpf_map_update_elem(stacks, out, f, BPF_NOEXIST) == 0) return 1;
        kept = bpf_map_lookup_elem(stacks, out);  // another CPU was first, or there is no room
        if (!kept) return lt_lost_stack(out, full);
    }
    return lt_frames_differ(f, kept, limit) ? lt_lost_stack(out, collision) : 0;
}
