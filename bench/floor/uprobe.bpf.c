// u:BINARY:FUNCTION < @ = hist(...) >
#include "span.h"

SEC("uprobe")
int enter(void* context) {
    span_open();
    return 0;
}

SEC("uretprobe")
int leave(void* context) {
    span_close(1);
    return 0;
}
