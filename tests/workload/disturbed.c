// Threads to which something happens while they are inside staged().
//   disturbed killed      processes are killed while they sleep, compute and are stopped; one ends beside a thread
//   inside disturbed execs       the first thread executes this program, and another one does; a call that fails
//   disturbed moves       the thread binds itself to one CPU after the other
//   disturbed stopped     one thread that sleeps and one that computes are stopped and continued
//   disturbed traced      a tracer attaches, runs the thread by single steps, and detaches
//   disturbed nested      calls within calls, which sleep
//   disturbed always      four threads call staged() until the program is killed
//   disturbed mixed FILE  100 calls compute, sleep, and wait for a lock, a pipe, the disk and a page of a file, while
//   two
//                         processes keep the CPUs busy
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char* what) {
    perror(what);
    exit(1);
}

static void pause_for(long microseconds) {
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void compute(long microseconds) {
    for (const long end = now() + microseconds; now() < end;) {
    }
}

__attribute__((noinline)) void staged(void (*work)(void)) {
    work();
    __asm__ volatile("");
}

static pid_t child(void (*work)(void)) {
    const pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    staged(work);
    _exit(0);
}

static atomic_int returned;  // threads that have left staged()
static void* call(void* work) {
    staged((void (*)(void))work);
    atomic_fetch_add(&returned, 1);
    return NULL;
}

static void thread(void (*work)(void)) {
    pthread_t made;
    if (pthread_create(&made, NULL, call, (void*)work) != 0) die("pthread_create");
}

// ---- killed

static atomic_int* entered;  // threads that are inside staged(); shared with the children

static void await_entered(int threads) {
    while (atomic_load(entered) < threads) pause_for(1000);
}
static void share_entered(void) {
    entered = mmap(NULL, sizeof *entered, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (entered == MAP_FAILED) die("mmap");
}
static void sleep_forever(void) {
    if (entered) atomic_fetch_add(entered, 1);
    for (;;) pause_for(1000000);
}
static void compute_forever(void) {
    atomic_fetch_add(entered, 1);
    for (;;) compute(1000000);
}
static void stop(void) {
    atomic_fetch_add(entered, 1);
    raise(SIGSTOP);
}
static void end_beside_a_thread(void) {
    thread(sleep_forever);
    await_entered(4);
    pause_for(50000);
    atomic_fetch_add(entered, 1);
    _exit(0);
}
static void killed(void) {
    void (*const works[])(void) = {sleep_forever, compute_forever, stop, end_beside_a_thread};
    share_entered();
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const pid_t pid = child(works[i]);
        await_entered(i == 3 ? 5 : (int)i + 1);
        pause_for(100000);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

// ---- execs

static void execute(void) {
    char* const arguments[] = {"disturbed", "nested", NULL};
    execve("/nonexistent", arguments, environ);
    pause_for(10000);
    execve("/proc/self/exe", arguments, environ);
    die("execve");
}
static void execute_in_thread(void) {
    thread(sleep_forever);
    thread(execute);
    pause_for(10000000);
}
static void execs(void) {
    void (*const works[])(void) = {execute, execute_in_thread};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        int status;
        const pid_t pid = child(works[i]);
        if (waitpid(pid, &status, 0) != pid || status != 0) die("execve");
    }
}

// ---- moves

static void move(void) {
    const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 200; i++) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(i % cpus, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0) die("sched_setaffinity");
        compute(100);
        if (i % 10 == 0) pause_for(1000);
    }
}
static void moves(void) { staged(move); }

// ---- stopped

static void compute_some(void) { compute(600000); }
static void sleep_and_compute(void) {
    thread(compute_some);
    for (const long end = now() + 700000; now() < end || !returned;) pause_for(3000);
}
static void stopped(void) {
    const pid_t pid = child(sleep_and_compute);
    for (int i = 0; i < 20; i++) {
        pause_for(10000);
        kill(pid, SIGSTOP);
        pause_for(10000);
        kill(pid, SIGCONT);
    }
    waitpid(pid, NULL, 0);
}

// ---- traced

static void sleep_some(void) {
    atomic_fetch_add(entered, 1);
    for (int i = 0; i < 50; i++) pause_for(10000);
}
static void traced(void) {
    int status;
    share_entered();
    const pid_t pid = child(sleep_some);
    await_entered(1);
    pause_for(50000);
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0) die("ptrace");
    for (int i = 0; i < 300; i++) {
        if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) die("waitpid");
        if (i % 100 == 0) pause_for(80000);
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0) die("PTRACE_SINGLESTEP");
    }
    if (waitpid(pid, &status, 0) != pid || ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0) die("PTRACE_DETACH");
    waitpid(pid, NULL, 0);
}

// ---- nested, always

static int depth;
static void descend(void) {
    pause_for(1000);
    compute(100);
    if (++depth < 8) staged(descend);
    pause_for(1000);
}
static void nested(void) { staged(descend); }

static void a_little(void) {
    pause_for(200);
    compute(50);
}
static void work_forever(void) {
    for (;;) staged(a_little);
}
static void always(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++) thread(work_forever);
    staged(work_forever);
}

// ---- mixed

enum { pages = 64, page = 4096 };
static int file, ask[2], answer[2];
static const char* file_name = "";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* hold_the_lock(void* unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        pause_for(1000);
        pthread_mutex_unlock(&lock);
        pause_for(500);
    }
    return unused;
}
static void answer_late(void) {
    char byte;
    while (read(ask[0], &byte, 1) == 1) {
        pause_for(500);
        if (write(answer[1], &byte, 1) != 1) die("write");
    }
}
static void read_mapped(void) {
    posix_fadvise(file, 0, (off_t)pages * page, POSIX_FADV_DONTNEED);
    volatile char* const mapped = mmap(NULL, (size_t)pages * page, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) die("mmap");
    for (int i = 0; i < pages; i++) (void)mapped[i * page];
    munmap((void*)mapped, (size_t)pages * page);
}
static void mix(void) {
    static char bytes[pages * page];
    compute(500);
    pause_for(500);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (write(ask[1], bytes, 1) != 1 || read(answer[0], bytes, 1) != 1) die("pipe");
    if (pwrite(file, bytes, sizeof bytes, 0) != sizeof bytes || fsync(file) != 0) die(file_name);
    read_mapped();
}
static void mixed(void) {
    pthread_t holder;
    file = open(file_name, O_CREAT | O_RDWR, 0600);
    if (file < 0 || pipe(ask) != 0 || pipe(answer) != 0) die(file_name);
    void (*const others[])(void) = {answer_late, compute_forever, compute_forever};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (fork() != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        others[i]();
        _exit(0);
    }
    if (pthread_create(&holder, NULL, hold_the_lock, NULL) != 0) die("pthread_create");
    for (int i = 0; i < 100; i++) staged(mix);
}

static const struct {
    const char* name;
    void (*run)(void);
} cases[] = {
    {"killed", killed}, {"execs", execs},   {"moves", moves},   {"stopped", stopped},
    {"traced", traced}, {"nested", nested}, {"always", always}, {"mixed", mixed},
};

int main(int argc, char** argv) {
    if (argc > 2) file_name = argv[2];
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0) continue;
        cases[i].run();
        return 0;
    }
    fprintf(stderr, "usage: disturbed CASE [FILE]\n");
    return 2;
}
