// Where the time inside a span goes. A thread with such a span open is armed: it has a record, which adds each of its
// nanoseconds to one cause. The sums only grow: an opening keeps a copy of them, and the close takes the difference, so
// spans inside each other cost nothing more. Once all its spans are closed, the thread's events are not looked at.
//
// One clock value ends a state and begins the next one, and the span's own times are such values, too. So the parts of
// a span add up to its latency, whatever was seen or missed; what is left is unexplained. Nothing is clamped.
//
// The cause of a wait is known from its stack, which is taken when the thread comes back, since it then still lies as
// it was left. Until then the time is pending.
//
// Only the scheduler's events write to the time of a record, and reclaim, which says so (`own`): an event of the
// scheduler in the middle of it leaves a note (`torn`), and the time of this slice stays unexplained. The programs at
// the openings and closes of spans may be preempted on some kernels: they only read, and again if the thread was
// switched meanwhile.
//
// Events can be missed: a kernel may hide the switches of some threads. A thread that comes back without having left,
// or leaves without having come back, has spent the time since its last event on something unknown.
#include "armed.h"
#include "futex.h"

// The words of a value of `why`, as in runtime/border/why.h.
enum {
    LT_WHY_CAUSE,
    LT_WHY_PARTS,
    LT_WHY_REST = LT_WHY_PARTS + LT_CAUSES,
    LT_WHY_GROUPS,
    LT_WHY_LONGEST = LT_WHY_GROUPS + 3,
    LT_WHY_WORDS = LT_WHY_LONGEST + 10
};

#define LT_WHY_FIRST 6  // most functions count only in this many frames
#define LT_WHY_PLACES 512
#define LT_ANYWHERE 0x100

// Functions of the kernel by address, sorted: the rank from each `begin` to the next one, 0 for none; the last row is
// unused. If several functions of a stack have one, the highest counts. Its lowest byte is the cause; with LT_ANYWHERE
// it counts in whichever frame it is, otherwise only in the first ones.
struct lt_why_places {
    struct {
        __u64 begin;
        __u64 rank;
    } rows[LT_WHY_PLACES];
};

// ---- events of the scheduler and of interrupts

LT_API void lt_why_enter(void* cpus, __u64 context) {
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu) return;
    const __u64 now = bpf_ktime_get_ns(), outer = cpu->contexts & 15;
    if (outer == 1) cpu->sums[1] += now - cpu->since;
    if (outer == 2) cpu->sums[2] += now - cpu->since;
    cpu->contexts = cpu->contexts << 4 | context;
    cpu->since = now;
}

LT_API void lt_why_leave(void* cpus) {
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu) return;
    const __u64 inner = cpu->contexts & 15;
    if (!inner) return;  // attached in the middle of one
    const __u64 now = bpf_ktime_get_ns();
    if (inner == 1) cpu->sums[1] += now - cpu->since;
    if (inner == 2) cpu->sums[2] += now - cpu->since;
    cpu->contexts >>= 4;
    cpu->since = now;
}

// The highest rank on the thread's stack. Without branches, since the verifier would follow each way through them:
// kernel addresses differ by less than 2^63.
static inline LT_API __u64 lt_why_rank(const struct lt_why* t, const struct lt_why_places* places) {
    __u64 best = 0;
    for (__u32 i = 0; i < LT_WHY_FRAMES; i++) {
        const __u64 address = t->stack[i];
        if (!address) break;
        __u64 at = 0;
        for (__u32 step = LT_WHY_PLACES / 2; step; step /= 2) {
            const __u64 next = (at + step) & (LT_WHY_PLACES - 1);
            const __u64 beyond = (__u64)((__s64)(address - places->rows[next].begin) >> 63);
            at += step & ~beyond;
            lt_opaque(at);
        }
        __u64 rank = places->rows[at & (LT_WHY_PLACES - 1)].rank;
        if (i >= LT_WHY_FIRST) rank &= -(rank / LT_ANYWHERE & 1);
        const __u64 higher = (__u64)((__s64)(best - rank) >> 63);
        best ^= (best ^ rank) & higher;
        lt_opaque(best);
    }
    return best;
}

static inline LT_API void lt_why_take_stack(struct lt_why* t, void* task) {
    const long bytes = bpf_get_task_stack(task, t->stack, sizeof t->stack, 0);
    if (bytes < (long)sizeof t->stack) t->stack[bytes > 0 ? (bytes / 8) & (LT_WHY_FRAMES - 1) : 0] = 0;
}

