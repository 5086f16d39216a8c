// @[pid] = count()
#include "keys.h"

SEC("tracepoint/syscalls/sys_enter_getppid")
int enter(void* context) {
    count_key(bpf_get_current_pid_tgid() >> 32);
    return 0;
}
