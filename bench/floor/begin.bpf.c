// BEGIN { exit(); }: a program that is run once, by hand.
#include "common.h"

SEC("raw_tp")
int begin(void* context) { return 0; }