// The pending time goes to its cause.
static inline LT_API void lt_why_settle(struct lt_why* t, void* task, const struct lt_why_places* places, __u64 waits) {
    const __u64 pending = t->pending;
    __u64 cause;
    if (!pending) return;
    t->pending = 0;
    if (waits || (!t->lock && !t->reclaims)) lt_why_take_stack(t, task);
    if (t->lock) {
        cause = t->lock & 1 ? LT_MMAP_LOCK : LT_LOCK;
    } else if (t->reclaims) {
        cause = LT_MEMORY;
    } else {
        cause = lt_why_rank(t, places) & 0xff;
        if (cause == 0) cause = LT_BLOCKED;
    }
    lt_opaque(cause);
    if (cause < LT_CAUSES) t->sums[cause] += pending;
    if (!waits) return;
    struct lt_why_wait* wait = lt_why_push(&t->waits, t->waits.began, pending, cause);
    __builtin_memcpy(wait->stack, t->stack, sizeof wait->stack);
    __builtin_memset(&wait->holder, 0, sizeof wait->holder);
    if (t->lock || t->waits.owner) wait->holder = t->waits.holder;
    __builtin_memset(&t->waits.holder, 0, sizeof t->waits.holder);  // for the next one, another may hold it
}

// Has the thread's group used up its CPU quota? From Linux 6.18 on the thread itself says so.
static inline LT_API __u64 lt_why_throttled(const char* task, __u64 queue_at, __u64 count_at, __u64 width) {
    __u64 queue = 0;
    __u32 count = 0;
    if (!width) return 0;
    if (width == 1) {
        bpf_probe_read_kernel(&count, 1, task + count_at);
        return count;
    }
    if (bpf_probe_read_kernel(&queue, sizeof queue, task + queue_at) || !queue) return 0;
    bpf_probe_read_kernel(&count, sizeof count, (const char*)queue + count_at);
    return count;
}

// sched_switch(preempt, prev, next). The thread that leaves its CPU is preempted if it wants to continue; a wake-up may
// already have come on another CPU, which its state shows better than the event's argument.
LT_API void lt_why_switch(const __u64* context, void* threads, void* cpus, struct lt_why_places* places, __u64 state_at,
                          __u64 queue_at, __u64 count_at, __u64 width, __u64 waits, __u64 pid_at, __u64 comm_at,
                          __u32 hidden) {
    const __u32 waking = 0x200;  // TASK_WAKING
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu || !places) return;
    cpu->contexts = 0;  // whatever was missed is over
    void* prev = (void*)context[1];
    struct lt_why* out = bpf_task_storage_get(threads, prev, 0, 0);
    if (out && out->armed) {
        if (out->own) {
            out->torn = 1;
        } else {
            __u32 state = 0, next = LT_BLOCKED;
            const __u32 noted = out->noted;
            bpf_probe_read_kernel(&state, sizeof state, (const char*)prev + state_at);
            if (state == 0 || (context[0] & 1))
                next = lt_why_throttled(prev, queue_at, count_at, width) ? LT_THROTTLED : LT_PREEMPTED;
            else if (state & waking)
                next = LT_WOKEN;
            if (out->state != LT_RUNNING) lt_why_skip(out, cpu, hidden);
            out->state = LT_RUNNING;
            out->noted = 0;
            const __u64 now = lt_why_turn(out, cpu, next);
            if (next == LT_BLOCKED) out->early = noted;
            if (waits) {
                out->waits.began = now;
                __builtin_memset(&out->waits.by, 0, sizeof out->waits.by);
                if (next == LT_PREEMPTED) lt_why_name(&out->waits.by, (const char*)context[2], pid_at, comm_at);
            }
        }
    }
    void* task = (void*)context[2];
    struct lt_why* in = bpf_task_storage_get(threads, task, 0, 0);
    if (!in || !in->armed || in->own) return;
    if (in->state == LT_RUNNING) lt_why_skip(in, cpu, hidden);
    const __u64 since = in->since;
    const __u32 last = in->state, queued = last != LT_BLOCKED || in->early;
    const __u64 now = lt_why_turn(in, cpu, LT_RUNNING);
    lt_why_settle(in, task, places, waits);
    if (!waits || !queued || last == LT_RUNNING) return;
    const __u64 cause = last == LT_BLOCKED ? LT_WOKEN : last;
    struct lt_why_wait* wait = lt_why_push(&in->waits, since, now - since, cause);
    wait->stack[0] = 0;
    __builtin_memset(&wait->holder, 0, sizeof wait->holder);
}

