// A program with USDT markers, names of C++ and debug information, for the compiler's tests: its offsets are known.
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

__extension__ unsigned short app_request_semaphore __attribute__((section(".probes")));
__extension__ unsigned short app_reply_semaphore __attribute__((section(".probes")));
__extension__ unsigned short store_request_semaphore __attribute__((section(".probes")));

int parse(int n) __asm__("_ZN3app6Parser5parseEi");
int parse_text(const char* text) __asm__("_ZN3app6Parser5parseEPKc");

int parse(int n) {
    STAP_PROBE2(app, request, n, 17);
    int twice = 2 * n;
    return twice;
}

int parse_text(const char* text) {
    STAP_PROBE1(app, request, text);
    double half = 0.5;
    __asm__("" : "+x"(half));
    STAP_PROBE1(app, reply, half);
    STAP_PROBE(store, request);
    return text[0];
}

void _start(void) { parse(parse_text("x")); }
