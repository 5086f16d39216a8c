// The whole library as one unit, in order of use.
#include "aggregate.bpf.c"
#include "iterator.bpf.c"
#include "keep.bpf.c"
#include "scratch.bpf.c"
#include "span.bpf.c"
#include "stack.bpf.c"
#include "string.bpf.c"
#include "traced.bpf.c"
#include "why.bpf.c"

// The programs in the kernel have the kernel's own license: otherwise the kernel refuses the helpers that read memory.
char lt_license[] __attribute__((section("license"), used)) = "GPL";
