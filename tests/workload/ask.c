// A client of memcached that knows what it asked for and how long it waited.
//   ask HOST PORT COUNT [plain|parts|ahead|quiet|big [CONNECTIONS [FILE]]]
// One request after the other, in turn on each of the connections; with a FILE only once that is there, but for one
// that tries each connection. The kinds differ in how a request travels:
//   plain  in one packet, its answer is awaited             parts  in two packets, the second after the server read the
//   first ahead  two of them before the answers are awaited       quiet  without an answer, each with one that has an
//   answer behind it big    in many packets: a value of 300000 bytes
// Prints how many requests it sent and the sum of its waits in nanoseconds; any surprise ends it with status 1.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char set[] = "set key 0 0 5\r\nvalue\r\n", stored[] = "STORED\r\n";
static const char get[] = "get key\r\n", found[] = "VALUE key 0 5\r\nvalue\r\nEND\r\n";
static const char silent[] = "set other 0 0 5 noreply\r\nvalue\r\n";
enum { big_size = 300000 };

static void die(const char* what) {
    fprintf(stderr, "ask: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int try_to_connect(const char* host, int port) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    const bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
    const struct sockaddr* address = is_four ? (const struct sockaddr*)&four : (const struct sockaddr*)&six;
    if (!is_four && inet_pton(AF_INET6, host, &six.sin6_addr) != 1) die("address");
    const int s = socket(address->sa_family, SOCK_STREAM, 0), one = 1;
    if (s < 0) die("socket");
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(s, address, is_four ? sizeof four : sizeof six) == 0) return s;
    close(s);
    return -1;
}

// The server may still be starting.
static int connected(const char* host, int port) {
    for (int tries = 0; tries < 500; tries++) {
        const int s = try_to_connect(host, port);
        if (s >= 0) return s;
        usleep(20000);
    }
    die("connect");
    return -1;
}

static void sent(int s, const char* text, size_t size) {
    while (size > 0) {
        const ssize_t n = send(s, text, size, MSG_NOSIGNAL);
        if (n <= 0) die("send");
        text += n;
        size -= (size_t)n;
    }
}

static void awaited(int s, const char* answer) {
    char got[256];
    size_t have = 0;
    const size_t size = strlen(answer);
    while (have < size) {
        const ssize_t n = recv(s, got + have, size - have, 0);
        if (n <= 0) die("recv");
        have += (size_t)n;
    }
    if (memcmp(got, answer, size) != 0) die("another answer than expected");
}

static void ask(int s, const char* text, const char* answer) {
    sent(s, text, strlen(text));
    awaited(s, answer);
}

// Each of these returns how many requests it made.
static long plain(int s, long i) {
    ask(s, i % 2 ? get : set, i % 2 ? found : stored);
    return 1;
}

static long parts(int s, long i) {
    (void)i;
    sent(s, set, 8);
    usleep(20000);
    ask(s, set + 8, stored);
    return 1;
}

static long ahead(int s, long i) {
    (void)i;
    sent(s, set, strlen(set));
    sent(s, get, strlen(get));
    awaited(s, stored);
    awaited(s, found);
    return 2;
}

static long quiet(int s, long i) {
    sent(s, silent, strlen(silent));
    usleep(20000);
    return 1 + plain(s, 0 * i);
}

static long big(int s, long i) {
    static char value[big_size + 2];
    char head[64];
    (void)i;
    memset(value, 'v', big_size);
    memcpy(value + big_size, "\r\n", 2);
    snprintf(head, sizeof head, "set big 0 0 %d\r\n", big_size);
    sent(s, head, strlen(head));
    sent(s, value, sizeof value);
    awaited(s, stored);
    return 1;
}

static const struct {
    const char* name;
    long (*once)(int s, long i);
} kinds[] = {{"plain", plain}, {"parts", parts}, {"ahead", ahead}, {"quiet", quiet}, {"big", big}};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char** argv) {
    const char* kind = argc > 4 ? argv[4] : "plain";
    const long count = argc > 3 ? atol(argv[3]) : 0, connections = argc > 5 ? atol(argv[5]) : 1;
    int* sockets = calloc((size_t)(connections > 0 ? connections : 1), sizeof *sockets);
    for (size_t k = 0; sockets && count > 0 && k < sizeof kinds / sizeof kinds[0]; k++) {
        uint64_t waited = 0;
        long requests = 0;
        if (strcmp(kind, kinds[k].name) != 0) continue;
        for (long c = 0; c < connections; c++) sockets[c] = connected(argv[1], atoi(argv[2]));
        for (long c = 0; argc > 6 && c < connections; c++) ask(sockets[c], set, stored);
        while (argc > 6 && access(argv[6], F_OK) != 0) usleep(20000);
        for (long i = 0; i < count; i++) {
            const uint64_t start = now_ns();
            requests += kinds[k].once(sockets[i % connections], i / connections);
            waited += now_ns() - start;
        }
        printf("%ld requests, %llu ns\n", requests, (unsigned long long)waited);
        return 0;
    }
    fprintf(stderr, "usage: ask HOST PORT COUNT [plain|parts|ahead|quiet|big [CONNECTIONS [FILE]]]\n");
    return 1;
}
