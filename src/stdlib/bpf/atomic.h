// Atomic changes of a word. Each is one instruction where the kernel has them (Linux 5.12). Older kernels only have an
// addition without a result; for those the library is compiled once more, with LT_NO_ATOMICS, where
//   * memory of one CPU is claimed by a plain test and store: those kernels run programs without preemption, and a
//     program
//     that interrupts this one has ended, and released its claim, before this one continues;
//   * other words are changed under a lock: an entry of the hash `lt_locks`, which only one program can add. A program
//     that interrupts the owner of a lock cannot wait for it, so it tries a limited number of times, and may fail.
#pragma once

#include "lt.h"

#define LT_INLINE static inline __attribute__((always_inline))

#ifndef LT_NO_ATOMICS

// Sets it to 1 if it is 0, in memory of one CPU.
LT_INLINE int lt_claim_word(__u64* word) { return __sync_val_compare_and_swap(word, 0, 1) == 0; }

// Sets it to zero; returns the value before.
LT_INLINE __u64 lt_take(__u64* word) { return __sync_lock_test_and_set(word, 0); }

LT_INLINE void lt_add_to(__u64* word, __u64 value) { __sync_fetch_and_add(word, value); }

LT_INLINE void lt_and_to(__u64* word, __u64 value) { __sync_fetch_and_and(word, value); }
LT_INLINE void lt_or_to(__u64* word, __u64 value) { __sync_fetch_and_or(word, value); }
LT_INLINE void lt_xor_to(__u64* word, __u64 value) { __sync_fetch_and_xor(word, value); }

// Returns the value before.
LT_INLINE __u64 lt_fetch_add(__u64* word, __u64 value) { return __sync_fetch_and_add(word, value); }

// Writes `to` if it is `from`; returns the value before.
LT_INLINE __u64 lt_replace(__u64* word, __u64 from, __u64 to) { return __sync_val_compare_and_swap(word, from, to); }

// Sets it to `value` if that is larger. 1: done, 0: it is not larger, -1: lost the race too often.
LT_INLINE int lt_make_larger(__u64* word, __u64 value) {
    for (int i = 0; i < 4; i++) {
        __u64 old = *(volatile __u64*)word;
        if (value <= old) return 0;
        if (__sync_val_compare_and_swap(word, old, value) == old) return 1;
    }
    return -1;
}

#else

extern char lt_locks[];  // defined by the emitter: u64 -> u64, preallocated

#define LT_ATTEMPTS 16

// The key is the word's distance from the map: the verifier treats a difference of two addresses as a number, and
// allows no other arithmetic on them.
LT_INLINE __u64 lt_lock(const volatile __u64* word) {
    __u64 key = (__u64)word, map = (__u64)lt_locks, one = 1;
    __asm__ volatile("" : "+r"(key), "+r"(map));
    key -= map;
    for (int i = 0; i < LT_ATTEMPTS; i++)
        if (bpf_map_update_elem(lt_locks, &key, &one, BPF_NOEXIST) == 0) return key;
    return 0;
}

LT_INLINE void lt_unlock(__u64 key) { bpf_map_delete_elem(lt_locks, &key); }

LT_INLINE int lt_claim_word(__u64* word) {
    if (*(volatile __u64*)word) return 0;
    *(volatile __u64*)word = 1;
    return 1;
}

// Without the lock, the race is lost: another program is taking the word.
LT_INLINE __u64 lt_take(__u64* word) {
    const __u64 key = lt_lock(word);
    if (!key) return 0;
    const __u64 old = *(volatile __u64*)word;
    *(volatile __u64*)word = 0;
    lt_unlock(key);
    return old;
}

// For zero LLVM would emit another operation, which these kernels do not have.
LT_INLINE void lt_add_to(__u64* word, __u64 value) {
    __asm__ volatile("" : "+r"(value));
    __sync_fetch_and_add(word, value);
}

// The sum is always exact; two programs may get the same value before.
LT_INLINE __u64 lt_fetch_add(__u64* word, __u64 value) {
    const __u64 key = lt_lock(word);
    const __u64 old = *(volatile __u64*)word;
    lt_add_to(word, value);
    if (key) lt_unlock(key);
    return old;
}

// Without the lock, one of two changes at the same time can be lost.
#define LT_LOCKED_CHANGE(name, change)              \
    LT_INLINE void name(__u64* word, __u64 value) { \
        const __u64 key = lt_lock(word);            \
        *(volatile __u64*)word change value;        \
        if (key) lt_unlock(key);                    \
    }
LT_LOCKED_CHANGE(lt_and_to, &=)
LT_LOCKED_CHANGE(lt_or_to, |=)
LT_LOCKED_CHANGE(lt_xor_to, ^=)

// Without the lock, reports that the word had another value.
LT_INLINE __u64 lt_replace(__u64* word, __u64 from, __u64 to) {
    const __u64 key = lt_lock(word);
    if (!key) return ~from;
    const __u64 old = *(volatile __u64*)word;
    if (old == from) *(volatile __u64*)word = to;
    lt_unlock(key);
    return old;
}

LT_INLINE int lt_make_larger(__u64* word, __u64 value) {
    if (value <= *(volatile __u64*)word) return 0;
    const __u64 key = lt_lock(word);
    if (!key) return -1;
    const int larger = value > *(volatile __u64*)word;
    if (larger) *(volatile __u64*)word = value;
    lt_unlock(key);
    return larger;
}

#endif

// Plain additions keep their order, too: concurrent readers rely on it.
LT_INLINE void lt_add_alone(__u64* slot, __u64 value, __u32 alone) {
    if (alone)
        *(volatile __u64*)slot += value;
    else
        lt_add_to(slot, value);
}
