// Shared by the benchmark's own programs. Define _GNU_SOURCE before any header.
#pragma once
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void fail(const char* what) {
    perror(what);
    exit(1);
}

// Binds this process to the last CPU that it may use: the first ones get most of the interrupts.
static void stay_on_last_cpu(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) fail("sched_getaffinity");
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &cpus)) last--;
    CPU_ZERO(&cpus);
    CPU_SET(last, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) fail("sched_setaffinity");
}
