// Aggregations. A slot is a map value of this CPU. Updates are atomic even so, because another program can interrupt or
// preempt this one between two instructions, unless `alone` says that none can (see codegen/typed/exclusive.h). Layouts
// are in runtime/border/plan.h.
#include "atomic.h"
#include "buckets.h"
#include "dist.h"
#include "traced.h"

// Here because a program that aggregates asks it, too, and opens one file less.
LT_API __u64 lt_is_own(void) { return lt_own_process(); }

LT_API void* lt_slot(void* map, const void* key, const void* zero, __u32 full, __u32 starved) {
    return lt_make_slot(map, key, zero, full, starved);
}

LT_API void lt_add(__u64* slot, __u64 value, __u32 alone) { lt_add_alone(slot, value, alone); }

// A sum that overflows 64 bits is wrong from then on; this is counted.
LT_API void lt_sum(__u64* slot, __u64 value, __u32 is_signed, __u32 overflow, __u32 alone) {
    __u64 before = *(volatile __u64*)slot, after = before + value;
    lt_add(slot, value, alone);
    if (is_signed ? (__s64)((before ^ after) & (value ^ after)) < 0 : after < before) lt_lose(overflow);
}

// Returns the value before.
LT_API __u64 lt_add_after(__u64* slot, __u64 value) { return lt_fetch_add(slot, value); }

// A value that all CPUs share.
LT_API void lt_and(__u64* slot, __u64 value) { lt_and_to(slot, value); }
LT_API void lt_or(__u64* slot, __u64 value) { lt_or_to(slot, value); }
LT_API void lt_xor(__u64* slot, __u64 value) { lt_xor_to(slot, value); }

LT_API void lt_average(__u64* slot, __u64 value, __u32 is_signed, __u32 overflow, __u32 alone) {
    lt_sum(&slot[0], value, is_signed, overflow, alone);
    lt_add(&slot[1], 1, alone);
}

// The largest value so far, unsigned, initially zero. Gives up, and counts it, after losing the race four times.
static inline __attribute__((always_inline)) void lt_raise_word(__u64* slot, __u64 value, __u32 contended,
                                                                __u32 alone) {
    if (alone) {
        if (value > *slot) *(volatile __u64*)slot = value;
        return;
    }
    if (lt_make_larger(slot, value) < 0) lt_lose(contended);
}

// min() and signed values are mapped so that their order is that of unsigned integers; slot[1] says whether there was a
// value.
LT_API void lt_raise(__u64* slot, __u64 value, __u32 contended, __u32 alone) {
    lt_raise_word(slot, value, contended, alone);
    if (*(volatile __u64*)slot >= value) *(volatile __u64*)&slot[1] = 1;  // last: who reads it finds a value
}

// Does the value exceed the record? Then it becomes the new record.
LT_API __u64 lt_exceed(__u64* record, __u64 value) { return lt_make_larger(record, value) > 0; }

#define LT_BUCKETS 66

LT_API void lt_hist(__u64* buckets, __s64 value, __u32 alone) {
    __u64 i = value < 0 ? 0 : value == 0 ? 1 : 2 + (__u64)lt_log2((__u64)value);
    lt_opaque(i);
    if (i < LT_BUCKETS) lt_add(&buckets[i], 1, alone);
}

LT_API void lt_hist_unsigned(__u64* buckets, __u64 value, __u32 alone) {
    __u64 i = value == 0 ? 1 : 2 + (__u64)lt_log2(value);
    lt_opaque(i);
    if (i < LT_BUCKETS) lt_add(&buckets[i], 1, alone);
}

// The one bound of a histogram of durations (1, 2, 4 .. 512 ns, us, ms, then doubling from 1 s on) inside (2^k,
// 2^(k+1)]; below 512 the bounds are the powers themselves, so there is none.
#define LT_NONE 0xffffffffffffffffull
static const __u64 lt_inner_bound[] = {
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
    LT_NONE,
#define LT_FIVE(unit) 1 * (unit), 2 * (unit), 4 * (unit), 8 * (unit), 16 * (unit)
#define LT_TEN(unit) LT_FIVE(unit), LT_FIVE(32 * (unit))
    LT_TEN(1000ull),
    LT_TEN(1000000ull),
    LT_TEN(1000000000ull),
    LT_TEN(1024000000000ull),
    LT_TEN(1048576000000000ull),
    LT_FIVE(1073741824000000000ull),
};
_Static_assert(sizeof(lt_inner_bound) / sizeof(lt_inner_bound[0]) == 64, "one bound for each power of two");

