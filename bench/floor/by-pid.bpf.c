// @[pid] = count(): a hash per CPU. Slots are preallocated, so a new key costs no allocation.
#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_HASH);
    __uint(max_entries, 4096);
    __type(key, __u32);
    __type(value, __u64);
} at SEC(".maps");

SEC("tracepoint/syscalls/sys_enter_getppid")
int enter(void* context) {
    __u32 pid = bpf_get_current_pid_tgid() >> 32;
    __u64* count = bpf_map_lookup_elem(&at, &pid);
    if (count) {
        *count += 1;
    } else {
        __u64 one = 1;
        bpf_map_update_elem(&at, &pid, &one, BPF_ANY);
    }
    return 0;
}
