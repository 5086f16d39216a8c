// Comes by USDT markers a known number of times, with known arguments.
//   marked COUNT [MICROSECONDS]     waits so long after each
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

// What counts those who trace lt:guarded; the kernel raises and lowers it.
__extension__ unsigned short lt_guarded_semaphore __attribute__((unused)) __attribute__((section(".probes")));
__extension__ unsigned short lt_step_semaphore __attribute__((unused)) __attribute__((section(".probes")));
__extension__ unsigned short lt_twice_semaphore __attribute__((unused)) __attribute__((section(".probes")));
__extension__ unsigned short other_step_semaphore __attribute__((unused)) __attribute__((section(".probes")));

static volatile int64_t numbers[4] = {10, -20, 30, -40};
volatile uint64_t watched = 1;  // not among what the kernel clears when it starts the program

__attribute__((noinline)) static void twice(long n) {
    if (n % 2 == 0)
        STAP_PROBE2(lt, twice, n, 0);
    else
        STAP_PROBE2(lt, twice, -n, (char)n);
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 1;
    const useconds_t micros = argc > 2 ? (useconds_t)atol(argv[2]) : 0;
    const char* names[2] = {"even", "odd"};
    for (long i = 0; i < count; i++) {
        const int8_t tiny = (int8_t)(-1 - i);
        const int64_t number = numbers[i % 4];
        STAP_PROBE5(lt, step, i, names[i % 2], tiny, 17, number);
        STAP_PROBE(other, step);
        twice(i);
        if (micros > 0) usleep(micros);
        watched = (uint64_t)i;
        if (lt_guarded_semaphore > 0) STAP_PROBE1(lt, guarded, (int)lt_guarded_semaphore);
    }
    printf("%p\n", (void*)&watched);
    return 0;
}
