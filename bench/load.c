// The load that the benchmark traces, and the watch that it is timed with.
//   load calls|function BLOCKS COUNT OUT    BLOCKS loops of COUNT getppid calls or calls of bench_function, on one CPU;
//                                           writes "began NS", a line of CPU time per call for each block, "ended NS"
//   load watch OUT COMMAND...               runs a command; writes "start NS", "exit NS", "status N", "peak KIB"
// NS are of CLOCK_MONOTONIC. The watch is a small program of its own because a process takes the peak memory of the
// one that forked it over with it: behind Python, everything would seem to need as much as Python.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static _Noreturn void fail(const char* what) {
    perror(what);
    exit(1);
}

// What the uprobes are put on. Nops of one byte: the kernel steps over the first of them without running it.
__attribute__((noinline, noclone, visibility("default"))) void bench_function(void) {
    __asm__ volatile("nop; nop; nop; nop; nop" : : : "memory");
}

// The last CPU that is allowed: the first ones get most of the interrupts.
static void stay_on_one_cpu(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) fail("sched_getaffinity");
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &cpus)) last--;
    CPU_ZERO(&cpus);
    CPU_SET(last, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) fail("sched_setaffinity");
}

static double block(int calls, long count) {
    const long long start = now(CLOCK_THREAD_CPUTIME_ID);
    if (calls) {
        for (long i = 0; i < count; i++) syscall(SYS_getppid);
    } else {
        for (long i = 0; i < count; i++) bench_function();
    }
    return (double)(now(CLOCK_THREAD_CPUTIME_ID) - start) / (double)count;
}

static int load(int calls, long blocks, long count, const char* path) {
    const long long began = now(CLOCK_MONOTONIC);
    FILE* out = fopen(path, "w");
    if (!out) fail(path);
    stay_on_one_cpu();
    fprintf(out, "began %lld\n", began);
    for (long b = 0; b < blocks; b++) fprintf(out, "%.3f\n", block(calls, count));
    fprintf(out, "ended %lld\n", now(CLOCK_MONOTONIC));
    return fclose(out) == 0 ? 0 : 1;
}

static int watch(const char* path, char** command) {
    FILE* out = fopen(path, "we");
    if (!out) fail(path);
    const long long start = now(CLOCK_MONOTONIC);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) fail("wait4");
    const long long end = now(CLOCK_MONOTONIC);
    fprintf(out, "start %lld\nexit %lld\nstatus %d\npeak %ld\n", start, end,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), usage.ru_maxrss);
    return fclose(out) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    if (argc > 3 && strcmp(argv[1], "watch") == 0) return watch(argv[2], argv + 3);
    const int calls = argc > 1 && strcmp(argv[1], "calls") == 0;
    if (argc == 5 && (calls || strcmp(argv[1], "function") == 0))
        return load(calls, atol(argv[2]), atol(argv[3]), argv[4]);
    fprintf(stderr, "usage: load calls|function BLOCKS COUNT OUT\n       load watch OUT COMMAND...\n");
    return 2;
}
