// For each LOCK, one wait in staged() for a lock of the program, which the thread "holder" ends.
//   user_locks LOCK...
// mutex, recursive, robust, inherits: a lock of glibc, which it holds; several: another thread gets it before; earlier:
// likewise, and staged() first waits for a lock of the kernel that the thread "maps" holds; handed: as several, with a
// lock that inherits priorities; signal: another thread ends the longer one of two waits by a signal;
// condition, semaphore: nobody owns it; own, wrong: a futex of the program itself, beside a number that is no thread's,
// or that is another thread's.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static unsigned words[8];

static void pause_for(long milliseconds) {
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

// On a busy machine the wait may begin later than the wake-up, which nothing remembers.
static atomic_int has_begun, is_over;
static void until_over(void (*wake)(void)) {
    do {
        wake();
        pause_for(5);
    } while (!is_over);
}
static void signal_once(void) { pthread_cond_signal(&condition); }
static void wake_once(void) { syscall(SYS_futex, words, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static void take(void) { pthread_mutex_lock(&lock); }
static void give(void) { pthread_mutex_unlock(&lock); }
static void nothing(void) {}
static void await(void) {
    take();
    pthread_cond_wait(&condition, &lock);
    give();
}
static void signal_it(void) { until_over(signal_once); }
static void down(void) { sem_wait(&semaphore); }
static void up(void) { sem_post(&semaphore); }
static void wait_for_word(void) { syscall(SYS_futex, words, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); }
static void wake_word(void) { until_over(wake_once); }

// Holds the lock of the address space for writing, nearly without a pause, until it is over.
enum { page = 4096, large = 64 << 20 };
static char* area;
static atomic_int is_mapping, has_mapped;
static void* maps(void* unused) {
    prctl(PR_SET_NAME, "maps");
    for (int i = 0; !has_mapped; i++, is_mapping = 1) mprotect(area, large, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    return unused;
}
static void begin_mapping(void) {
    pthread_t thread;
    area = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) exit(1);
    madvise(area, large, MADV_NOHUGEPAGE);  // large pages would make it quick
    for (size_t at = 0; at < large; at += page) area[at] = 1;
    if (pthread_create(&thread, NULL, maps, NULL) != 0) exit(1);
    while (!is_mapping) pause_for(1);
}
static void take_later(void) {
    unsigned char is_there;
    for (int i = 0; i < 20; i++) mincore(area, page, &is_there);  // reads the address space
    has_mapped = 1;
    take();
}

// Ends the wait by a signal before the lock is given back.
static pthread_t waiting;
static atomic_int is_asked, is_signalled;
static void ignore(int number) { (void)number; }
static void* signals(void* unused) {
    prctl(PR_SET_NAME, "another");
    while (!is_asked) pause_for(1);
    pthread_kill(waiting, SIGUSR1);
    is_signalled = 1;
    return unused;
}
static void give_later(void) {
    is_asked = 1;
    while (!is_signalled) pause_for(1);
    give();
}

static const struct work {
    const char* name;
    void (*begin)(void);  // in the holder, before the wait
    void (*end)(void);    // after it
    void (*wait)(void);
} works[] = {
    {"mutex", take, give, take},
    {"recursive", take, give, take},
    {"robust", take, give, take},
    {"inherits", take, give, take},
    {"several", take, give, take},
    {"earlier", take, give, take_later},
    {"handed", take, give, take},
    {"signal", take, give_later, take},
    {"condition", nothing, signal_it, await},
    {"semaphore", nothing, up, down},
    {"own", nothing, wake_word, wait_for_word},
    {"wrong", nothing, wake_word, wait_for_word},
};

// By the numbers of the mounted /proc, which are not those of a PID namespace.
struct thread {
    char path[64];  // of the file that says in which system call it is
    atomic_int is_known;
};
static struct thread waiter, other;
static void make_known(struct thread* thread) {
    char name[32] = "";
    if (readlink("/proc/thread-self", name, sizeof name - 1) < 0) exit(1);
    snprintf(thread->path, sizeof thread->path, "/proc/%s/syscall", name);
    thread->is_known = 1;
}
static void until_waits(struct thread* thread) {
    while (!thread->is_known) pause_for(1);
    for (long number = -1; number != SYS_futex; pause_for(1)) {
        FILE* file = fopen(thread->path, "r");
        if (!file || fscanf(file, "%ld", &number) != 1) number = -1;  // it runs
        if (file) fclose(file);
    }
}

static void* holder(void* argument) {
    const struct work* work = argument;
    prctl(PR_SET_NAME, "holder");
    work->begin();
    has_begun = 1;
    until_waits(&waiter);
    pause_for(100);
    work->end();
    pause_for(100);
    return NULL;
}

// Waits for the lock before staged() does.
static void* another(void* unused) {
    prctl(PR_SET_NAME, "another");
    make_known(&other);
    take();
    pause_for(50);
    give();
    return unused;
}

__attribute__((noinline)) void staged(const struct work* work) {
    work->wait();
    is_over = 1;
    __asm__ volatile("");
}

static void prepare(const char* name) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (strcmp(name, "recursive") == 0) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    if (strcmp(name, "robust") == 0) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (strcmp(name, "inherits") == 0 || strcmp(name, "handed") == 0)
        pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &attributes);
    sem_init(&semaphore, 0, 0);
    words[0] = 2;
    words[2] = strcmp(name, "wrong") == 0 ? (unsigned)getpid() : 0x7f001234;
    words[3] = 1;
}

static void run(const struct work* work) {
    pthread_t first, second;
    const int is_earlier = strcmp(work->name, "earlier") == 0;
    const int is_second = is_earlier || strcmp(work->name, "several") == 0 || strcmp(work->name, "handed") == 0;
    prepare(work->name);
    make_known(&waiter);
    if (pthread_create(&first, NULL, holder, (void*)work) != 0) exit(1);
    while (!has_begun) pause_for(1);
    if (is_second) {
        if (pthread_create(&second, NULL, another, NULL) != 0) exit(1);
        until_waits(&other);
    }
    if (strcmp(work->name, "signal") == 0) {
        signal(SIGUSR1, ignore);
        waiting = pthread_self();
        if (pthread_create(&second, NULL, signals, NULL) != 0) exit(1);
    }
    if (is_earlier) begin_mapping();
    staged(work);
    pthread_join(first, NULL);
}

// Each in a process of its own.
int main(int argc, char** argv) {
    for (int n = 1; n < argc; n++) {
        for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
            if (strcmp(argv[n], works[i].name) != 0 || fork() != 0) continue;
            run(&works[i]);
            exit(0);
        }
        wait(NULL);
    }
    return 0;
}
