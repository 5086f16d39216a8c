// t:sched:sched_switch { @[args.prev_pid] = count(); }: from the tracepoint's arguments, without a record for perf.
#include "keys.h"

struct task_struct {
    int pid;
} __attribute__((preserve_access_index));

SEC("tp_btf/sched_switch")
int switches(__u64* arguments) {
    count_key(((struct task_struct*)arguments[1])->pid);
    return 0;
}
