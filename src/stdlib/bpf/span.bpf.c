// The openings of spans that are keyed by thread: a stack per thread, so that a function that calls itself gives one span per call.
//   value of the map: u64 depth, then LT_DEPTH openings of `size` bytes: u64 time (0: the predicate was false), then frozen values.
#include "lt.h"

#define LT_DEPTH 32

struct lt_openings {
    __u64 depth;
    char opening[];
};

static inline __attribute__((always_inline)) struct lt_openings *lt_openings_of_thread(void *map) {
    __u32 tid = (__u32)bpf_get_current_pid_tgid();
    return bpf_map_lookup_elem(map, &tid);
}

// A value that the compiler knows nothing about: the register that is compared with a bound is then the one that is used, and not another one
// computed along a shorter way, whose bound the verifier cannot see.
#define lt_opaque(v) __asm__ volatile("" : "+r"(v))

// Room for an opening; null, and counted, when the map is full or the thread is too deep. The depth counts all the same, so that
// each return still finds its own entry.
LT_API void *lt_span_open(void *map, __u32 size, const void *zero, __u32 no_room, __u32 too_deep) {
    __u32 tid = (__u32)bpf_get_current_pid_tgid();
    struct lt_openings *o = lt_slot(map, &tid, zero, no_room);
    if (!o) return 0;
    __u64 depth = o->depth;
    o->depth = depth + 1;
    lt_opaque(depth);
    if (depth >= LT_DEPTH) {
        lt_lose(too_deep);
        return 0;
    }
    return &o->opening[depth * size];
}

// The predicate was false. Only a thread that is inside a span already must note it, or the return would close the outer one.
LT_API void lt_span_skip(void *map, __u32 size) {
    struct lt_openings *o = lt_openings_of_thread(map);
    if (!o) return;
    __u64 depth = o->depth;
    o->depth = depth + 1;
    lt_opaque(depth);
    if (depth < LT_DEPTH) *(__u64 *)&o->opening[depth * size] = 0;
}

// The opening that this return closes; null when there is none that was kept.
LT_API void *lt_span_close(void *map, __u32 size, __u32 no_entry) {
    struct lt_openings *o = lt_openings_of_thread(map);
    if (!o || o->depth == 0) {
        lt_lose(no_entry);
        return 0;
    }
    __u64 depth = o->depth - 1;
    o->depth = depth;
    lt_opaque(depth);
    if (depth >= LT_DEPTH) return 0;
    return &o->opening[depth * size];
}

// After the opening was read: a thread that is outside of all its spans gives its room back.
LT_API void lt_span_done(void *map) {
    __u32 tid = (__u32)bpf_get_current_pid_tgid();
    struct lt_openings *o = bpf_map_lookup_elem(map, &tid);
    if (o && o->depth == 0) bpf_map_delete_elem(map, &tid);
}
