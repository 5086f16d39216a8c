// The records that a script's own programs write into the flight recorder.
#include "keep.h"

// A span's thread opens it.
LT_API void lt_keep_open(void* rings, void* slots, __u64 span, __u64 time) {
    lt_keep(rings, slots, LT_KEEP_OPEN, (__u32)bpf_get_current_pid_tgid(), time, span, 0);
}

// `opener`: the number of the thread that opened it; -1: this one.
LT_API void lt_keep_close(void* rings, void* slots, __u64 span, __u64 opener, __u64 time, __u64 latency) {
    const __u32 tid = (__u32)bpf_get_current_pid_tgid();
    lt_keep(rings, slots, LT_KEEP_CLOSE, tid, time, span | (opener == -1ull ? tid : opener) << 32, latency);
}

LT_API void lt_keep_trigger(void* rings, void* slots, __u64 span, __u64 tid, __u64 latency) {
    lt_keep(rings, slots, LT_KEEP_TRIGGER, (__u32)tid, 0, span, latency);
}
