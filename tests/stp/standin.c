// Stands for programs that examples watch and that are not installed: it has the marks and functions that these ask
// for, and does each a known number of times. A row copies it to where the example looks, and the first word says who
// it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <unistd.h>

static char file[] = "shop.php", name[] = "add", class[] = "Cart", scope[] = "::", page[] = "/cart", method[] = "GET";
static char message[] = "no such item", error[] = "Sold";

static void php(void) {
    DTRACE_PROBE3(php, request__startup, file, page, method);
    DTRACE_PROBE2(php, compile__file__entry, file, file);
    DTRACE_PROBE2(php, compile__file__return, file, file);
    DTRACE_PROBE2(php, execute__entry, file, 3);
    DTRACE_PROBE5(php, function__entry, name, file, 7, class, scope);
    DTRACE_PROBE1(php, exception__thrown, error);
    DTRACE_PROBE1(php, exception__caught, error);
    DTRACE_PROBE3(php, error, message, file, 9);
    DTRACE_PROBE5(php, function__return, name, file, 7, class, scope);
    DTRACE_PROBE2(php, execute__return, file, 3);
    DTRACE_PROBE3(php, request__shutdown, file, page, method);
}

static char procedure[] = "checkout", command[] = "puts", library[] = "shop.tcl";

static void tcl(void) {
    for (int i = 0; i < 3; i++) {
        DTRACE_PROBE3(tcl, proc__entry, procedure, 0, 0);
        DTRACE_PROBE7(tcl, proc__info, 0, 0, procedure, library, 12, 0, 0);
        DTRACE_PROBE3(tcl, cmd__entry, command, 0, 0);
        DTRACE_PROBE2(tcl, cmd__return, command, 0);
        DTRACE_PROBE2(tcl, proc__return, procedure, 0);
    }
}

static void glib(void) {
    DTRACE_PROBE4(glib, mem__alloc, 0x1000, 1000, 0, 0);
    DTRACE_PROBE1(glib, mem__free, 0x1000);
    DTRACE_PROBE4(glib, mem__realloc, 0x2000, 0x1000, 2000, 0);
}

static void guestfs(void) {
    DTRACE_PROBE(guestfs, launch_start);
    DTRACE_PROBE(guestfs, launch_end);
}

static void libc(void) {
    DTRACE_PROBE2(libc, memory_sbrk_more, 0, 135168);
    DTRACE_PROBE2(libc, memory_sbrk_less, 0, 35168);
    DTRACE_PROBE2(libc, memory_mallopt_free_dyn_thresholds, 1048576, 2097152);
    DTRACE_PROBE2(libc, memory_arena_new, 0x1000, 0);
    DTRACE_PROBE2(libc, memory_arena_reuse_wait, 0x1000, 0);
    DTRACE_PROBE2(libc, memory_arena_reuse, 0x2000, 0x1000);
    DTRACE_PROBE1(libc, memory_arena_reuse_free_list, 0x1000);
    DTRACE_PROBE2(libc, memory_heap_new, 0x3000, 4096);
    DTRACE_PROBE2(libc, memory_heap_new, 0x4000, 4096);
    DTRACE_PROBE2(libc, memory_heap_more, 0x3000, 8192);
    DTRACE_PROBE2(libc, memory_heap_less, 0x3000, 6000);
    DTRACE_PROBE2(libc, memory_heap_free, 0x4000, 0);
}

static void qemu(void) {
    for (int i = 0; i < 5; i++) DTRACE_PROBE2(qemu, cpu_in, 0x60, i);
    for (int i = 0; i < 7; i++) DTRACE_PROBE2(qemu, cpu_out, 0x3f8, i);
}

struct ssl3_state_st {
    long flags;
    unsigned char client_random[32];
};
typedef struct ssl_st {
    int version;
    struct ssl3_state_st* s3;
} SSL;

int tls1_generate_master_secret(SSL* s, unsigned char* out, unsigned char* p, int len) {
    memset(out, 0xab, 48);
    return s->version && p ? len : 48;
}
int generate_normal_master(void* session, int keep) { return session ? keep : -1; }

static void ssl(void) {
    struct ssl3_state_st state = {0};
    SSL session = {3, &state};
    unsigned char secret[48], other[128] = {0};
    for (int i = 0; i < 32; i++) state.client_random[i] = (unsigned char)(i + 240);
    memset(other + 24, 0xcd, 48);
    memset(other + 72, 0xee, 32);
    printf("%d %d\n", tls1_generate_master_secret(&session, secret, secret, 48), generate_normal_master(other, 0));
}

static long given_back;

// Takes the place of the C library's own, which would be called by it, too.
void free(void* mem) { given_back += mem != NULL; }

static void frees(void) {
    for (long i = 1; i <= 5; i++) free((void*)(i << 12));
    printf("%ld\n", given_back);
}

int work_of(int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) sum += i * times;
    if (sum > 1000) sum = -sum;
    return sum;
}

static void lines(void) {
    int all = 0;
    for (int i = 0; i < 4; i++) all += work_of(10 * i);
    printf("%d\n", all);
}

static const struct {
    const char* name;
    void (*does)(void);
} roles[] = {{"php", php},   {"tcl", tcl}, {"glib", glib},   {"guestfs", guestfs}, {"libc", libc},
             {"qemu", qemu}, {"ssl", ssl}, {"frees", frees}, {"lines", lines}};

int main(int argc, char** argv) {
    for (size_t i = 0; argc > 1 && i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(argv[1], roles[i].name) == 0) roles[i].does();
    return 0;
}