// The thread that leaves its CPU waits for a lock of its process. After lt_why_switch(), in the same event.
LT_API void lt_why_futex(const __u64* context, void* threads, __u64 number, __u64 number_at, __u64 address_at,
                         __u64 operation_at, __u64 value_at) {
    struct task_struct* task = (struct task_struct*)context[1];
    struct lt_why* t = bpf_task_storage_get(threads, task, 0, 0);
    if (!t || !t->armed) return;
    t->waits.owner = 0;
    if (t->state != LT_BLOCKED || t->lock) return;  // of a lock of the kernel the holder is known already
    __builtin_memset(&t->waits.holder, 0, sizeof t->waits.holder);
    const struct lt_futex_call at = {number, number_at, address_at, operation_at, value_at};
    const char* registers = (const char*)bpf_task_pt_regs(task);
    t->waits.owner = lt_futex_owner(registers, &at);
    t->waits.process = bpf_get_current_pid_tgid() >> 32;
    bpf_probe_read_kernel(&t->waits.address, sizeof t->waits.address, registers + address_at);
}

// The thread that is woken waited for a lock. The waker is the holder if it was the owner when the wait began, or if it
// has just released the lock: of several threads that had it meanwhile, the last one. Another thread with the owner's
// number may be in another process, so no other thread is named. Before lt_why_wake(), in the same event.
LT_API void lt_why_released(const __u64* context, void* threads, void* cpus, __u64 pid_at, __u64 level_at,
                            __u64 numbers_at, __u64 number, __u64 number_at, __u64 address_at, __u64 operation_at,
                            __u64 value_at) {
    struct lt_why* t = bpf_task_storage_get(threads, (void*)context[0], 0, 0);
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!t || !cpu || cpu->contexts & 15) return;
    if (!t->armed || t->state != LT_BLOCKED || !t->waits.owner) return;
    const __u64 self = bpf_get_current_pid_tgid();
    if (self >> 32 != t->waits.process) return;
    if (lt_own_tid((const char*)bpf_get_current_task(), pid_at, level_at, numbers_at) != t->waits.owner) {
        const struct lt_futex_call at = {number, number_at, address_at, operation_at, value_at};
        const char* registers = (const char*)bpf_task_pt_regs(bpf_get_current_task_btf());
        if (!lt_futex_releases(registers, &at, t->waits.address)) return;
    }
    lt_why_waker(&t->waits.holder, 0);
}

// sched_waking(task)
LT_API void lt_why_wake(const __u64* context, void* threads, void* cpus, __u64 queue_at, __u64 count_at, __u64 width,
                        __u64 waits) {
    void* task = (void*)context[0];
    struct lt_why* t = bpf_task_storage_get(threads, task, 0, 0);
    if (!t || !t->armed) return;
    if (t->state == LT_RUNNING) t->noted = 1;
    if (t->state != LT_BLOCKED) return;
    t->early = 0;  // the note was of an earlier time
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu) return;
    if (waits) lt_why_waker(&t->waits.by, cpu->contexts & 15);
    lt_why_turn(t, cpu, lt_why_throttled(task, queue_at, count_at, width) ? LT_THROTTLED : LT_WOKEN);
}

// ---- in the thread itself

static inline LT_API struct lt_why* lt_why_self(void* threads) {
    return bpf_task_storage_get(threads, bpf_get_current_task_btf(), 0, 0);
}

// contention_begin(lock, flags). A mutex first spins; a wait is only what sleeps.
LT_API void lt_why_lock(const __u64* context, void* threads, __u64 mm_at, __u64 lock_at, __u64 waits, __u64 owners,
                        __u64 mutex_at, __u64 rwsem_at, __u64 pid_at, __u64 comm_at) {
    const __u64 spins = 1, mutex = 32;
    const __u64 flags = context[1];
    if (flags & spins && !(flags & mutex)) return;
    struct lt_why* t = lt_why_self(threads);
    if (!t || !t->armed) return;
    __u64 mm = 0;
    const char* task = (const char*)bpf_get_current_task();
    bpf_probe_read_kernel(&mm, sizeof mm, task + mm_at);
    t->lock = context[0] | (mm && context[0] == mm + lock_at);
    if (!waits || flags & spins) return;
    const struct lt_why_owners at = {owners, mutex_at, rwsem_at, pid_at, comm_at};
    lt_why_holder(&t->waits.holder, (const char*)context[0], flags, &at);
}

