// u:BINARY:FUNCTION < @ = hist(...) > as one program for both ends, on kernels since 6.13: the kernel itself stores
// eight bytes per call from its entry to its return, so no map is needed.
#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hist);
} at SEC(".maps");

extern __u64* bpf_session_cookie(void) __ksym;
extern _Bool bpf_session_is_return(void) __ksym;

SEC("uprobe.session")
int session(void* context) {
    __u64* start = bpf_session_cookie();
    if (!bpf_session_is_return()) {
        *start = bpf_ktime_get_ns();
        return 0;
    }
    __u32 zero = 0;
    struct hist* hist = bpf_map_lookup_elem(&at, &zero);
    if (hist) __sync_fetch_and_add(&hist->slots[log2(bpf_ktime_get_ns() - *start) & 63], 1);
    return 0;
}
