// The record of a thread whose time is accounted, and the clock that its account is kept by.
#include "waiters.h"

// As Cause in stdlib/causes.h; the first ones are also states.
enum {
    LT_RUNNING,
    LT_IRQ,
    LT_SOFTIRQ,
    LT_WOKEN,
    LT_PREEMPTED,
    LT_THROTTLED,
    LT_BLOCKED,  // on something that no row of the table names
    LT_LOCK,
    LT_MMAP_LOCK,
    LT_MEMORY,
    LT_CAUSES = 26,  // without what is unexplained
};

#define LT_BETWEEN() __asm__ volatile("" ::: "memory")

struct lt_why {
    __u64 since;         // when `state` began; 0: the record is new
    __u64 irq, softirq;  // what this CPU had spent in interrupts at that time
    __u32 state;
    __u32 noted;     // a wake-up came while the thread was still running
    __u32 early;     // blocked after such a wake-up: counts as woken unless there is another wake-up
    __u32 reclaims;  // inside direct reclaim: how deep
    __u32 own, torn;
    __u64 turns;    // changes whenever the times do
    __u64 armed;    // since when, 0: not; names the sums, since another thread may close a span
    __u64 spans;    // that are open, and openings that were given up
    __u64 skipped;  // when an event was last found missing
    __u64 lock;     // the contended lock that it waits for; bit 0: it is the mmap_lock of its process
    __u64 pending;  // blocked for so long; the stack will show on what
    __u64 stack[LT_WHY_FRAMES];
    __u64 sums[LT_CAUSES];
    struct lt_why_waits waits;  // last: only where it is needed
};

_Static_assert(__builtin_offsetof(struct lt_why, waits) == 96 + 8 * LT_WHY_FRAMES + 8 * LT_CAUSES,
               "as in runtime/border/why.h");
_Static_assert(sizeof(struct lt_why_waits) == 96 + LT_WHY_WAITS * (80 + 8 * LT_WHY_FRAMES), "as there");

// The interrupts that a CPU is in. A context is 1 for a hard interrupt and 2 for a softirq; four bits each, the
// innermost is the lowest. No switch of threads is inside one.
struct lt_why_cpu {
    __u64 since;  // when the innermost one began, or continued
    __u64 contexts;
    __u64 sums[3];  // by context, of all that ended
};

static inline LT_API struct lt_why_cpu* lt_why_this_cpu(void* cpus) {
    __u32 zero = 0;
    return bpf_map_lookup_elem(cpus, &zero);
}

// The clock, and what this CPU has spent in interrupts until then, the one that it may be in included.
struct lt_why_now {
    __u64 time, irq, softirq;
};

static inline LT_API struct lt_why_now lt_why_read(const volatile struct lt_why_cpu* cpu) {
    const __u64 since = cpu->since, inner = cpu->contexts & 15;
    struct lt_why_now now = {.irq = cpu->sums[1], .softirq = cpu->sums[2]};
    now.time = bpf_ktime_get_ns();
    if (inner == 1) now.irq += now.time - since;
    if (inner == 2) now.softirq += now.time - since;
    return now;
}

// Counts from now on; the time since the last turn stays unexplained.
static inline LT_API void lt_why_begin(struct lt_why* t, const struct lt_why_cpu* cpu) {
    const struct lt_why_now now = lt_why_read(cpu);
    t->irq = now.irq;
    t->softirq = now.softirq;
    t->since = now.time;
}

// An event of the thread was missed, which `hidden` counts: its time since the last one stays unexplained, and its wait.
// While the session ends, the programs of some events are gone before those of others; in a pause all stay.
static inline LT_API void lt_why_skip(struct lt_why* t, const struct lt_why_cpu* cpu, __u32 hidden) {
    const __u64 stop = lt_stop, paused = 3;  // run_is_paused in runtime/border/run_words.h
    if (!stop || stop == paused) lt_lose(hidden);
    lt_why_begin(t, cpu);
    t->skipped = t->since;
    t->pending = 0;
    t->noted = t->early = 0;
    t->turns++;
}

static inline LT_API __u64 lt_why_turn(struct lt_why* t, const struct lt_why_cpu* cpu, __u32 next) {
    const __u64 before = ((const volatile struct lt_why_cpu*)cpu)->since;
    struct lt_why_now now = lt_why_read(cpu);
    if (before != ((const volatile struct lt_why_cpu*)cpu)->since) now = lt_why_read(cpu);  // interrupted meanwhile
    __u64 spent = now.time - t->since;
    const __u32 state = t->state;
    if (state == LT_RUNNING) {
        const __u64 hard = now.irq - t->irq, soft = now.softirq - t->softirq;
        t->sums[LT_IRQ] += hard;
        t->sums[LT_SOFTIRQ] += soft;
        spent -= hard + soft;
        t->sums[t->reclaims ? LT_MEMORY : LT_RUNNING] += spent;
    } else if (state == LT_BLOCKED && !t->early) {
        t->pending += spent;
    } else {
        t->sums[state == LT_PREEMPTED ? LT_PREEMPTED : state == LT_THROTTLED ? LT_THROTTLED : LT_WOKEN] += spent;
    }
    t->irq = now.irq;
    t->softirq = now.softirq;
    t->since = now.time;
    t->early = 0;
    t->turns++;
    LT_BETWEEN();
    *(volatile __u32*)&t->state = next;  // last: a waker on another CPU looks at it first
    return now.time;
}
