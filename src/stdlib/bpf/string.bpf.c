// Strings: each fills its size, or ends earlier with a zero. The sizes are constants where these are inlined.
#include "lt.h"

// The bound is also for the verifier: it follows neither a 32-bit comparison of a number whose other bits only the
// compiler knows, nor an addition to an address that was turned into an `or`.
LT_API __u64 lt_at_most(__u64 n, __u64 most) {
    __asm__ volatile("" : "+r"(n));
    if (n > most) n = most;
    __asm__ volatile("" : "+r"(n));
    return n;
}

// Zero, but unknown to the verifier: with known numbers it would follow each text separately. The results of the
// functions below include it, because they have as many results as ways out of a loop, and together with those of the
// next function their product.
static volatile __u64 lt_unknown_zero;

LT_API __u64 lt_length(const char* text, __u32 size) {
    __u32 i = 0;
    while (i < size && text[i] != 0) i++;
    return i + lt_unknown_zero;
}

// Below zero, zero or above, by the first byte that differs.
LT_API __s64 lt_compare(const unsigned char* a, const unsigned char* b, __u32 size) {
    __s64 order = 0;
    for (__u32 i = 0; i < size && order == 0; i++) {
        if (a[i] != b[i]) order = a[i] < b[i] ? -1 : 1;
        if (a[i] == 0) break;
    }
    return order + (__s64)lt_unknown_zero;
}

// The text is read again each time: if a character were kept, the verifier would know what it had been compared with,
// and follow all that is known of them.
static inline __attribute__((always_inline)) int lt_begins(const volatile char* text, __u32 size, const char* part,
                                                           __u32 part_size) {
    for (__u32 i = 0; i < part_size; i++) {
        if (part[i] == 0) return 1;
        if (i >= size || text[i] != part[i]) return 0;
    }
    return 1;
}

// Where the part begins; -1: not found.
LT_API __s64 lt_find(const char* string, __u32 size, const char* part, __u32 part_size) {
    const volatile char* text = string;
    __s64 found = -1;
    for (__u32 i = 0; i < size; i++) {
        if (lt_begins(text + i, size - i, part, part_size)) {
            found = i;
            break;
        }
        if (text[i] == 0) break;
    }
    return found + (__s64)lt_unknown_zero;
}

// Does the part begin at that byte of the text? For a search whose turns the kernel runs: the byte is unknown here.
// Linux 6.12 remembers that a number is another one plus a constant, and after a comparison of one it computes bounds of
// the other that contradict each other. Its memory does not reach over a second addition.
LT_API __u64 lt_begins_at(const char* text, __u32 size, const char* part, __u32 part_size, __u64 at) {
    for (__u32 i = 0; i < part_size; i++) {
        __u64 next = at + i;
        __asm__ volatile("%0 += 0" : "+r"(next));
        next = lt_at_most(next, size);
        if (part[i] == 0) return 1 + lt_unknown_zero;
        if (next >= size || ((const volatile char*)text)[next] != part[i]) return lt_unknown_zero;
    }
    return 1 + lt_unknown_zero;
}

LT_API __u64 lt_contains(const char* text, __u32 size, const char* part, __u32 part_size) {
    return lt_find(text, size, part, part_size) >= 0;
}

// A matcher of base/matcher.h, whose table has `bytes` bytes. The state is hidden from the verifier, which would
// otherwise follow each one separately.
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
    __s64 order = 0;
    for (__u32 i = 0; i < size && order == 0; i++) {
        if (a[i] != b[i]) order = a[i] < b[i] ? -1 : 1;
    }
    return order + (__s64)lt_unknown_zero;
}

// ASCII letters; `first` is the first letter of those to change, 'a' or 'A'.
LT_API void lt_change_case(char* text, __u32 size, __u32 first) {
    for (__u32 i = 0; i < size; i++) {
        if ((__u32)(unsigned char)text[i] - first < 26) text[i] ^= 0x20;
    }
}

// A character as itself, or as C escapes it: up to 10 bytes, the first 8 of them in `low`.
struct lt_escaped {
    __u64 low, high;
    __u32 bytes;  // written
    __u32 taken;  // read
};

static inline __attribute__((always_inline)) __u64 lt_hex(__u32 number, __u32 digits) {
    __u64 text = 0;
    for (__u32 i = 0; i < digits; i++) {
        __u64 digit = number & 15;
        text = text << 8 | (digit + '0' + (((9 - digit) >> 63) * 7));
        number >>= 4;
    }
    return text;
}

