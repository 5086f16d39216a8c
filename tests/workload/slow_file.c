// slow_file FOLDER MILLISECONDS: mounts a FUSE file system with one file there, `disk`, of 16 MiB, and sleeps before
// each answer to a read. Prints "on" once it is mounted. Speaks the protocol of <linux/fuse.h> itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { root = 1, disk = 2, most = 1 << 20 };
static const unsigned long long size = 16 << 20;
static int device;
static long delay_ns;

static void die(const char* what) {
    perror(what);
    exit(1);
}

static void answer(const struct fuse_in_header* to, int error, const void* bytes, size_t length) {
    struct fuse_out_header head = {.len = (unsigned)(sizeof head + length), .error = -error, .unique = to->unique};
    const struct iovec parts[] = {{&head, sizeof head}, {(void*)bytes, length}};
    if (writev(device, parts, 2) < 0 && errno != ENOENT) die("answer");  // ENOENT: nobody waits any more
}

static struct fuse_attr attributes(unsigned long long node) {
    struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096};
    a.mode = node == root ? S_IFDIR | 0755 : S_IFREG | 0600;
    a.size = node == root ? 0 : size;
    a.blocks = a.size / 512;
    return a;
}

static void read_some(const struct fuse_in_header* in, const struct fuse_read_in* read) {
    static const char zeros[most];
    const struct timespec time = {delay_ns / 1000000000, delay_ns % 1000000000};
    nanosleep(&time, NULL);
    unsigned long long length = read->offset < size ? size - read->offset : 0;
    if (length > read->size) length = read->size;
    if (length > most) length = most;
    answer(in, 0, zeros, length);
}

static void serve(const struct fuse_in_header* in, const void* body) {
    if (in->opcode == FUSE_INIT) {
        const struct fuse_init_in* asked = body;
        const struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION, .minor = asked->minor < 31 ? asked->minor : 31, .max_write = most};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_LOOKUP && strcmp(body, "disk") == 0) {
        const struct fuse_entry_out out = {
            .nodeid = disk, .entry_valid = 3600, .attr_valid = 3600, .attr = attributes(disk)};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_LOOKUP) {
        answer(in, ENOENT, NULL, 0);
    } else if (in->opcode == FUSE_GETATTR || in->opcode == FUSE_SETATTR) {
        const struct fuse_attr_out out = {.attr_valid = 3600, .attr = attributes(in->nodeid)};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_OPEN || in->opcode == FUSE_OPENDIR) {
        const struct fuse_open_out out = {0};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_READ) {
        read_some(in, body);
    } else if (in->opcode == FUSE_WRITE) {
        const struct fuse_write_out out = {.size = ((const struct fuse_write_in*)body)->size};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_STATFS) {
        const struct fuse_statfs_out out = {.st = {.bsize = 4096, .namelen = 255}};
        answer(in, 0, &out, sizeof out);
    } else if (in->opcode != FUSE_FORGET && in->opcode != FUSE_BATCH_FORGET && in->opcode != FUSE_INTERRUPT) {
        const int fine = in->opcode == FUSE_FLUSH || in->opcode == FUSE_RELEASE || in->opcode == FUSE_RELEASEDIR ||
                         in->opcode == FUSE_FSYNC;
        answer(in, fine ? 0 : ENOSYS, NULL, 0);
    }
}

int main(int argc, char** argv) {
    static char request[most + 4096] __attribute__((aligned(8)));
    char options[100];
    if (argc != 3) {
        fprintf(stderr, "usage: slow_file FOLDER MILLISECONDS\n");
        return 2;
    }
    delay_ns = (long)(atof(argv[2]) * 1e6);
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0) die("/dev/fuse");
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
    if (mount("slow-file", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0) die("mount");
    puts("on");
    fflush(stdout);
    for (;;) {
        const ssize_t got = read(device, request, sizeof request);
        if (got < 0 && errno == ENODEV) return 0;  // unmounted
        if (got < 0 && errno != EINTR && errno != ENOENT) die("read");
        if (got >= (ssize_t)sizeof(struct fuse_in_header))
            serve((const struct fuse_in_header*)request, request + sizeof(struct fuse_in_header));
    }
}
