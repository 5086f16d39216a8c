// Which tasks are traced, if it is neither one process nor all: a process and its descendants (--follow), or a cgroup
// and those below it; and which belong to lt itself.
#include "traced.h"

// The map holds the number of each thread of the family that started while it was followed; a process has the number of
// its first thread.
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

// Is the cgroup with this number the ancestor of the current task's at this depth below the root?
LT_API __u64 lt_in_cgroup(__u64 id, __u32 level) { return bpf_get_current_ancestor_cgroup_id(level) == id; }
