// The current task in lt's own PID namespace. Does it belong to the process that runs the session?
#pragma once

#include "lt.h"

// The process has the number that it has in lt's own PID namespace; device 0 is the initial namespace. Number 0: no
// process is lt's own.
static inline __attribute__((always_inline)) __u64 lt_own_process(void) {
    __u64 own = lt_run[1], device = lt_run[2];
    if (!device) return own && bpf_get_current_pid_tgid() >> 32 == own;
    struct bpf_pidns_info ids = {};
    bpf_get_ns_current_pid_tgid(device, lt_run[3], &ids, sizeof ids);
    return ids.tgid == own;
}

// pid << 32 | tid in that namespace; 0: the thread is not in it.
static inline __attribute__((always_inline)) __u64 lt_own_ids(void) {
    __u64 device = lt_run[2];
    if (!device) return bpf_get_current_pid_tgid();
    struct bpf_pidns_info ids = {};
    bpf_get_ns_current_pid_tgid(device, lt_run[3], &ids, sizeof ids);
    return (__u64)ids.tgid << 32 | ids.pid;
}
