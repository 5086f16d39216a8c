// The whole library as one unit, in the order in which its parts use each other.
#include "aggregate.bpf.c"
#include "iterator.bpf.c"
#include "scratch.bpf.c"
#include "span.bpf.c"
#include "stack.bpf.c"
#include "string.bpf.c"
#include "traced.bpf.c"

// What runs in the kernel is under the kernel's own license: without it the helpers that read memory are refused.
char lt_license[] __attribute__((section("license"), used)) = "GPL";
