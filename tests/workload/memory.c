// Shows memory of known content to whoever traces it.
//   memory HEX      puts the bytes at the address BASE and calls each of its functions once with what lies there
// The structures are those that tests/fuzz/meaning_memory.py describes.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define BASE 0x10000000UL
#define SIZE 4096
#define TRACED __attribute__((noinline, noclone, visibility("default")))

struct inner {
    int8_t tag;
    int16_t word;
    char name[5];
};
struct flags {
    uint32_t low : 3;
    int32_t middle : 7;
    uint32_t high : 20;
    uint8_t after;
};
union both {
    uint32_t number;
    int16_t halves[2];
    int8_t byte;
};
struct __attribute__((packed)) tight {
    uint8_t byte;
    int32_t number;
    uint64_t long_one;
};
struct known {
    int8_t a;
    uint8_t b;
    int16_t c;
    uint16_t d;
    int32_t e;
    uint32_t f;
    int64_t g;
    uint64_t h;
    bool yes;
    char text[5];
    char longer[24];
    uint8_t bytes[6];
    int32_t numbers[3];
    uint16_t grid[2][3];
    struct inner in;
    struct inner two[2];
    struct flags flags;
    union both both;
    struct tight tight;
    int32_t* at;
    struct inner* other;
    struct known* next;
};
// A structure of the name that programs give to their own.
struct s1 {
    uint8_t unlike, m6, m5, m4, m3, m2, m1, m0;
};

TRACED void look(const void* bytes, const struct s1* unused) {
    __asm__ volatile("" : : "r"(bytes), "r"(unused) : "memory");
}

TRACED void look_known(const struct known* k, long n) { __asm__ volatile("" : : "r"(k), "r"(n) : "memory"); }

TRACED void many(int8_t s_8, uint8_t u_8, int16_t s_16, uint16_t u_16, int32_t s_32, uint32_t u_32, int64_t s_64,
                 uint64_t u_64) {
    __asm__ volatile(""
                     :
                     : "r"(s_8), "r"(u_8), "r"(s_16), "r"(u_16), "r"(s_32), "r"(u_32), "r"(s_64), "r"(u_64)
                     : "memory");
}

struct pair {
    int64_t first;
    int32_t second;
};

// The structure takes two registers.
TRACED void by_value(uint16_t before, struct pair pair, int32_t after) {
    __asm__ volatile("" : : "r"(before), "r"(pair.first), "r"(pair.second), "r"(after) : "memory");
}

int main(int argc, char** argv) {
    unsigned char* const memory =
        mmap((void*)BASE, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (unsigned char*)BASE) {
        perror("mmap");
        return 1;
    }
    const char* const hex = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < SIZE && i < strlen(hex) / 2; i++) {
        unsigned byte = 0;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) return 1;
        memory[i] = (unsigned char)byte;
    }
    int8_t s_8;
    uint8_t u_8;
    int16_t s_16;
    uint16_t u_16;
    int32_t s_32;
    uint32_t u_32;
    int64_t s_64;
    uint64_t u_64;
    struct pair pair = {0, 0};
    memcpy(&s_8, memory, sizeof s_8);
    memcpy(&u_8, memory + 1, sizeof u_8);
    memcpy(&s_16, memory + 2, sizeof s_16);
    memcpy(&u_16, memory + 4, sizeof u_16);
    memcpy(&s_32, memory + 8, sizeof s_32);
    memcpy(&u_32, memory + 12, sizeof u_32);
    memcpy(&s_64, memory + 16, sizeof s_64);
    memcpy(&u_64, memory + 24, sizeof u_64);
    memcpy(&pair.first, memory + 32, sizeof pair.first);
    memcpy(&pair.second, memory + 40, sizeof pair.second);
    prctl(PR_SET_NAME, "calls");
    look(memory, NULL);
    look_known((const struct known*)memory, 7);
    many(s_8, u_8, s_16, u_16, s_32, u_32, s_64, u_64);
    by_value(u_16, pair, s_32);
    return 0;
}
