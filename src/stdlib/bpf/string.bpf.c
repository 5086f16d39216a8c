// Strings: each fills its size, or ends with a zero before. The sizes are constants where these are inlined.
#include "lt.h"

// The bound is for the verifier, too: it follows neither a comparison of 32 bits of a number whose other bits are known
// to the compiler alone, nor an addition to an address that was made an `or`.
LT_API __u64 lt_at_most(__u64 n, __u64 most) {
    __asm__ volatile("" : "+r"(n));
    if (n > most) n = most;
    __asm__ volatile("" : "+r"(n));
    return n;
}

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

// Where the part begins; -1: nowhere.
LT_API __s64 lt_find(const char* text, __u32 size, const char* part, __u32 part_size) {
    for (__u32 i = 0; i < size; i++) {
        if (lt_begins(text + i, size - i, part, part_size)) return i;
        if (text[i] == 0) return -1;
    }
    return -1;
}

// A machine of codegen/matcher.h, whose table has `bytes` of them. Not to be known to the verifier: each state would be
// followed on its own.
LT_API __u64 lt_matches(const char* text, __u32 size, const __u8* table, __u32 width, __u32 bytes) {
    __u64 state = 2;
    for (__u32 i = 0; i <= size; i++) {
        __u8 byte = i < size ? text[i] : 0;
        state = table[lt_at_most(256 + state * width + table[byte], bytes - 1)];
        if (byte == 0) break;
    }
    return state == 1;
}

LT_API __s64 lt_bytes_compare(const unsigned char* a, const unsigned char* b, __u32 size) {
    for (__u32 i = 0; i < size; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

// Letters of ASCII; `first` is that of those to be changed, 'a' or 'A'.
LT_API void lt_change_case(char* text, __u32 size, __u32 first) {
    for (__u32 i = 0; i < size; i++) {
        if ((__u32)(unsigned char)text[i] - first < 26) text[i] ^= 0x20;
    }
}

static inline __attribute__((always_inline)) __u32 lt_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 255;
}

// The verifier does not know it: from a known number it would follow each text of digits on its own.
static volatile __u64 lt_unknown_zero;

// The integer at the beginning, behind blanks and a sign; what is too large wraps around. By base 0 the number says its
// base itself: 0x1f, 017, 15. `bare`: blanks and a `+` are no part of a number.
LT_API __s64 lt_to_number(const char* text, __u32 size, __u32 base, __u32 bare) {
    __u64 number = lt_unknown_zero;
    __u32 state = 0;  // 1: behind the sign, 2: behind a first digit that is 0, 3: behind another
    __u32 radix = base == 0 ? 10 : base;
    int negative = 0;
    for (__u32 i = 0; i < size; i++) {
        char c = text[i];
        if (state == 0 && !bare && (c == ' ' || c == '\t')) continue;
        if (state == 0 && (c == '-' || (c == '+' && !bare))) {
            negative = c == '-';
            state = 1;
            continue;
        }
        if (state == 2 && (base == 16 || base == 0) && (c == 'x' || c == 'X')) {
            radix = 16;
            state = 3;
            continue;
        }
        if (state < 2 && base == 0 && c == '0') radix = 8;
        __u32 digit = lt_digit(c);
        if (digit >= radix) break;
        number = number * radix + digit;
        state = state < 2 && digit == 0 ? 2 : 3;
    }
    return (__s64)(negative ? 0 - number : number);
}

// Names of numbers: rows of 32 bytes, which are a mask, the bits that name one there, and a name. What has no name
// follows in hexadecimal digits. `to` is zero, and `size` has room for one name more than may come.
LT_API void lt_names(char* to, __u32 size, __u64 number, const char* table, __u32 rows) {
    const __u32 row_size = 32, name_at = 8, name_size = 24;
    __u32 left = (__u32)number;
    __u64 at = lt_unknown_zero;
    for (__u32 i = 0; i < rows; i++) {
        const __u32* row = (const __u32*)(table + i * row_size);
        if ((left & row[0]) != row[1] || (row[1] == 0 && at != 0)) continue;
        at = lt_at_most(at, size - name_size - 2);
        if (at != 0) to[at++] = '|';
        long length = bpf_probe_read_kernel_str(to + at, name_size, (const char*)row + name_at);
        at += lt_at_most(length > 0 ? length - 1 : 0, name_size - 1);
        left &= ~row[0];
        if (row[1] == 0) break;
    }
    if (left == 0 && at != 0) return;
    at = lt_at_most(at, size - name_size - 2);
    if (at != 0) to[at++] = '|';
    to[at++] = '0';
    to[at++] = 'x';
    int begun = 0;
    for (int shift = 28; shift >= 0; shift -= 4) {
        __u32 digit = left >> shift & 15;
        if (digit == 0 && !begun && shift != 0) continue;
        begun = 1;
        at = lt_at_most(at, size - 2);
        to[at++] = digit < 10 ? '0' + digit : 'a' + digit - 10;
    }
}

// In quotes, with what does not print as C writes it. `to` is zero.
LT_API void lt_quote(char* to, __u32 room, const char* text, __u32 size) {
    const __u32 longest = 5;  // an escape, and the quote behind it
    __u64 at = 1 + lt_unknown_zero;
    to[0] = '"';
    for (__u32 i = 0; i < size; i++) {
        char c = text[i];
        if (c == 0 || at > room - longest - 1) break;
        at = lt_at_most(at, room - longest - 1);
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
            to[at++] = c;
            continue;
        }
        char letter = c == '"' || c == '\\' ? c : c == '\a' ? 'a' : c == '\b' ? 'b' : c == '\f' ? 'f' : 0;
        if (c == '\n') letter = 'n';
        if (c == '\r') letter = 'r';
        if (c == '\t') letter = 't';
        if (c == '\v') letter = 'v';
        to[at++] = '\\';
        if (letter != 0) {
            to[at++] = letter;
            continue;
        }
        to[at++] = '0' + ((unsigned char)c >> 6);
        to[at++] = '0' + ((unsigned char)c >> 3 & 7);
        to[at++] = '0' + (c & 7);
    }
    to[lt_at_most(at, room - 2)] = '"';
}

LT_API __u64 lt_swap(__u64 value, __u32 size) { return __builtin_bswap64(value) >> (64 - 8 * size); }
