// Who holds a lock of a program: glibc and the kernel write the owner's number into the lock, in the process's own PID
// namespace. The rules were checked against programs that noted their owners themselves: of those that pass, none named
// a wrong one; semaphores, condition variables, and the locks of other languages do not pass.
#pragma once

#include "lt.h"

// Where a thread's system call is, and the arguments that futex() has.
struct lt_futex_call {
    __u64 number, number_at, address_at, operation_at, value_at;
};

static inline LT_API __u32 lt_futex_owner(const char* registers, const struct lt_futex_call* at) {
    enum { wait = 0, lock_pi = 6, wait_bitset = 9, lock_pi2 = 13 };
    const __u64 options = 128 | 256;  // FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME
    const __u32 robust = 0x80000000, tid = 0x3fffffff, contended = 2, kinds = 0x183, most_users = 65536;
    __u64 number = 0, address = 0, operation = 0, value = 0;
    __u32 word[6] = {};  // of a pthread_mutex_t: lock, count, owner, users, kind
    bpf_probe_read_kernel(&number, sizeof number, registers + at->number_at);
    if (number != at->number) return 0;
    bpf_probe_read_kernel(&address, sizeof address, registers + at->address_at);
    bpf_probe_read_kernel(&operation, sizeof operation, registers + at->operation_at);
    bpf_probe_read_kernel(&value, sizeof value, registers + at->value_at);
    if (bpf_probe_read_user(word, sizeof word, (const void*)address)) return 0;
    operation &= ~options;
    if (operation == lock_pi || operation == lock_pi2) return word[0] & tid;
    if (operation != wait && operation != wait_bitset) return 0;
    if (value & robust) return ((__u32)value & tid) == word[2] ? word[2] : 0;
    if (value != contended || word[0] != contended || word[3] >= most_users || word[4] & ~kinds) return 0;
    return word[2];
}

// Has the thread with these registers just released the lock at this address, on which it wakes a waiter? A mutex of
// glibc is free by then and has no owner, unless another thread was quicker, which is not certain. Who gives back a
// lock that inherits priorities has been checked by the kernel.
static inline LT_API __u32 lt_futex_releases(const char* registers, const struct lt_futex_call* at, __u64 lock) {
    enum { wake = 1, unlock_pi = 7 };
    const __u64 private = 128;                      // FUTEX_PRIVATE_FLAG
    const __u32 kinds = 0x193, most_users = 65536;  // robust ones, too
    __u64 number = 0, address = 0, operation = 0, value = 0;
    __u32 word[5] = {};  // of a pthread_mutex_t: lock, count, owner, users, kind
    bpf_probe_read_kernel(&number, sizeof number, registers + at->number_at);
    if (number != at->number) return 0;
    bpf_probe_read_kernel(&address, sizeof address, registers + at->address_at);
    if (address != lock) return 0;
    bpf_probe_read_kernel(&operation, sizeof operation, registers + at->operation_at);
    operation &= ~private;
    if (operation == unlock_pi) return 1;
    bpf_probe_read_kernel(&value, sizeof value, registers + at->value_at);
    if (operation != wake || value != 1) return 0;
    if (bpf_probe_read_user(word, sizeof word, (const void*)address)) return 0;
    return !(word[0] | word[2] | (word[4] & ~kinds)) && word[3] < most_users;
}

// A thread's number in its own PID namespace.
static inline LT_API __u32 lt_own_tid(const char* task, __u64 pid_at, __u64 level_at, __u64 numbers_at) {
    const __u64 size = 16;  // struct upid: int, pointer
    const char* pid = 0;
    __u32 level = 0, number = 0;
    bpf_probe_read_kernel(&pid, sizeof pid, task + pid_at);
    bpf_probe_read_kernel(&level, sizeof level, pid + level_at);
    bpf_probe_read_kernel(&number, sizeof number, pid + numbers_at + level * size);
    return number;
}
