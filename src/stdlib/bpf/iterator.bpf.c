// Programs of iterators. What they write is read by the runtime and thrown away: it says that an object is done with.
#include "lt.h"

LT_API void lt_iterated(void* ctx) {
    void** arguments = ctx;  // struct bpf_iter__*: meta, whose first member is the file that is written
    __u64 done = 1;
    bpf_seq_write(**(void***)arguments, &done, sizeof done);
}
