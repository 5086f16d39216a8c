// Memory for what does not fit on the stack of 512 bytes. Each CPU has several pieces, and a run of a program claims
// one until it ends. Several, because a program can interrupt another one, or run while another one waits for the CPU.
#include "atomic.h"

#define LT_FRAMES_NESTED 4

struct lt_frame {
    __u64 claimed;
    __u64 room[];
};

// `shared`: the pieces of all CPUs are in one array, because they are too large for a per-CPU value.
LT_API void* lt_claim(void* frames, __u32 shared) {
    const __u32 first = shared ? bpf_get_smp_processor_id() * LT_FRAMES_NESTED : 0;
    for (__u32 i = 0; i < LT_FRAMES_NESTED; i++) {
        __u32 key = first + i;
        struct lt_frame* f = bpf_map_lookup_elem(frames, &key);
        if (!f) return 0;
        if (lt_claim_word(&f->claimed)) return f;
    }
    return 0;
}

// `room` is the memory after the claim.
LT_API void lt_release(void* room) { ((volatile __u64*)room)[-1] = 0; }