LT_API void lt_hist_duration(__u64* buckets, __s64 value, __u32 alone) {
    __u64 i = value < 0 ? 0 : 1;
    if (value > 0) {
        __u32 k = lt_log2((__u64)value) & 63;
        i = 2 + (__u64)k + ((__u64)value >= lt_inner_bound[k]);
    }
    lt_opaque(i);
    if (i < LT_BUCKETS) lt_add(&buckets[i], 1, alone);
}

// Layouts: bucket_count() in runtime/border/plan.h.
LT_API void lt_hist_fine(__u64* buckets, __s64 value, __u32 bits, __u32 alone) {
    __u64 i = value < 0 ? 0 : 1, count = ((64ull - bits) << bits) + 1;
    if (value > 0) {
        __u64 v = (__u64)value;
        __u32 s = lt_log2(v | 1ull << bits) - bits;
        i = 1 + ((__u64)s << bits) + (v >> s);
    }
    lt_opaque(i);
    if (i < count) lt_add(&buckets[i], 1, alone);
}

LT_API void lt_lhist(__u64* buckets, __s64 value, __s64 least, __u64 step, __u64 steps, __u32 alone) {
    __u64 i = 0;
    if (value >= least) i = 1 + ((__u64)value - (__u64)least) / step;
    if (i > steps) i = steps + 1;
    lt_opaque(i);
    if (i < steps + 2) lt_add(&buckets[i], 1, alone);
}

// Layout: runtime/border/layouts/series.h; `of` is a SeriesOf. A value is lost if another program is preparing a point
// on this CPU, or if its own interval is over there.
struct lt_point {
    __u64 number;  // of the interval, plus 1
    __u64 value, more;
};
#define LT_SERIES_BUSY 0xffffffffffffffffull

LT_API void lt_tseries(struct lt_point* points, __u64 value, __u64 now, __u64 interval, __u64 count, __u64 of,
                       __u32 is_signed, __u32 contended, __u32 overflow, __u32 alone) {
    __u64 number = now / interval + 1, i = number % count;
    lt_opaque(i);
    if (i >= count) return;
    struct lt_point* p = &points[i];
    __u64 old = *(volatile __u64*)&p->number;
    if (old != number) {
        __u64 seen = old > number ? LT_SERIES_BUSY : lt_replace(&p->number, old, LT_SERIES_BUSY);
        if (seen == old) {
            *(volatile __u64*)&p->value = 0;
            *(volatile __u64*)&p->more = 0;
            *(volatile __u64*)&p->number = number;
        } else if (seen != number) {
            lt_lose(contended);
            return;
        }
    }
    if (of == 0) {
        *(volatile __u64*)&p->value = value;
        *(volatile __u64*)&p->more = now;
    } else if (of == 1 || of == 4) {
        lt_sum(&p->value, value, is_signed, overflow, alone);
        lt_add(&p->more, 1, alone);
    } else {
        lt_raise_word(&p->value, value, contended, alone);
        *(volatile __u64*)&p->more = 1;
    }
}

// Layout: "dist" in runtime/border/plan.h. The extremes are written first and the count last, so that for a concurrent
// reader every counted value lies within the extremes.
struct lt_distribution {
    __u64 count;
    __s64 sum;
    __u64 least, greatest;  // as min() and max() store them
    __u64 buckets[LT_DIST_BUCKETS];
};

