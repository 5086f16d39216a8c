// sc:getppid < @ = hist(...) > of threads that end, for which it has nothing to do.
#include "pair.bpf.c"