// contention_end(lock). A spin lock that is contended while the thread waits ends, too.
LT_API void lt_why_unlock(const __u64* context, void* threads, __u64 waits) {
    const __u64 is_mmap_lock = 1;
    struct lt_why* t = lt_why_self(threads);
    if (!t || (t->lock & ~is_mmap_lock) != context[0]) return;
    t->lock = 0;
    if (waits) __builtin_memset(&t->waits.holder, 0, sizeof t->waits.holder);
}

// Code between these two changes the record outside of the events of the scheduler.
static inline LT_API void lt_why_take(struct lt_why* t) {
    *(volatile __u32*)&t->own = 1;
    LT_BETWEEN();
}
static inline LT_API void lt_why_give(struct lt_why* t, void* cpus) {
    LT_BETWEEN();
    *(volatile __u32*)&t->own = 0;
    LT_BETWEEN();
    if (!*(volatile __u32*)&t->torn) return;
    t->torn = 0;
    const struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (cpu) lt_why_begin(t, cpu);
}

// The thread runs, so its state should say so. Some kernels hide the switches of some threads.
static inline LT_API void lt_why_runs(struct lt_why* t, void* cpus, __u32 hidden) {
    if (*(volatile __u32*)&t->state == LT_RUNNING) return;
    const struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu) return;
    lt_why_take(t);
    lt_why_skip(t, cpu, hidden);
    t->state = LT_RUNNING;
    lt_why_give(t, cpus);
}

// Between these two, the thread frees memory.
LT_API void lt_why_reclaim(void* threads, void* cpus, __u64 begins, __u32 hidden) {
    struct lt_why* t = lt_why_self(threads);
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!t || !cpu) return;
    lt_why_runs(t, cpus, hidden);
    lt_why_take(t);
    lt_why_turn(t, cpu, LT_RUNNING);
    t->reclaims = begins ? t->reclaims + 1 : t->reclaims ? t->reclaims - 1 : 0;
    lt_why_give(t, cpus);
}

// Writes the sums as they are now, and returns the time; 0 if the thread was switched each time.
static inline LT_API __u64 lt_why_sums(struct lt_why* t, void* cpus, __u64* to, __u32 hidden) {
    lt_why_runs(t, cpus, hidden);
    for (int attempt = 0; attempt < 4; attempt++) {
        const struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
        if (!cpu) return 0;
        const __u64 turns = *(const volatile __u64*)&t->turns;
        const __u64 interrupted = ((const volatile struct lt_why_cpu*)cpu)->since;
        LT_BETWEEN();
        const struct lt_why_now now = lt_why_read(cpu);
        const __u64 hard = now.irq - t->irq, soft = now.softirq - t->softirq;
        const __u64 spent = now.time - t->since - hard - soft;
        for (__u32 i = 0; i < LT_CAUSES; i++) to[i] = t->sums[i];
        to[LT_IRQ] += hard;
        to[LT_SOFTIRQ] += soft;
        if (t->reclaims)
            to[LT_MEMORY] += spent;
        else
            to[LT_RUNNING] += spent;
        LT_BETWEEN();
        if (turns == *(const volatile __u64*)&t->turns &&
            interrupted == ((const volatile struct lt_why_cpu*)cpu)->since)
            return now.time;
    }
    return 0;
}

static inline LT_API void lt_why_arm(struct lt_why* t, void* cpus) {
    const struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    if (!cpu) return;
    lt_why_take(t);
    lt_why_skip(t, cpu, LT_NO_LOSS);
    t->state = LT_RUNNING;
    t->armed = t->since;
    lt_why_give(t, cpus);
}

// A span is closed; after the last one the thread is no longer armed. If a span was counted twice, one that is still
// open gets no parts: the next sums have another name.
static inline LT_API void lt_why_disarm(struct lt_why* t) {
    if (t->spans && lt_fetch_add(&t->spans, -1ull) == 1) *(volatile __u64*)&t->armed = 0;
}

// Arms the thread and writes the sums and their name. Returns the time from which they count, which is the span's
// start; without sums, the name is 0. The scheduler's programs are attached before the openings.
LT_API __u64 lt_why_open(void* threads, void* cpus, __u64* to, __u64 waits, __u32 hidden) {
    to[0] = 0;
    struct lt_why_cpu* cpu = lt_why_this_cpu(cpus);
    struct lt_why* t = bpf_task_storage_get(threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!t || !cpu) return bpf_ktime_get_ns();
    if (!t->armed) lt_why_arm(t, cpus);
    const __u64 name = t->armed, now = lt_why_sums(t, cpus, &to[1], hidden);
    if (!now) return bpf_ktime_get_ns();
    lt_add_to(&t->spans, 1);
    to[0] = name;
    if (waits) t->waits.opened = now;
    return now;
}