// `negative`: negative values have buckets, too; otherwise they all share the first one.
LT_API void lt_dist(struct lt_distribution* d, __s64 value, __u32 negative, __u32 contended, __u32 overflow,
                    __u32 alone) {
    __u64 order = (__u64)value ^ 1ull << 63;
    lt_raise_word(&d->least, ~order, contended, alone);
    lt_raise_word(&d->greatest, order, contended, alone);
    __u64 i = lt_dist_bucket(value);
    if (!negative) i = value < 0 ? 0 : i - (LT_DIST_ZERO - 1);
    lt_opaque(i);
    if (i < (negative ? LT_DIST_BUCKETS : LT_DIST_BUCKETS - LT_DIST_ZERO + 1)) lt_add(&d->buckets[i], 1, alone);
    lt_sum((__u64*)&d->sum, (__u64)value, 1, overflow, alone);
    lt_add(&d->count, 1, alone);
}

// Are two strings equal? Both are padded with zeros to `size`, a multiple of 8.
LT_API __u64 lt_same(const __u64* a, const __u64* b, __u32 size) {
    __u64 apart = 0;
    for (__u32 i = 0; i < size / 8; i++) apart |= a[i] ^ b[i];
    return apart == 0;
}

// Signed division, which BPF only has since instruction set 4; division by zero gives zero.
LT_API __s64 lt_divide(__s64 a, __s64 b) {
    __u64 ua = a < 0 ? 0 - (__u64)a : (__u64)a, ub = b < 0 ? 0 - (__u64)b : (__u64)b;
    if (ub == 0) return 0;
    __u64 q = ua / ub;
    return (__s64)((a < 0) != (b < 0) ? 0 - q : q);
}

// The remainder has the sign of a, as in C; division by zero gives zero.
LT_API __s64 lt_modulo(__s64 a, __s64 b) {
    __u64 ua = a < 0 ? 0 - (__u64)a : (__u64)a, ub = b < 0 ? 0 - (__u64)b : (__u64)b;
    if (ub == 0) return 0;
    __u64 r = ua % ub;
    return (__s64)(a < 0 ? 0 - r : r);
}

// Is there room for a record of this size that only prints? The last part of the buffer is reserved for records that
// change what the run does: exit(), clear(), print(@x).
LT_API __u64 lt_room(void* ring, __u64 bytes) {
    __u64 size = bpf_ringbuf_query(ring, BPF_RB_RING_SIZE);
    return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + bytes + size / 16 < size;
}

// The flags for submitting a record. Waking the reader for each would cost more than the record, so the reader polls
// every few milliseconds and is only woken when an eighth of the buffer is full.
LT_API __u64 lt_wake_flags(void* ring, __u64 eighth) {
    return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= eighth ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

// The data of samples(): where each part begins, in words, or 0 (runtime/border/layouts/samples.h). The count is
// written last, as for distributions.
LT_API void lt_samples(__u64* slot, __s64 value, __u32 extremes, __u32 squares, __u32 log, __u32 linear, __s64 least,
                       __u64 step, __u64 steps, __u32 contended, __u32 overflow, __u32 alone) {
    __u64 size = value < 0 ? 0 - (__u64)value : (__u64)value;
    if (extremes) {
        __u64 order = (__u64)value ^ 1ull << 63;
        lt_raise_word(&slot[extremes], ~order, contended, alone);
        lt_raise_word(&slot[extremes + 1], order, contended, alone);
    }
    if (squares) {
        __u64 low = size & 0xffffffff, high = size >> 32, cross = low * high;
        __u64 square = low * low + (cross << 33);
        __u64 above = high * high + (cross >> 31) + (square < low * low);
        __u64 before = lt_fetch_add(&slot[squares], square);
        lt_add(&slot[squares + 1], above + (before + square < before), 0);
    }
    if (log) {
        __u64 bits = size ? (__u64)lt_log2(size) + 1 : 0;
        __u64 i = value < 0 ? 64 - bits : 64 + bits;
        lt_opaque(i);
        if (i < 128) lt_add(&slot[log + i], 1, alone);
    }
    if (linear) {
        __u64 i = 0;
        if (value >= least) i = 1 + ((__u64)value - (__u64)least) / step;
        if (i >= steps) i = steps - 1;
        if (i < steps) lt_add(&slot[linear + i], 1, alone);
    }
    lt_sum(&slot[1], (__u64)value, 1, overflow, alone);
    lt_add(&slot[0], 1, alone);
}
