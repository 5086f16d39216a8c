// Strings: each fills its size, or ends with a zero before. The sizes are constants where these are inlined.
#include "lt.h"

LT_API __u64 lt_at_most(__u64 n, __u64 most) { return n > most ? most : n; }

LT_API __u64 lt_length(const char* text, __u32 size) {
    __u32 i = 0;
    while (i < size && text[i] != 0) i++;
    return i;
}

// Below zero, zero or above, by the first byte that differs.
LT_API __s64 lt_compare(const unsigned char* a, const unsigned char* b, __u32 size) {
    for (__u32 i = 0; i < size; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        if (a[i] == 0) return 0;
    }
    return 0;
}

static inline __attribute__((always_inline)) int lt_begins(const char* text, __u32 size, const char* part,
                                                           __u32 part_size) {
    for (__u32 i = 0; i < part_size; i++) {
        if (part[i] == 0) return 1;
        if (i >= size || text[i] != part[i]) return 0;
    }
    return 1;
}

LT_API __u64 lt_contains(const char* text, __u32 size, const char* part, __u32 part_size) {
    for (__u32 i = 0; i < size; i++) {
        if (lt_begins(text + i, size - i, part, part_size)) return 1;
        if (text[i] == 0) return 0;
    }
    return 0;
}
