// The call stacks of programs; see frames.h.
#include "frames.h"

// The number of frames of a stored stack; they end at the first value that cannot be a frame.
LT_API __u64 lt_stack_length(void* stacks, const void* stack) {
    const struct lt_stack_key* key = stack;
    struct lt_frames* f = bpf_map_lookup_elem(stacks, key);
    if (!f) return 0;
    const __u64 limit = key->process ? LT_USER_LIMIT : LT_KERNEL_LIMIT;
    __u64 n = 0;
    while (n < LT_FRAMES && !LT_ENDS(f->at[n], limit)) n++;
    return n;
}

// Takes `size` bytes of frames and writes the key to `out`, with `process` in it: 0 for the kernel's. 1: a new stack.
// There is no kernel stack if a perf event hits while user code runs; an error means that it could not be taken.
LT_API __u64 lt_stack(void* ctx, void* to, void* scratch, void* stacks, __u32 size, __u64 flags, __u32 collision,
                      __u32 full, __u32 busy, __u32 process) {
    struct lt_stack_key* out = to;
    const int user = (flags & BPF_F_USER_STACK) != 0;
    out->process = process;
    struct lt_frames* f = lt_claim_frames(scratch);
    if (!f) return lt_lost_stack(out, busy);
    __u64 fresh = 0;
    const long taken = bpf_get_stack(ctx, f->at, size, flags);
    if (size < sizeof f->at) f->at[size / 8] = 0;  // a longer one may have been taken here before
    if (taken > 0) {
        fresh = lt_keep_frames(out, stacks, f, user ? LT_USER_LIMIT : LT_KERNEL_LIMIT, collision, full);
    } else if (user || taken == 0) {  // without the kernel's registers, as at system calls, there is no kernel stack
        out->id = 0;
        out->process = 0;
    } else {
        lt_lost_stack(out, busy);
    }
    *(volatile __u64*)&f->claimed = 0;
    return fresh;
}
