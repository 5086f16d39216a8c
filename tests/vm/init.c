// Process 1 of a test guest: static, and with a few modules the whole initramfs. It mounts the host's root (virtiofs,
// tag "host") under an overlay in memory, runs DIR/cmd in there as root, reports "done STATUS" on the port "ctl" and
// ends the guest. Kernel command line: lt.dir=DIR (on the host; DIR/rw lists folders that the guest may write),
// lt.mod=FOLDER (this kernel's modules, on the host).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ctl = -1;

static double uptime(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// A reboot, because QEMU is started with -no-reboot and then leaves at once: quicker than an ACPI power-off.
static void leave(void) {
    sync();
    reboot(RB_AUTOBOOT);
    for (;;) pause();
}

static void say(const char* format, ...) {
    va_list args;
    va_start(args, format);
    vdprintf(ctl >= 0 ? ctl : 2, format, args);
    va_end(args);
}

static void die(const char* what) {
    int error = errno;
    say("fail %s: %s\n", what, strerror(error));
    dprintf(2, "init: %s: %s\n", what, strerror(error));
    leave();
}

static char* join(const char* a, const char* b) {
    char* text;
    if (asprintf(&text, "%s%s", a, b) < 0) die("memory");
    return text;
}

// NULL when the file cannot be read.
static char* slurp(const char* path) {
    static char buffer[65536];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    ssize_t n = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    if (n < 0) return NULL;
    return strndup(buffer, (size_t)n);
}

static char* first_line(const char* path) {
    char* text = slurp(path);
    if (text) text[strcspn(text, "\n")] = 0;
    return text;
}

static char* option(const char* line, const char* key) {
    const char* at = strstr(line, key);
    if (!at) return strdup("");
    at += strlen(key);
    return strndup(at, strcspn(at, " \n"));
}

enum Need { OPTIONAL, REQUIRED };
struct Mount {
    const char *source, *target, *type;
    unsigned long flags;
    const char* data;
    enum Need need;
};

static void mount_one(const struct Mount* m) {
    mkdir(m->target, 0755);
    if (mount(m->source, m->target, m->type, m->flags, m->data) < 0 && m->need == REQUIRED) die(m->target);
}

static void mount_all(const struct Mount* rows, size_t count) {
    for (size_t i = 0; i < count; i++) mount_one(&rows[i]);
}
#define MOUNT_ALL(rows) mount_all(rows, sizeof(rows) / sizeof(*(rows)))

static const struct Mount kEarly[] = {
    {"dev", "/dev", "devtmpfs", 0, NULL, REQUIRED},
    {"proc", "/proc", "proc", 0, NULL, REQUIRED},
    {"sys", "/sys", "sysfs", 0, NULL, REQUIRED},
};

static const struct Mount kMemory[] = {
    {"tmpfs", "/ov", "tmpfs", 0, NULL, REQUIRED},
    {"tmpfs", "/ov/w", "tmpfs", 0, "size=75%,mode=755", REQUIRED},
};

static const struct Mount kRoot[] = {
    {"host", "/ov/host", "virtiofs", 0, NULL, REQUIRED},
    {"overlay", "/root", "overlay", 0, "lowerdir=/ov/host,upperdir=/ov/w/up,workdir=/ov/w/work", REQUIRED},
    {"/dev", "/root/dev", NULL, MS_MOVE, NULL, REQUIRED},
    {"/proc", "/root/proc", NULL, MS_MOVE, NULL, REQUIRED},
    {"/sys", "/root/sys", NULL, MS_MOVE, NULL, REQUIRED},
    {"run", "/root/run", "tmpfs", 0, "mode=755", REQUIRED},
    {"devpts", "/root/dev/pts", "devpts", 0, "ptmxmode=666,mode=620", OPTIONAL},
    {"shm", "/root/dev/shm", "tmpfs", 0, "mode=1777", OPTIONAL},
    {"tracefs", "/root/sys/kernel/tracing", "tracefs", 0, NULL, OPTIONAL},
    {"debugfs", "/root/sys/kernel/debug", "debugfs", 0, NULL, OPTIONAL},
    {"bpf", "/root/sys/fs/bpf", "bpf", 0, NULL, OPTIONAL},
    {"cgroup2", "/root/sys/fs/cgroup", "cgroup2", 0, NULL, OPTIONAL},
};

static void load_modules(void) {
    char* order = slurp("/mods/order");
    if (!order) return;
    for (char* name = strtok(order, "\n"); name; name = strtok(NULL, "\n")) {
        char* path = join("/mods/", name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) die(path);
        if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST) die(path);
        close(fd);
    }
}

