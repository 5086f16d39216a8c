// Does a known number of known things, so that tests can say what lt has to count and to measure.
//   workload WHAT COUNT [MICROSECONDS | DEVICE]      does WHAT so often, each (where it can wait) for that long
// Its thread is named "calls" while it does that, so that what starting and ending a program does can be told apart;
// threads that wait for it are named "waits".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACED __attribute__((noinline, noclone, visibility("default")))

static long micros;
static const char* device;

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

// One futex for all threads: each waits for it once, and it is let go so long after the last one has gone to sleep.
static atomic_int held_futex = 1;
static _Atomic(pid_t) waiter;
static void* wait_for_futex(void* argument) {
    prctl(PR_SET_NAME, "waits");
    waiter = (pid_t)syscall(SYS_gettid);
    syscall(SYS_futex, &held_futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
    prctl(PR_SET_NAME, "workload");
    return argument;
}

// What a thread is doing: R, S, D ...
static char thread_state(pid_t thread) {
    char path[64], text[256] = {0};
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    const char* name_end = size > 0 ? strrchr(text, ')') : NULL;
    if (!name_end) exit(1);
    return name_end[2];
}

static void nap(long us) {
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static void call_futex(long i) {
    if (!crowd) crowd = calloc((size_t)crowd_size, sizeof *crowd);
    waiter = 0;
    if (!crowd || pthread_create(&crowd[i], NULL, wait_for_futex, NULL) != 0) exit(1);
    while (!waiter || thread_state(waiter) != 'S') nap(100);
    if (i + 1 < crowd_size) return;
    nap(micros);
    held_futex = 0;
    syscall(SYS_futex, &held_futex, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, (int)crowd_size, NULL, NULL, 0);
    for (long j = 0; j < crowd_size; j++) pthread_join(crowd[j], NULL);
}

// Writes 4 KiB past the page cache and waits for the device, each time at another place.
static void call_block(long i) {
    static char* page;
    static int file = -1;
    if (file < 0) file = open(device, O_WRONLY | O_DIRECT | O_CLOEXEC);
    if (!page) page = aligned_alloc(4096, 4096);
    if (page) memset(page, 'x', 4096);
    if (file < 0 || !page || pwrite(file, page, 4096, i * 8192) != 4096) {
        perror(device);
        exit(1);
    }
}

// One event that four epoll instances pass on, each to the next: in the kernel that is a function that calls itself.
static void call_epoll(long i) {
    enum { NESTED = 4 };
    static int event;
    if (i == 0) {
        int below = event = eventfd(0, EFD_CLOEXEC);
        for (int n = 0; n < NESTED; n++) {
            const int outer = epoll_create1(EPOLL_CLOEXEC);
            struct epoll_event wanted = {.events = EPOLLIN};
            if (epoll_ctl(outer, EPOLL_CTL_ADD, below, &wanted) != 0) exit(1);
            below = outer;
        }
    }
    const uint64_t one = 1;
    if (write(event, &one, sizeof one) != sizeof one) exit(1);
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

// Off its CPU, in the read, and not because of a lock on the way to it; the state in `stat` is set before.
static bool asleep(long thread) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/wchan", thread);
    FILE* const file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) exit(1);
    fclose(file);
    return strstr(line, "pipe") != NULL;
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

// By the way in that programs of 32 bits have: number 64 is getppid there, semget elsewhere. A kernel without that way
// ends the program.
static void call_narrow(long i) {
    long number = 64;
    (void)i;
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
}

// A process ends, and another one gets its number: the first calls getppid(), the second getuid(). What the kernel does
// later about the first one's end is done when the second begins.
static pid_t child_that_calls(long number, pid_t as) {
    const pid_t child = fork();
    if (child == 0) {
        if (as == 0 || getpid() == as) syscall(number);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return child;
}
static void call_reuse(long i) {
    (void)i;
    const pid_t first = child_that_calls(SYS_getppid, 0);
    for (int turn = 0; turn < 20; turn++) {
        syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL: synchronize_rcu() */, 0, 0);
        usleep(10000);
    }
    const int last = open("/proc/sys/kernel/ns_last_pid", O_RDWR);
    for (int turn = 0, used = 0; turn < 1000 && !used; turn++) {
        char before[16] = "";
        const ssize_t size = pread(last, before, sizeof before - 1, 0);
        dprintf(last, "%d", first - 1);
        used = child_that_calls(SYS_getuid, first) == first;
        if (used) printf("the number is used again\n");
        // other programs get new numbers: only this test is about those of processes that have just ended
        if (size > 0) dprintf(last, "%s", before);
    }
    close(last);
}

// Names and strings that would command a terminal, or look like lines of lt's.
TRACED int escape(const char* text) {
    __asm__ volatile("" : : "r"(text) : "memory");
    return text[0];
}
static void call_escape(long i) {
    (void)i;
    prctl(PR_SET_NAME, "\x1b[31mX\x07\n\xff\xc3@f: 1");
    escape(
        "\x1b[2J\r\n@forged: 1\n\x9b"
        "31m\xff\xfe \"q\" \\ \t \xc2\x9b end");
    close(open("/tmp/\x1b[31mfile\n\xff", O_RDONLY));
    syscall(SYS_getppid);
}

static const struct {
    const char* name;
    void (*once)(long i);
} works[] = {
    {"held", call_held},       {"nest", call_nest},     {"getcwd", call_getcwd}, {"nanosleep", call_nanosleep},
    {"getppid", call_getppid}, {"deep", call_deep},     {"leap", call_leap},     {"perish", call_perish},
    {"crowd", call_crowd},     {"futex", call_futex},   {"block", call_block},   {"epoll", call_epoll},
    {"wake", call_wake},       {"narrow", call_narrow}, {"reuse", call_reuse},   {"escape", call_escape},
};

int main(int argc, char** argv) {
    const long count = argc > 2 ? atol(argv[2]) : 0;
    crowd_size = count;
    device = argc > 3 ? argv[3] : "";
    micros = atol(device);
    for (size_t w = 0; argc > 1 && w < sizeof works / sizeof works[0]; w++) {
        if (strcmp(argv[1], works[w].name) != 0) continue;
        prctl(PR_SET_NAME, "calls");
        for (long i = 0; i < count; i++) works[w].once(i);
        prctl(PR_SET_NAME, "workload");
        return 0;
    }
    fprintf(stderr, "usage: workload WHAT COUNT [MICROSECONDS | DEVICE]; WHAT is one of");
    for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) fprintf(stderr, " %s", works[w].name);
    fprintf(stderr, "\n");
    return 1;
}
