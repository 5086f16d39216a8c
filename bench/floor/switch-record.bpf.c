// The same from the record for perf.
#include "keys.h"

// sched/sched_switch/format
struct record {
    __u64 common;
    char prev_comm[16];
    int prev_pid;
};

SEC("tracepoint/sched/sched_switch")
int switches(const struct record* record) {
    count_key(record->prev_pid);
    return 0;
}
