// Does a known number of known things, so that tests can say what lt has to count and to measure.
//   workload WHAT COUNT [MICROSECONDS]      does WHAT so often, each (where it can wait) for that long
// Its thread is named "calls" while it does that, so that what starting and ending a program does can be told apart.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRACED __attribute__((noinline, noclone, visibility("default")))

static long micros;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void spin(long us) {
    for (uint64_t end = now_ns() + (uint64_t)us * 1000; us > 0 && now_ns() < end;) {
    }
}

// A function of six arguments that takes `micros` and returns the sum of the first two.
TRACED long held(long a, long b, const char* text, short c, long d, long e) {
    spin(micros);
    __asm__ volatile("" : : "r"(text), "r"(c), "r"(d), "r"(e) : "memory");
    return a + b;
}

// Calls itself: nest(n) is n calls inside each other, each of which takes `micros` by itself.
TRACED long nest(long depth) {
    spin(micros);
    long below = depth > 1 ? nest(depth - 1) : 0;
    __asm__ volatile("" : "+r"(below));
    return below + 1;
}

// Leaves through a jump, from inside of as many calls as are asked for.
static jmp_buf outside;
TRACED long leap(long depth) {
    long below = 0;
    if (depth > 1) below = leap(depth - 1);
    if (depth == 1) longjmp(outside, 1);
    __asm__ volatile("" : "+r"(below));
    return below + 1;
}

// Never returns: its thread ends inside.
TRACED void* perish(void* argument) {
    prctl(PR_SET_NAME, "calls");
    spin(micros);
    pthread_exit(argument);
}

static void* sleep_once(void* argument) {
    const struct timespec t = {micros / 1000000, micros % 1000000 * 1000};
    prctl(PR_SET_NAME, "calls");
    syscall(SYS_nanosleep, &t, NULL);
    return argument;
}

static void in_thread(void* (*function)(void*)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0) exit(1);
    pthread_join(thread, NULL);
}

static void call_deep(long i) { nest(30 + 0 * i); }
static void call_leap(long i) {
    if (setjmp(outside) == 0) leap(i % 3 + 1);
}
static void call_perish(long i) {
    (void)i;
    in_thread(perish);
}

// All of them at once: the last one waits for the others.
static pthread_t* crowd;
static long crowd_size;
static void call_crowd(long i) {
    if (!crowd) crowd = calloc((size_t)crowd_size, sizeof *crowd);
    if (!crowd || pthread_create(&crowd[i], NULL, sleep_once, NULL) != 0) exit(1);
    for (long j = 0; i + 1 == crowd_size && j < crowd_size; j++) pthread_join(crowd[j], NULL);
}

static void call_held(long i) { held(i, -2 * i, i % 2 ? "odd" : "even", (short)-i, i, 42); }
static void call_nest(long i) { nest(i % 4 + 1); }

// Copies one path to user space: its length is not known when the kernel is compiled.
static void call_getcwd(long i) {
    char path[4096];
    (void)i;
    if (syscall(SYS_getcwd, path, sizeof path) < 0) exit(1);
}

// "calls" sleeps in a read until "waker" has seen it asleep and writes: one wakeup each.
static int pipe_ends[2];

static bool asleep(long thread) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    FILE* const file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) exit(1);
    fclose(file);
    const char* const state = strrchr(line, ')');
    return state && state[2] == 'S';
}

static void* wake(void* argument) {
    prctl(PR_SET_NAME, "waker");
    while (!asleep((long)argument)) usleep(1000);
    if (write(pipe_ends[1], "x", 1) != 1) exit(1);
    return NULL;
}

static void call_wake(long i) {
    pthread_t waker;
    char byte;
    if (i == 0 && pipe(pipe_ends) != 0) exit(1);
    if (pthread_create(&waker, NULL, wake, (void*)syscall(SYS_gettid)) != 0) exit(1);
    if (read(pipe_ends[0], &byte, 1) != 1) exit(1);
    pthread_join(waker, NULL);
}

static void call_nanosleep(long i) {
    const struct timespec t = {micros / 1000000, micros % 1000000 * 1000};
    (void)i;
    syscall(SYS_nanosleep, &t, NULL);
}

static void call_getppid(long i) {
    (void)i;
    syscall(SYS_getppid);
}

static const struct {
    const char* name;
    void (*once)(long i);
} works[] = {
    {"held", call_held},       {"nest", call_nest}, {"getcwd", call_getcwd}, {"nanosleep", call_nanosleep},
    {"getppid", call_getppid}, {"deep", call_deep}, {"leap", call_leap},     {"perish", call_perish},
    {"crowd", call_crowd},     {"wake", call_wake},
};

int main(int argc, char** argv) {
    const long count = argc > 2 ? atol(argv[2]) : 0;
    crowd_size = count;
    micros = argc > 3 ? atol(argv[3]) : 0;
    for (size_t w = 0; argc > 1 && w < sizeof works / sizeof works[0]; w++) {
        if (strcmp(argv[1], works[w].name) != 0) continue;
        prctl(PR_SET_NAME, "calls");
        for (long i = 0; i < count; i++) works[w].once(i);
        prctl(PR_SET_NAME, "workload");
        return 0;
    }
    fprintf(stderr,
            "usage: workload held|nest|deep|leap|perish|crowd|wake|getcwd|nanosleep|getppid COUNT [MICROSECONDS]\n");
    return 1;
}
