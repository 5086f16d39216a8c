// What goes wrong in an incident (tests/incidents), until it is killed. Prints "on" once it goes on.
//   incident hog CPU        computes, on one CPU
//   incident victim CPU     computes 2 ms, sleeps 1 ms, and so on, on one CPU
//   incident burn           computes, in two threads
//   incident convoy         four threads want one mutex, `the_mutex`; each holds it for 5 ms
//   incident queue          eight threads, who think for 1 ms, queue for `the_mutex`; each holds it for 10 ms
//   incident workers        eight threads wait for work on the condition variable `the_work`, some every 2 ms
//   incident faults         one thread maps and unmaps 64 MB, two others touch pages
//   incident read FILE      reads 4 KiB at random places, past the page cache
//   incident stream FILE    reads a byte of each page of a file through the page cache, again and again
//   incident dns MS         asks a resolver on port 53 of an own network namespace, which answers late
//   incident peer MS        asks a TCP server on a port of the loopback device, which answers late
//   incident flood          sends datagrams to itself over the loopback device, in two threads
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, large = 64 << 20 };

static void die(const char* what) {
    perror(what);
    exit(1);
}

static double clock_now(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_for(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static void compute(double seconds) {
    const double end = clock_now(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (clock_now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 1000; i++) {
        }
}

static void call_me(const char* name) { prctl(PR_SET_NAME, name); }

static void on(void) {
    puts("on");
    fflush(stdout);
}

static void start(void* (*work)(void*), void* argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, argument) != 0) die("pthread_create");
}

static void child(void (*work)(void)) {
    const pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
}

static void one_cpu(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) die("sched_setaffinity");
}

// ---- the processor

static void hog(const char* cpu) {
    call_me("hog");
    one_cpu(atoi(cpu));
    on();
    for (;;) compute(1);
}

static void victim(const char* cpu) {
    call_me("victim");
    one_cpu(atoi(cpu));
    on();
    for (;;) {
        compute(0.002);
        pause_for(0.001);
    }
}

static void* burn_on(void* argument) {
    call_me("burner");
    for (;;) compute(1);
    return argument;
}

static void burn(const char* unused) {
    (void)unused;
    start(burn_on, NULL);
    on();
    burn_on(NULL);
}

// ---- locks

pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* name) {
    call_me(name);
    for (;;) {
        pthread_mutex_lock(&the_mutex);
        pause_for(0.005);
        pthread_mutex_unlock(&the_mutex);
    }
    return NULL;
}

static void convoy(const char* unused) {
    (void)unused;
    start(hold, "convoy-1");
    start(hold, "convoy-2");
    start(hold, "convoy-3");
    on();
    hold("convoy-0");
}

static void* hold_and_think(void* unused) {
    call_me("queuer");
    for (;;) {
        pthread_mutex_lock(&the_mutex);
        pause_for(0.010);
        pthread_mutex_unlock(&the_mutex);
        pause_for(0.001);
    }
    return unused;
}

static void queue(const char* unused) {
    (void)unused;
    for (int i = 1; i < 8; i++) start(hold_and_think, NULL);
    on();
    hold_and_think(NULL);
}

pthread_cond_t the_work = PTHREAD_COND_INITIALIZER;
static int to_do;

static void* work_on(void* unused) {
    call_me("worker");
    for (;;) {
        pthread_mutex_lock(&the_mutex);
        while (to_do == 0) pthread_cond_wait(&the_work, &the_mutex);
        to_do--;
        pthread_mutex_unlock(&the_mutex);
    }
    return unused;
}

static void workers(const char* unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) start(work_on, NULL);
    call_me("employer");
    on();
    for (;;) {
        pause_for(0.002);
        pthread_mutex_lock(&the_mutex);
        to_do++;
        pthread_mutex_unlock(&the_mutex);
        pthread_cond_signal(&the_work);
    }
}

static void* touch(void* name) {
    call_me(name);
    for (;;) {
        char* const area = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) die("mmap");
        for (int i = 0; i < 16; i++) area[i * page] = 1;
        munmap(area, 16 * page);
        usleep(500);  // or they hold the lock as long as the unmapper does, where others take the CPU
    }
    return NULL;
}

static void faults(const char* unused) {
    (void)unused;
    start(touch, "faulter-1");
    start(touch, "faulter-2");
    call_me("unmapper");
    char* const area = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) die("mmap");
    madvise(area, large, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < large; at += page) area[at] = 1;
    on();
    for (int i = 0;; i++) mprotect(area, large, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
}

// ---- disks and memory