static int open_port_if_named(int device, int number, const char* name) {
    char path[128];
    snprintf(path, sizeof path, "/sys/class/virtio-ports/vport%dp%d/name", device, number);
    char* found = first_line(path);
    int same = found && !strcmp(found, name);
    free(found);
    if (!same) return -1;
    snprintf(path, sizeof path, "/dev/vport%dp%d", device, number);
    return open(path, O_RDWR | O_CLOEXEC);
}

// Ports are found by the name that QEMU gave them; they appear a moment after their driver.
static int open_port(const char* name) {
    for (int tries = 0; tries < 400; tries++) {
        for (int device = 0; device < 4; device++)
            for (int number = 0; number < 8; number++) {
                int fd = open_port_if_named(device, number, name);
                if (fd >= 0) return fd;
            }
        usleep(5000);
    }
    errno = ENODEV;
    die(name);
    return -1;
}

static void make_root(void) {
    MOUNT_ALL(kMemory);
    mkdir("/ov/w/up", 0755);
    mkdir("/ov/w/work", 0755);
    MOUNT_ALL(kRoot);
    mkdir("/root/run/lock", 0755);
    const char* links[][2] = {{"/proc/self/fd", "/root/dev/fd"},
                              {"/proc/self/fd/0", "/root/dev/stdin"},
                              {"/proc/self/fd/1", "/root/dev/stdout"},
                              {"/proc/self/fd/2", "/root/dev/stderr"}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (symlink(links[i][0], links[i][1]) < 0 && errno != EEXIST) die(links[i][1]);
}

static void bind_host(const char* folder, const char* target) {
    struct Mount m = {join("/ov/host", folder), target, NULL, MS_BIND, NULL, REQUIRED};
    mount_one(&m);
}

static void bind_writable(void) {
    char* list = slurp("/root/run/lt-vm/rw");
    if (!list) return;
    for (char* folder = strtok(list, "\n"); folder; folder = strtok(NULL, "\n"))
        bind_host(folder, join("/root", folder));
}

// This kernel's modules, where modprobe looks for them.
static void link_modules(const char* modules, const char* release) {
    char* path = join("/root/lib/modules/", release);
    mkdir("/root/lib/modules", 0755);
    if (access(path, F_OK) < 0 && symlink(modules, path) < 0) say("no modules: %s\n", strerror(errno));
}

static void switch_root(void) {
    if (chdir("/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
        die("switch root");
}

static void network_up(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sethostname("lt-vm", 5) < 0 || fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0) say("no loopback\n");
    if (fd >= 0) close(fd);
}

static void run_command(int out, int err) {
    setsid();
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out, 1);
    dup2(err, 2);
    struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &unlimited);
    char* argv[] = {"/bin/bash", "/run/lt-vm/cmd", NULL};
    char* envp[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                    "HOME=/root",
                    "TERM=dumb",
                    "LANG=C.UTF-8",
                    "LT_VM=1",
                    NULL};
    execve(argv[0], argv, envp);
    dprintf(2, "init: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

// As process 1 we inherit orphans too; only the command's own end counts.
static int wait_for(pid_t command) {
    int status;
    for (;;) {
        pid_t ended = wait(&status);
        if (ended == command) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno == ECHILD) die("wait");
    }
}

int main(void) {
    MOUNT_ALL(kEarly);
    int console = open("/dev/console", O_RDWR);
    for (int fd = 0; console >= 0 && fd < 3; fd++) dup2(console, fd);
    char* line = slurp("/proc/cmdline");
    if (!line) die("/proc/cmdline");

    double at_start = uptime();
    load_modules();
    ctl = open_port("ctl");
    int out = open_port("out"), err = open_port("err");
    double at_modules = uptime();

    char* release = first_line("/proc/sys/kernel/osrelease");
    make_root();
    bind_host(option(line, "lt.dir="), "/root/run/lt-vm");
    bind_writable();
    link_modules(option(line, "lt.mod="), release);
    switch_root();
    network_up();

    say("boot %.3f init, %.3f modules, %.3f command; %s\n", at_start, at_modules, uptime(), release);
    pid_t command = fork();
    if (command == 0) run_command(out, err);
    int status = wait_for(command);
    close(out);
    close(err);
    say("done %d at %.3f\n", status, uptime());
    close(ctl);
    leave();
}
