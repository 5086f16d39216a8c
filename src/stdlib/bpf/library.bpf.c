// The whole library as one unit, in the order in which its parts use each other.
#include "aggregate.bpf.c"
#include "span.bpf.c"