static void read_direct(const char* name) {
    call_me("reader");
    const int file = open(name, O_RDONLY | O_DIRECT);
    char* bytes;
    if (file < 0 || posix_memalign((void**)&bytes, page, page) != 0) die(name);
    const off_t pages = lseek(file, 0, SEEK_END) / page;
    if (pages < 1) die(name);
    on();
    for (off_t i = 0;; i += 7919)
        if (pread(file, bytes, page, i % pages * page) != page) die(name);
}

static void stream(const char* name) {
    call_me("streamer");
    struct stat status;
    const int file = open(name, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) die(name);
    const char* const bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) die(name);
    on();
    for (;;)
        for (off_t at = 0; at < status.st_size; at += page) *(volatile const char*)&bytes[at];
}

// ---- networks

static double delay;
static struct sockaddr_in server_address = {.sin_family = AF_INET};
static int listener;

static void answer_datagrams(void) {
    char bytes[512];
    call_me("resolver");
    for (;;) {
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        const ssize_t got = recvfrom(listener, bytes, sizeof bytes, 0, (struct sockaddr*)&from, &size);
        if (got < 0) die("recvfrom");
        pause_for(delay);
        if (sendto(listener, bytes, (size_t)got, 0, (struct sockaddr*)&from, size) < 0) die("sendto");
    }
}

static void dns(const char* milliseconds) {
    delay = atof(milliseconds) / 1e3;
    if (unshare(CLONE_NEWNET) != 0) die("unshare");
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    listener = socket(AF_INET, SOCK_DGRAM, 0);
    if (ioctl(listener, SIOCSIFFLAGS, &loopback) != 0) die("lo");
    server_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server_address.sin_port = htons(53);
    if (bind(listener, (struct sockaddr*)&server_address, sizeof server_address) != 0) die("bind");
    child(answer_datagrams);
    close(listener);
    call_me("asker");
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    char bytes[512] = "a question";
    on();
    for (;;) {
        // not connected, as some resolvers do it
        if (sendto(s, bytes, 32, 0, (struct sockaddr*)&server_address, sizeof server_address) < 0) die("sendto");
        if (recv(s, bytes, sizeof bytes, 0) < 0) die("recv");
    }
}

static void answer_connection(void) {
    char bytes[512];
    call_me("server");
    const int s = accept(listener, NULL, NULL);
    if (s < 0) die("accept");
    for (;;) {
        const ssize_t got = recv(s, bytes, sizeof bytes, 0);
        if (got <= 0) die("recv");
        pause_for(delay);
        if (send(s, bytes, (size_t)got, 0) < 0) die("send");
    }
}

static void peer(const char* milliseconds) {
    socklen_t size = sizeof server_address;
    delay = atof(milliseconds) / 1e3;
    server_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr*)&server_address, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr*)&server_address, &size) != 0)
        die("listen");
    child(answer_connection);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr*)&server_address, size) != 0) die("connect");
    char bytes[512] = "a question";
    call_me("asker");
    on();
    for (;;) {
        if (send(s, bytes, 32, 0) < 0) die("send");
        if (recv(s, bytes, sizeof bytes, 0) <= 0) die("recv");
    }
}

static void* send_on(void* argument) {
    char packet[64] = {0};
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof own;
    call_me("flooder");
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(s, (struct sockaddr*)&own, size) != 0 || getsockname(s, (struct sockaddr*)&own, &size) != 0 ||
        connect(s, (struct sockaddr*)&own, size) != 0)
        die("connect");
    for (;;) send(s, packet, sizeof packet, 0);  // what does not fit into the buffer is dropped by the softirq
    return argument;
}

static void flood(const char* unused) {
    (void)unused;
    start(send_on, NULL);
    on();
    send_on(NULL);
}

static const struct {
    const char* name;
    void (*run)(const char* argument);
    int takes;
} incidents[] = {
    {"hog", hog, 1},       {"victim", victim, 1},   {"burn", burn, 0},     {"convoy", convoy, 0},
    {"queue", queue, 0},   {"workers", workers, 0}, {"faults", faults, 0}, {"read", read_direct, 1},
    {"stream", stream, 1}, {"dns", dns, 1},         {"peer", peer, 1},     {"flood", flood, 0},
};

int main(int argc, char** argv) {
    for (size_t i = 0; argc > 1 && i < sizeof incidents / sizeof *incidents; i++)
        if (strcmp(argv[1], incidents[i].name) == 0 && argc == 2 + incidents[i].takes) incidents[i].run(argv[2]);
    fprintf(stderr, "usage: incident KIND [ARGUMENT]\n");
    return 2;
}
