// The load that the benchmark traces, and the watch that it is timed with.
//   load calls|function BLOCKS COUNT OUT    BLOCKS loops of COUNT getppid calls or calls of bench_function, on one CPU;
//                                           writes "began NS", a line of CPU time per call for each block, "ended NS"
//   load pipe|yield BLOCKS COUNT OUT        the same for two threads that take turns on one CPU, COUNT times each: they
//                                           wait for each other at pipes, or only yield; CPU time per context switch
//   load threads BLOCKS COUNT OUT           the same for COUNT threads, some at once, that make one getppid call each and
//                                           end; CPU time per thread
//   load watch OUT COMMAND...               runs a command; writes "start NS", "exit NS", "status N", "peak KIB"
// NS are of CLOCK_MONOTONIC. The watch is a small program of its own because a process takes the peak memory of the
// one that forked it over with it: behind Python, everything would seem to need as much as Python.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"

static long long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// The target of the uprobes. Nops of one byte: the kernel steps over the first of them without running it.
__attribute__((noinline, noclone, visibility("default"))) void bench_function(void) {
    __asm__ volatile("nop; nop; nop; nop; nop" : : : "memory");
}

// A thread's two ends of the pipes; -1: it only yields.
struct ends {
    int from, to;
    long count;
};

static void take_turns(const struct ends* at, long count) {
    char byte = 0;
    for (long i = 0; i < count; i++) {
        if (at->from < 0)
            sched_yield();
        else if (write(at->to, &byte, 1) != 1 || read(at->from, &byte, 1) != 1)
            fail("pipe");
    }
}

static void* other_thread(void* argument) {
    const struct ends* at = argument;
    char byte = 0;
    syscall(SYS_getppid);  // a span of this call arms the thread
    if (at->from < 0) {
        take_turns(at, at->count);
    } else {
        for (long i = 0; i < at->count; i++)
            if (read(at->from, &byte, 1) != 1 || write(at->to, &byte, 1) != 1) fail("pipe");
    }
    return NULL;
}

static long switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void turns(int pipes, long blocks, long count, FILE* out) {
    int there[2] = {-1, -1}, back[2] = {-1, -1};
    if (pipes && (pipe(there) != 0 || pipe(back) != 0)) fail("pipe");
    struct ends here = {back[0], there[1], count}, other = {there[0], back[1], blocks * count};
    pthread_t thread;
    if (pthread_create(&thread, NULL, other_thread, &other) != 0) fail("pthread_create");
    syscall(SYS_getppid);
    for (long b = 0; b < blocks; b++) {
        const long before = switches();
        const long long start = now(CLOCK_PROCESS_CPUTIME_ID);
        take_turns(&here, count);
        const long long spent = now(CLOCK_PROCESS_CPUTIME_ID) - start;
        fprintf(out, "%.3f\n", (double)spent / (double)(switches() - before));
    }
    pthread_join(thread, NULL);
}

static void* short_thread(void* nothing) {
    syscall(SYS_getppid);
    return nothing;
}

static double come_and_go(long count) {
    enum { at_once = 100 };
    pthread_t threads[at_once];
    const long long start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long left = count; left > 0; left -= at_once) {
        const long some = left < at_once ? left : at_once;
        for (long i = 0; i < some; i++)
            if (pthread_create(&threads[i], NULL, short_thread, NULL) != 0) fail("pthread_create");
        for (long i = 0; i < some; i++) pthread_join(threads[i], NULL);
    }
    return (double)(now(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)count;
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

static int load(const char* kind, long blocks, long count, const char* path) {
    const long long began = now(CLOCK_MONOTONIC);
    FILE* out = fopen(path, "w");
    if (!out) fail(path);
    stay_on_last_cpu();
    fprintf(out, "began %lld\n", began);
    if (strcmp(kind, "pipe") == 0 || strcmp(kind, "yield") == 0)
        turns(kind[0] == 'p', blocks, count, out);
    else if (strcmp(kind, "threads") == 0)
        for (long b = 0; b < blocks; b++) fprintf(out, "%.3f\n", come_and_go(count));
    else
        for (long b = 0; b < blocks; b++) fprintf(out, "%.3f\n", block(kind[0] == 'c', count));
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
    const char* kinds[] = {"calls", "function", "pipe", "yield", "threads"};
    for (int i = 0; argc == 5 && i < 5; i++)
        if (strcmp(argv[1], kinds[i]) == 0) return load(kinds[i], atol(argv[2]), atol(argv[3]), argv[4]);
    fprintf(stderr, "usage: load calls|function|pipe|yield|threads BLOCKS COUNT OUT\n       load watch OUT COMMAND...\n");
    return 2;
}
