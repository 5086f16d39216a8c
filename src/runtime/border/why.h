// The layouts that `why` uses: the compiler and the runtime share them with stdlib/bpf/why.bpf.c.
#pragma once

#include <cstdint>
#include <string_view>

#include "stdlib/causes.h"

namespace lt {

// A value of `why` consists of 8-byte words: the cause with the most time (a Cause), the nanoseconds of each Cause, and
// those of the groups interrupts, runq and blocked; then of the longest wait its nanoseconds, its Cause, its stack (2),
// and the number and name (2) of the thread that ended it and of the one that held the lock. why_type() has their
// names.
constexpr uint32_t why_words = 1 + cause_count + 1 + 3 + 10;
// In the opening of a span: since when the thread is armed, 0 if nothing is known, then its sums of each Cause but
// `unexplained`.
constexpr uint32_t why_opening = 8 * (1 + cause_count);
// A value of why(): how many values were added, then the nanoseconds of each Cause.
constexpr uint32_t why_sums = 1 + cause_count + 1;
// The state of a thread, its waits, which follow it where they are needed, and what a CPU is in: struct lt_why,
// struct lt_why_waits, struct lt_why_cpu.
constexpr uint32_t why_thread = 96 + 16 * 8 + 8 * cause_count;
constexpr uint32_t why_thread_since = 0, why_thread_sums = 96 + 16 * 8;  // offsets
constexpr std::string_view why_threads = "lt_why_threads";
constexpr uint32_t why_waits = 96 + 8 * (80 + 16 * 8);
constexpr uint32_t why_cpu = 40;

// The functions of the kernel in which threads wait, by address. The map has one value: these rows, sorted. A row
// of rank 0 ends the function before it; rows that are not needed come last, with an address that no function has.
constexpr std::string_view why_places = "lt_why_places";
constexpr uint32_t why_place_rows = 512;
struct WhyPlace {
    uint64_t begin = ~uint64_t{0};
    // Of several functions on a stack, the highest counts. The lowest byte is the Cause. With why_anywhere it counts in
    // every frame, otherwise only in the innermost ones.
    uint64_t rank = 0;
};
constexpr uint64_t why_anywhere = 0x100;
static_assert(sizeof(WhyPlace) == 16);
constexpr uint32_t why_places_size = why_place_rows * sizeof(WhyPlace);

}  // namespace lt
