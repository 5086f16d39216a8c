// Clients of a server: each asks one request after the other, over a connection of its own.
//   requests PORT CLIENTS SECONDS REQUEST     writes "requests N", "ns NS", "slowest NS" to standard output
// The answer's length is that of the first one; REQUEST is a line without its end. They run on the last CPU, the server
// should be on the first. NS are of CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"

enum { most_clients = 256, most_answer = 65536 };

static struct client {
    int fd;
    long got;         // bytes of the answer that came
    long long asked;  // when
} clients[most_clients];

static char buffer[most_answer];

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int connected(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr*)&to, sizeof to) != 0) fail("connect");
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) fail("setsockopt");
    return fd;
}

static void ask(struct client* c, const char* request, size_t length) {
    c->got = 0;
    c->asked = now();
    if (write(c->fd, request, length) != (ssize_t)length) fail("write");
}

int main(int argc, char** argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: requests PORT CLIENTS SECONDS REQUEST\n");
        return 2;
    }
    const int n = atoi(argv[2]);
    if (n < 1 || n > most_clients) return 2;
    char request[1024];
    const int length = snprintf(request, sizeof request, "%s\r\n", argv[4]);
    if (length < 0 || length >= (int)sizeof request) return 2;
    stay_on_last_cpu();
    const int all = epoll_create1(0);
    for (int i = 0; i < n; i++) {
        clients[i].fd = connected(atoi(argv[1]));
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        if (epoll_ctl(all, EPOLL_CTL_ADD, clients[i].fd, &event) != 0) fail("epoll_ctl");
    }
    ask(&clients[0], request, (size_t)length);
    const long answer = read(clients[0].fd, buffer, sizeof buffer);
    if (answer <= 0) fail("read");
    const long long begin = now(), end = begin + (long long)(atof(argv[3]) * 1e9);
    long long at = begin, slowest = 0;
    long requests = 0;
    for (int i = 0; i < n; i++) ask(&clients[i], request, (size_t)length);
    while (at < end) {
        struct epoll_event events[most_clients];
        const int ready = epoll_wait(all, events, most_clients, 1000);
        if (ready <= 0) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct client* c = events[i].data.ptr;
            const long got = read(c->fd, buffer, sizeof buffer);
            if (got <= 0) fail("read");
            c->got += got;
            if (c->got < answer) continue;
            at = now();
            if (at - c->asked > slowest) slowest = at - c->asked;
            requests++;
            ask(c, request, (size_t)length);
        }
    }
    printf("requests %ld\nns %lld\nslowest %lld\n", requests, at - begin, slowest);
    return 0;
}
