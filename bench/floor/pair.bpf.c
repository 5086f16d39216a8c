// sc:getppid < @ = hist(...) >
#include "span.h"

SEC("tracepoint/syscalls/sys_enter_getppid")
int enter(void* context) {
    span_open();
    return 0;
}

SEC("tracepoint/syscalls/sys_exit_getppid")
int leave(void* context) {
    span_close(0);
    return 0;
}