// The code point of a UTF-8 character of more than one byte; 0: there is none here. The following bytes are in `c`,
// too.
static inline __attribute__((always_inline)) __u32 lt_wide(const unsigned char* c, __u64 left, __u32* bytes) {
    const __u32 a = c[0], second = c[1] & 0x3f, third = c[2] & 0x3f;
    if ((c[1] & 0xc0) != 0x80) return 0;
    *bytes = 2;
    if (a >= 0xc2 && a < 0xe0 && left >= 2) return (a & 0x1f) << 6 | second;
    if (a < 0xe0 || (c[2] & 0xc0) != 0x80) return 0;
    *bytes = 3;
    const __u32 three = (a & 0xf) << 12 | second << 6 | third;
    if (a < 0xf0) return left >= 3 && three >= 0x800 && three - 0xd800 >= 0x800 ? three : 0;
    *bytes = 4;
    const __u32 four = (a & 7) << 18 | second << 12 | third << 6 | (c[3] & 0x3f);
    return (c[3] & 0xc0) == 0x80 && left >= 4 && a < 0xf5 && four - 0x10000 < 0x100000 ? four : 0;
}

static inline __attribute__((always_inline)) void lt_escape(const unsigned char* text, __u64 left,
                                                            struct lt_escaped* e) {
    const __u32 c = text[0];
    e->high = 0;
    e->taken = e->bytes = 1;
    e->low = c;
    if (c - 32 < 95 && c != '"' && c != '\\') return;
    e->bytes = 2;
    if (c == '"' || c == '\\') {
        e->low = '\\' | c << 8;
    } else if (c - 7 < 7) {  // abtnvfr
        e->low = '\\' | (__u64)(__u8)(0x7266766e746261ull >> (c - 7) * 8) << 8;
    } else if (c == 0) {
        e->low = '\\' | '0' << 8;
    } else {
        __u32 bytes = 1;
        const __u32 wide = c < 0xc2 ? 0 : lt_wide(text, left, &bytes);
        e->taken = wide ? bytes : 1;
        e->bytes = wide == 0 ? 4 : wide < 0x10000 ? 6 : 10;
        if (wide == 0) {
            e->low = '\\' | ('0' + (c >> 6)) << 8 | ('0' + (c >> 3 & 7)) << 16 | ('0' + (c & 7)) << 24;
        } else if (wide < 0x10000) {
            e->low = '\\' | 'u' << 8 | lt_hex(wide, 4) << 16;
        } else {
            const __u64 low = lt_hex(wide >> 8, 6);
            e->low = '\\' | 'U' << 8 | low << 16;
            e->high = lt_hex(wide & 0xff, 2);
        }
    }
}

// The state of quoting a text. `out` has 12 bytes more than `most`.
struct lt_quotation {
    __u64 at;      // characters
    __u64 kept;    // bytes that stay if the end is replaced by dots
    __u64 behind;  // the first byte of the text that is not taken yet
    __u64 is_cut;
    __u64 turn;  // the next byte to look at
    __u64 length;
    __u64 most;
};

// Takes the next byte of a text, unless it belongs to a character that was taken already. The buffer has 4 bytes more
// than the text. `form`: 1: in quotes, 2: zeros do not end it. Returns 1 at the end.
LT_API __u64 lt_quote_step(void* state, char* out, __u32 room, const char* text, __u32 size, __u32 form) {
    struct lt_quotation* q = state;
    const __u64 i = q->turn++, length = q->length, most = q->most;
    const unsigned char* c = (const unsigned char*)text + lt_at_most(i, size - 4);
    if (i >= length || (c[0] == 0 && !(form & 2))) return 1;
    if (i < q->behind) return 0;
    struct lt_escaped e;
    lt_escape(c, length - i, &e);
    const __u64 at = q->at;
    if (at + e.bytes > most - (form & 1)) {
        q->is_cut = 1;
        return 1;
    }
    char* to = out + lt_at_most(at, room - 12);
    for (__u32 k = 0; k < 8; k++) to[k] = e.low >> 8 * k;
    to[8] = e.high;
    to[9] = e.high >> 8;
    q->at = at + e.bytes;
    q->behind = i + e.taken;
    if (at + e.bytes + 4 <= most) q->kept = at + e.bytes;
    return 0;
}

LT_API void lt_quote_begin(void* state, char* out, __u64 length, __u64 most, __u32 form) {
    struct lt_quotation* q = state;
    const __u64 unknown = lt_unknown_zero;
    q->at = q->kept = (form & 1) + unknown;
    q->behind = q->is_cut = q->turn = unknown;
    q->length = length + unknown;
    q->most = (form & 1 && most < 5 ? 5 : most) + unknown;
    out[0] = '"';
}

