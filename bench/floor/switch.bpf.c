// What no watcher of context switches and wake-ups can avoid: two programs that do nothing.
#include "common.h"

SEC("tp_btf/sched_switch")
int switches(void* context) { return 0; }

SEC("tp_btf/sched_waking")
int wakes(void* context) { return 0; }
