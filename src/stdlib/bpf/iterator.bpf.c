// Programs of iterators. The runtime reads their output and discards it: it marks the end of an object.
#include "lt.h"

LT_API void lt_iterated(void* ctx) {
    void** arguments = ctx;  // struct bpf_iter__*: meta, whose first member is the output file
    __u64 done = 1;
    bpf_seq_write(**(void***)arguments, &done, sizeof done);
}