LT_API void lt_quote_end(void* state, char* out, __u32 room, __u32 form) {
    const struct lt_quotation* q = state;
    const __u64 is_cut = q->is_cut, dots = '"' | '.' << 8 | '.' << 16 | (__u64)'.' << 24;
    char* to = out + lt_at_most(is_cut && form & 1 ? q->kept : q->at, room - 12);
    const __u64 end = !(form & 1) ? 0 : is_cut ? dots : '"';
    for (__u32 k = 0; k < 5; k++) to[k] = end >> 8 * k;
}

// 1 if a is below b, else 0, without a branch: the verifier would follow both sides and learn about both numbers.
static inline __attribute__((always_inline)) __u64 lt_below(__u64 a, __u64 b) {
    __u64 difference = a - b;
    __asm__ volatile("" : "+r"(difference));
    return difference >> 63;
}

// 255: not a digit.
static inline __attribute__((always_inline)) __u64 lt_digit(unsigned char c) {
    const __u64 digit = (__u32)(c - '0'), letter = (__u32)((c | 32) - 'a');
    const __u64 is_digit = lt_below(digit, 10), is_letter = lt_below(letter, 26);
    return digit * is_digit + (letter + 10) * is_letter + 255 * (1 - is_digit - is_letter);
}

// The integer at the beginning, after blanks and a sign; an overflow wraps around. With base 0 the number's prefix
// gives the base: 0x1f, 017, 15. The start of the digits, their base and their sign are unknown to the verifier, so
// that it goes through each loop once.
LT_API __s64 lt_to_number(const char* text, __u32 size, __u32 base) {
    const __u64 unknown = lt_unknown_zero, last = size - 1;
    __u64 at = 0, number = unknown, negative = unknown;
    __u32 radix = base == 0 ? 10 : base;
    while (at < size && (text[at] == ' ' || text[at] == '\t')) at++;
    at += unknown;
    const char sign = text[lt_at_most(at, last)];
    if (at < last && (sign == '-' || sign == '+')) {
        negative += sign == '-';
        at++;
    }
    if ((base == 0 || base == 16) && at < last && text[lt_at_most(at, last)] == '0') {
        if (base == 0) radix = 8;
        if ((text[lt_at_most(at + 1, last)] | 32) == 'x') {
            radix = 16;
            at += 2;
        }
    }
    at += unknown;
    radix += (__u32)unknown;
    for (__u32 i = 0; i < size && at < size; i++) {
        const __u64 digit = lt_digit(text[lt_at_most(at, last)]);
        if (!lt_below(digit, radix)) break;
        number = number * radix + digit;
        at++;
    }
    return (__s64)((number ^ (0 - negative)) + negative);
}

// Names of numbers. The table has rows of 40 bytes: a mask, the bits that the name stands for under it, the name. Bits
// without a name follow in hexadecimal; of a negative int, only its own 32. `to` is zero and has 32 bytes more than a
// power of two above the longest text.
// The position of the next name is an unknown number that is masked at each use and never compared, and nothing is
// known of the remaining bits: so the verifier meets the same state at each row, whichever names came before, and
// checks each row once.
LT_API void lt_names(char* to, __u32 size, __u64 number, const char* table, __u32 rows) {
    const __u32 row_size = 40, name_at = 16, name_size = 24, mask = size - 33;
    const __u64 is_int = (__s64)number == (__s32)number;
    __u64 left = (number & ((is_int << 32) - 1)) + lt_unknown_zero;
    __u64 at = lt_unknown_zero;
    int any = 0;
    for (__u32 i = 0; i < rows; i++) {
        const __u64* row = (const __u64*)(table + i * row_size);
        if ((left & row[0]) != row[1] || (row[1] == 0 && any)) continue;
        if (any) to[at++ & mask] = '|';
        any = 1;
        long length = bpf_probe_read_kernel_str(to + (at & mask), name_size, (const char*)row + name_at);
        at += length - 1;
        left = (left & ~row[0]) + lt_unknown_zero;
    }
    if (left == 0 && any) return;
    if (any) to[at++ & mask] = '|';
    to[at++ & mask] = '0';
    to[at++ & mask] = 'x';
    int begun = 0;
    for (int shift = 60; shift >= 0; shift -= 4) {
        __u32 digit = left >> shift & 15;
        if (digit == 0 && !begun && shift != 0) continue;
        begun = 1;
        to[at++ & mask] = digit < 10 ? '0' + digit : 'a' + digit - 10;
    }
}

LT_API __u64 lt_swap(__u64 value, __u32 size) { return __builtin_bswap64(value) >> (64 - 8 * size); }
