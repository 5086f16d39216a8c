// @ = count(): one slot per CPU. A tracepoint's program is not preempted, so the addition need not be atomic.
#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} at SEC(".maps");

SEC("tracepoint/syscalls/sys_enter_getppid")
int enter(void* context) {
    __u32 zero = 0;
    __u64* count = bpf_map_lookup_elem(&at, &zero);
    if (count) *count += 1;
    return 0;
}
