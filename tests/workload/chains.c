// One call of staged() that waits for a thread that waits for another one, and so on, for 300 ms.
//   chains locks     the main thread waits for a mutex of "owner", which waits for the lock of a file of "backup",
//   which
//                    waits for a page that "pager" provides after it has slept
//   chains messages  the main thread waits for a pipe of "relay", which waits for a TCP connection of the process
//                    "worker", which sleeps
// Every thread blocks before the next one begins.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file, faults, pipes[2], connection;
static char* area;
static pid_t process;

static void die(const char* what) {
    perror(what);
    exit(1);
}

static void pause_for(long milliseconds) {
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

static void begin(const char* name) {
    prctl(PR_SET_NAME, name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Until the thread sleeps.
static void await_blocked(pid_t of, pid_t tid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", of, tid);
    for (;;) {
        FILE* status = fopen(path, "re");
        if (!status) die(path);
        const size_t size = fread(text, 1, sizeof text - 1, status);
        fclose(status);
        text[size] = 0;
        const char* after = strrchr(text, ')');
        if (after && (after[2] == 'S' || after[2] == 'D')) return;
        pause_for(1);
    }
}

// ---- locks

static void* backup(void* started) {
    begin("backup");
    *(pid_t*)started = gettid();
    if (pwrite(file, area, page, 0) != page) die("pwrite");  // reads the page while it has the file's lock
    return NULL;
}

static void* owner(void* started) {
    begin("owner");
    pthread_mutex_lock(&lock);
    *(volatile pid_t*)started = gettid();
    if (pwrite(file, "", 1, 0) != 1) die("pwrite");
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void* pager(void* argument) {
    struct uffd_msg message;
    begin("pager");
    if (read(faults, &message, sizeof message) != sizeof message) die("read");
    volatile pid_t tid = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, owner, (void*)&tid);
    while (tid == 0) pause_for(1);
    await_blocked(process, tid);
    *(volatile int*)argument = 1;  // all is prepared
    pause_for(1);
    await_blocked(process, process);
    pause_for(300);
    struct uffdio_zeropage zero = {.range = {(__u64)(unsigned long)area, page}};
    if (ioctl(faults, UFFDIO_ZEROPAGE, &zero) != 0) die("UFFDIO_ZEROPAGE");
    return NULL;
}

static void prepare_locks(void) {
    struct uffdio_api api = {.api = UFFD_API};
    static pid_t tid;
    static volatile int ready;
    pthread_t thread;
    file = memfd_create("shared", 0);
    area = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (file < 0 || area == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) die("userfaultfd");
    struct uffdio_register all = {.range = {(__u64)(unsigned long)area, page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (ioctl(faults, UFFDIO_REGISTER, &all) != 0) die("UFFDIO_REGISTER");
    pthread_create(&thread, NULL, pager, (void*)&ready);
    pthread_create(&thread, NULL, backup, &tid);
    while (!ready) pause_for(1);
}
static void take_lock(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

// ---- messages

static void* relay(void* argument) {
    char byte;
    begin("relay");
    *(volatile pid_t*)argument = gettid();
    if (recv(connection, &byte, 1, 0) != 1 || write(pipes[1], &byte, 1) != 1) die("relay");
    return NULL;
}

static void work(int other) {
    begin("worker");
    await_blocked(process, process);
    pause_for(300);
    if (send(other, "", 1, 0) != 1) die("send");
    pause();
    exit(0);
}

static void prepare_messages(void) {
    static volatile pid_t tid;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof own;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr*)&own, size) != 0 ||
        getsockname(listener, (struct sockaddr*)&own, &size) != 0 || listen(listener, 1) != 0 || pipe(pipes) != 0)
        die("listen");
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr*)&own, size) != 0) die("connect");
    const int other = accept(listener, NULL, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, relay, (void*)&tid);
    while (tid == 0) pause_for(1);
    await_blocked(process, tid);
    if (fork() == 0) work(other);
}
static void read_pipe(void) {
    char byte;
    if (read(pipes[0], &byte, 1) != 1) die("read");
}

__attribute__((noinline)) void staged(void (*wait)(void)) {
    wait();
    __asm__ volatile("");
}

int main(int argc, char** argv) {
    const int locks = argc > 1 && strcmp(argv[1], "locks") == 0;
    process = getpid();
    if (argc < 2 || (!locks && strcmp(argv[1], "messages") != 0)) {
        fprintf(stderr, "usage: chains locks|messages\n");
        return 2;
    }
    locks ? prepare_locks() : prepare_messages();
    staged(locks ? take_lock : read_pipe);
    return 0;
}