// Writes the name of the sums, for now in the place of the cause, and the sums; returns the time until which they
// count. The session detaches the scheduler's programs after the closings, so no event is missing at its end.
LT_API __u64 lt_why_close(void* threads, void* cpus, __u64* parts, __u32 hidden) {
    struct lt_why* t = lt_why_self(threads);
    const __u64 now = t && t->armed ? lt_why_sums(t, cpus, &parts[LT_WHY_PARTS], hidden) : 0;
    parts[LT_WHY_CAUSE] = now ? t->armed : 0;
    return now ? now : bpf_ktime_get_ns();
}

// Completes a value of `why` once the opening is known.
LT_API void lt_why_parts(void* threads, const __u64* opening, __u64* parts, __u64 latency) {
    __u64 known = opening[0] && opening[0] == parts[LT_WHY_CAUSE], wrong = 0;
    struct lt_why* t = known ? lt_why_self(threads) : 0;
    if (t) lt_why_disarm(t);
    __u64 rest = latency, most = 0, cause = LT_CAUSES, interrupts = 0, queue = 0, blocked = 0;
    for (__u32 i = 0; i < LT_CAUSES; i++) {
        const __u64 part = parts[LT_WHY_PARTS + i] - opening[i + 1];
        rest -= part;
        wrong |= part | (latency - part);
    }
    // An event of the scheduler may be missed, and an interrupt in the middle of the account of another one may count
    // twice. No part is negative or longer than the span: nothing is known then.
    if ((__s64)(wrong | rest | (latency - rest)) < 0) known = 0;
    rest = latency;
    for (__u32 i = 0; i < LT_CAUSES; i++) {
        const __u64 part = known ? parts[LT_WHY_PARTS + i] - opening[i + 1] : 0;
        parts[LT_WHY_PARTS + i] = part;
        if (i == LT_IRQ || i == LT_SOFTIRQ) interrupts += part;
        if (i == LT_WOKEN || i == LT_PREEMPTED || i == LT_THROTTLED) queue += part;
        if (i >= LT_BLOCKED) blocked += part;
        rest -= part;
        if ((__s64)part > (__s64)most) {
            most = part;
            cause = i;
        }
    }
    parts[LT_WHY_CAUSE] = (__s64)rest > (__s64)most ? LT_CAUSES : cause;
    parts[LT_WHY_REST] = rest;
    parts[LT_WHY_GROUPS] = interrupts;
    parts[LT_WHY_GROUPS + 1] = queue;
    parts[LT_WHY_GROUPS + 2] = blocked;
}

static inline LT_API void lt_why_no_wait(__u64* to) {
    for (__u32 i = 0; i < LT_WHY_WORDS - LT_WHY_LONGEST; i++) to[i] = 0;
}

// Adds the longest wait since `opened`; without one, or if it was dropped or missed, all its words are zero. As in
// lt_why_sums(), again if the thread was switched meanwhile.
LT_API void lt_why_longest(void* threads, __u64 opened, __u64* parts, void* scratch, void* stacks, __u32 collision,
                           __u32 full, __u32 busy) {
    __u64* to = &parts[LT_WHY_LONGEST];
    struct lt_why* t = lt_why_self(threads);
    if (!t) {
        lt_why_no_wait(to);
        return;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        lt_why_no_wait(to);
        const __u64 turns = *(const volatile __u64*)&t->turns;
        LT_BETWEEN();
        const struct lt_why_wait* wait = t->skipped >= opened ? 0 : lt_why_first(&t->waits, opened);
        if (!wait) return;
        to[0] = wait->time;
        to[1] = wait->cause;
        if (wait->stack[0]) lt_why_keep_stack(wait->stack, (void*)&to[2], scratch, stacks, collision, full, busy);
        to[4] = wait->by.tid;
        __builtin_memcpy(&to[5], wait->by.comm, LT_COMM);
        to[7] = wait->holder.tid;
        __builtin_memcpy(&to[8], wait->holder.comm, LT_COMM);
        LT_BETWEEN();
        if (turns == *(const volatile __u64*)&t->turns) return;
    }
    lt_why_no_wait(to);
}

// Adds a value of `why` to a slot: how many, then the time of each cause.
LT_API void lt_why_add(__u64* slot, const __u64* parts, __u32 alone) {
    lt_add_alone(&slot[0], 1, alone);
    for (__u32 i = 0; i <= LT_CAUSES; i++) lt_add_alone(&slot[i + 1], parts[LT_WHY_PARTS + i], alone);
}
