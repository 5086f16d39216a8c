// Accepts connections to fresh memory while a thread of the same process keeps the lock of their address space busy.
//   accept COUNT
// "calls" accepts COUNT connections that are there already, then asks once more without waiting. Each address goes to a
// page of a mapping of its own that was never touched, so copying it takes a page fault that needs the lock. "holder"
// meanwhile changes the protection of a large mapping back and forth, which holds the lock for writing, without a
// pause.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { page = 4096, large = 64 << 20 };
static atomic_int ready, done;

static void die(const char* what) {
    perror(what);
    exit(1);
}

static char* mapped(size_t size, int flags) {
    char* const at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (at == MAP_FAILED) die("mmap");
    return at;
}

static void* hold(void* argument) {
    char* const area = mapped(large, 0);
    prctl(PR_SET_NAME, "holder");
    // Large pages would make it quick.
    if (madvise(area, large, MADV_NOHUGEPAGE) != 0) die("madvise");
    for (size_t at = 0; at < large; at += page) area[at] = 1;
    for (long i = 0; !done; i++, ready = 1) {
        if (mprotect(area, large, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ) != 0) die("mprotect");
    }
    return argument;
}

// Every second page cannot be accessed, so that no two of the others are one mapping.
static struct sockaddr_in** fresh_pages(long count) {
    struct sockaddr_in** const pages = calloc((size_t)count, sizeof *pages);
    char* const at = mapped((size_t)count * 2 * page, MAP_NORESERVE);
    for (long i = 0; i < count; i++) {
        pages[i] = (struct sockaddr_in*)(at + 2 * i * page);
        if (mprotect(at + (2 * i + 1) * page, page, PROT_NONE) != 0) die("mprotect");
    }
    return pages;
}

static int listening(struct sockaddr_in* address) {
    socklen_t size = sizeof *address;
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (s < 0 || bind(s, (const struct sockaddr*)address, size) != 0 || listen(s, 128) != 0) die("listen");
    if (getsockname(s, (struct sockaddr*)address, &size) != 0) die("getsockname");
    return s;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 0;
    if (count < 1 || count > 100) {
        fprintf(stderr, "usage: accept COUNT (1 to 100)\n");
        return 1;
    }
    struct sockaddr_in address;
    struct sockaddr_in** const pages = fresh_pages(count);
    const int server = listening(&address);
    pthread_t holder;
    for (long i = 0; i < count; i++) {
        const int client = socket(AF_INET, SOCK_STREAM, 0);
        if (client < 0 || connect(client, (const struct sockaddr*)&address, sizeof address) != 0) die("connect");
    }
    if (pthread_create(&holder, NULL, hold, NULL) != 0) die("pthread_create");
    while (!ready) usleep(1000);
    prctl(PR_SET_NAME, "calls");
    for (long i = 0; i < count; i++) {
        socklen_t size = sizeof *pages[i];
        usleep(5000);
        if (accept(server, (struct sockaddr*)pages[i], &size) < 0 || pages[i]->sin_family != AF_INET) die("accept");
    }
    if (fcntl(server, F_SETFL, O_NONBLOCK) != 0 || accept(server, NULL, NULL) >= 0) die("accept without a connection");
    done = 1;
    pthread_join(holder, NULL);
    return 0;
}
