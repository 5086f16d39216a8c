// @ = hist(args.ret): an array of buckets per CPU.
#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hist);
} at SEC(".maps");

// syscalls/sys_exit_getppid/format
struct sys_exit {
    __u64 common;
    long number;
    long ret;
};

SEC("tracepoint/syscalls/sys_exit_getppid")
int leave(struct sys_exit* context) {
    __u32 zero = 0;
    struct hist* hist = bpf_map_lookup_elem(&at, &zero);
    if (hist) hist->slots[log2(context->ret) & 63] += 1;
    return 0;
}
