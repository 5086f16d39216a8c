// Spends the time of one call of staged() on one cause. Prints how many microseconds it took, and how many of them the
// thread was not on a CPU.
//   waits preempted     another process computes on the same CPU
//   waits throttled     the process has a quota of CPU time (a cgroup, set up by the caller)
//   waits stopped       a signal stops it for 300 ms
//   waits fault         a page fault is answered after 300 ms (userfaultfd)
//   waits lock          another process holds the lock of a file's contents while it writes 160 MB into it
//   waits mmap_lock     another thread changes a large mapping back and forth while this one maps pages
//   waits softirq       sends packets to itself over the loopback device
//   waits memory FILE   writes 64 MB into a file in a cgroup with less memory (set up by the caller)
//   waits disk FILE     writes past the page cache
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, large = 64 << 20 };
static const char* file_name;
static int file;
static char* area;
static volatile int changing, done;

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
        for (volatile int i = 0; i < 10000; i++) {
        }
}

static pid_t child(void (*work)(void)) {
    const pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
}

static void map_area(void) {
    area = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) die("mmap");
    madvise(area, large, MADV_NOHUGEPAGE);
}

// ---- the causes: what has to be prepared, and what happens in staged()

// The others have names, by which tests know them.
static void call_me(const char* name) { prctl(PR_SET_NAME, name); }

static void one_cpu(void) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) die("sched_setaffinity");
}
static void forever(void) {
    call_me("hog");
    for (;;) compute(1);
}
static void beside_a_hog(void) {
    one_cpu();
    child(forever);
}
static void compute_some(void) { compute(0.3); }

static void nothing(void) {}

static void wake_parent(void) {
    call_me("waker");
    pause_for(0.3);
    kill(getppid(), SIGCONT);
}
static void stop(void) {
    child(wake_parent);
    raise(SIGSTOP);
}

static void* answer(void* argument) {
    struct uffd_msg message;
    call_me("answerer");
    if (read(file, &message, sizeof message) != sizeof message) die("read");
    pause_for(0.3);
    struct uffdio_zeropage zero = {.range = {(__u64)(message.arg.pagefault.address & ~(__u64)(page - 1)), page}};
    if (ioctl(file, UFFDIO_ZEROPAGE, &zero) != 0) die("UFFDIO_ZEROPAGE");
    return argument;
}
static void register_area(void) {
    struct uffdio_api api = {.api = UFFD_API};
    map_area();
    file = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (file < 0 || ioctl(file, UFFDIO_API, &api) != 0) die("userfaultfd");
    struct uffdio_register all = {.range = {(__u64)(unsigned long)area, large}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (ioctl(file, UFFDIO_REGISTER, &all) != 0) die("UFFDIO_REGISTER");
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
}
static void fault_once(void) { area[0] = 1; }

static void write_much(void) {
    call_me("writer");
    const size_t size = 160 << 20;
    char* const bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pwrite(file, bytes, size, 0) < 0) die("write");
}
// No other program delays it when what it waits for has come.
static void run_first(void) {
    const struct sched_param first = {1};
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}
static void shared_file(void) {
    struct stat now = {0};
    file = memfd_create("shared", 0);
    if (file < 0) die("memfd_create");
    run_first();
    child(write_much);
    for (; now.st_size == 0; usleep(100))       // it grows while it is written
        if (fstat(file, &now) != 0) die("fstat");
}
static void write_little(void) {
    if (pwrite(file, "", 1, 0) != 1) die("pwrite");
}

static void* change_protection(void* argument) {
    call_me("changer");
    char* const other = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(other, large, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < large; at += page) other[at] = 1;
    for (int i = 0; !done; i++, changing = 1) mprotect(other, large, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    return argument;
}
static void beside_a_changer(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, change_protection, NULL);
    while (!changing) pause_for(0.001);
}
static long times_blocked(void) {
    struct rusage own;
    getrusage(RUSAGE_THREAD, &own);
    return own.ru_nvcsw;
}
// Until it has waited for the other thread some times.
static void map_pages(void) {
    const double end = clock_now(CLOCK_MONOTONIC) + 0.2;
    const long enough = times_blocked() + 5;
    while (clock_now(CLOCK_MONOTONIC) < end || times_blocked() < enough)
        munmap(mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), page);
}

static void own_socket(void) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof own;
    file = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(file, (struct sockaddr*)&own, size) != 0 || getsockname(file, (struct sockaddr*)&own, &size) != 0 ||
        connect(file, (struct sockaddr*)&own, size) != 0)
        die("connect");
}
static void send_much(void) {
    char packet[1400] = {0};
    for (int i = 0; i < 20000; i++)
        if (send(file, packet, sizeof packet, 0) < 0 || recv(file, packet, sizeof packet, 0) < 0) die("send");
}

static void open_file(void) {
    map_area();
    file = open(file_name, O_CREAT | O_RDWR, 0600);
    if (file < 0) die(file_name);
}
static void write_pages(void) {
    if (write(file, area, large) != large) die(file_name);
}

static void open_direct(void) {
    file = open(file_name, O_CREAT | O_RDWR | O_DIRECT, 0600);
    if (file < 0 || posix_memalign((void**)&area, page, 1 << 20) != 0) die(file_name);
    memset(area, 1, 1 << 20);
    run_first();
}
static void write_direct(void) {
    for (int i = 0; i < 64; i++)
        if (pwrite(file, area, 1 << 20, (off_t)i << 20) != 1 << 20 || fsync(file) != 0) die(file_name);
}

static const struct {
    const char* name;
    void (*prepare)(void);
    void (*work)(void);
} causes[] = {
    {"preempted", beside_a_hog, compute_some},
    {"throttled", nothing, compute_some},
    {"stopped", nothing, stop},
    {"fault", register_area, fault_once},
    {"lock", shared_file, write_little},
    {"mmap_lock", beside_a_changer, map_pages},
    {"softirq", own_socket, send_much},
    {"memory", open_file, write_pages},
    {"disk", open_direct, write_direct},
};

__attribute__((noinline)) void staged(void (*work)(void)) {
    work();
    __asm__ volatile("");
}

int main(int argc, char** argv) {
    file_name = argc > 2 ? argv[2] : "";
    for (size_t i = 0; argc > 1 && i < sizeof causes / sizeof *causes; i++) {
        if (strcmp(argv[1], causes[i].name) != 0) continue;
        causes[i].prepare();
        const double begin = clock_now(CLOCK_MONOTONIC), ran = clock_now(CLOCK_THREAD_CPUTIME_ID);
        staged(causes[i].work);
        const double whole = clock_now(CLOCK_MONOTONIC) - begin, own = clock_now(CLOCK_THREAD_CPUTIME_ID) - ran;
        done = 1;
        printf("%.0f %.0f\n", whole * 1e6, (whole - own) * 1e6);
        return 0;
    }
    fprintf(stderr, "usage: waits CAUSE [FILE]\n");
    return 2;
}
