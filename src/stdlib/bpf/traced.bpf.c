// Who is traced, where it is not one process and not everything: a process with all that it starts (--follow), or a
// cgroup with all below it.
#include "lt.h"

// The map has the number of each thread of the family that was started while it was followed; that of its first thread
// is a process's own.
LT_API void lt_family_fork(void* map, __u32 child, __u32 full) {
    __u32 parent = bpf_get_current_pid_tgid() >> 32, one = 1;
    if (!bpf_map_lookup_elem(map, &parent)) return;
    if (bpf_map_update_elem(map, &child, &one, BPF_ANY) < 0) lt_lose(full);
}

LT_API void lt_family_free(void* map, __u32 thread) { bpf_map_delete_elem(map, &thread); }

LT_API __u64 lt_in_family(void* map) {
    __u32 process = bpf_get_current_pid_tgid() >> 32;
    return bpf_map_lookup_elem(map, &process) != 0;
}

// The cgroup with this number lies so far below the root.
LT_API __u64 lt_in_cgroup(__u64 id, __u32 level) { return bpf_get_current_ancestor_cgroup_id(level) == id; }
