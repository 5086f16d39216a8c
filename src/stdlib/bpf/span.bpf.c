// The openings of spans.
//
// Spans that a thread opens and closes (functions, system calls): a stack of openings for each thread, so that a
// function that calls itself gives one span per call. An opening is known by its frame, a place on the stack that is
// the same at the entry and at the return of one call: a return closes the opening of its own frame and no other one.
// What lies above it was left without a return (longjmp, a return that the kernel missed).
//   struct lt_thread, then openings of `size` bytes each: struct lt_opening, then frozen values. There are LT_DEPTH of
//   them, or one where calls cannot be inside each other (system calls), for which frames need not be compared.
//
// Spans between two events: one opening for each key, struct lt_opening and frozen values; time 0: closed, and about to
// be deleted.
#include "lt.h"

#define LT_DEPTH 32

struct lt_thread {
    __u64 depth;
    __u64 beyond;  // calls deeper than LT_DEPTH, whose returns must not be taken for others
    __u64 scratch;
    __u64 who;  // pid << 32 | tid
    char openings[];
};

struct lt_opening {
    __u64 frame;  // between two events: the thread that opened it (pid << 32 | tid)
    __u64 time;
};

// A value that the compiler knows nothing about: the register that is compared with a bound is then the one that is
// used, and not another one computed along a shorter way, whose bound the verifier cannot see. By that bound it also
// sees that a loop downwards ends.
#define lt_opaque(v) __asm__ volatile("" : "+r"(v))

LT_API void* lt_task_state(void* map) { return bpf_task_storage_get(map, bpf_get_current_task_btf(), 0, 0); }

LT_API void* lt_task_state_make(void* map, __u32 no_room) {
    struct lt_thread* t = bpf_task_storage_get(map, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!t) {
        lt_lose(no_room);
        return 0;
    }
    if (!t->who) t->who = bpf_get_current_pid_tgid();
    return t;
}

// The idle threads of all CPUs are thread 0; each has a stack of its own.
static inline __attribute__((always_inline)) __u32 lt_thread_key(void) {
    __u32 tid = (__u32)bpf_get_current_pid_tgid();
    return tid ? tid : bpf_get_smp_processor_id() | 0x80000000u;
}

LT_API void* lt_hash_state(void* map) {
    __u32 key = lt_thread_key();
    return bpf_map_lookup_elem(map, &key);
}

LT_API void* lt_hash_state_make(void* map, const void* zero, __u32 no_room) {
    __u32 key = lt_thread_key();
    return lt_slot(map, &key, zero, no_room, no_room);
}

LT_API void lt_hash_state_drop(void* map) {
    __u32 key = lt_thread_key();
    bpf_map_delete_elem(map, &key);
}

// A frame may be given as a pointer; through memory it becomes a number, which the verifier lets be compared.
static inline __attribute__((always_inline)) __u64 lt_number(struct lt_thread* t, __u64 frame) {
    *(volatile __u64*)&t->scratch = frame;
    return *(volatile __u64*)&t->scratch;
}

// Stacks grow down: what was opened at or below this frame, on the same stack (no more than `reach` away: interrupts
// have stacks of their own), has been left. How many openings are still there.
static inline __attribute__((always_inline)) __u64 lt_drop_left(struct lt_thread* t, __u32 size, __u64 frame,
                                                                __u64 reach, __u32 missed) {
    __u64 depth = t->depth;
    for (int i = 0; i < LT_DEPTH; i++) {
        __u64 top = depth - 1;
        lt_opaque(top);
        if (top >= LT_DEPTH) break;
        struct lt_opening* o = (struct lt_opening*)&t->openings[top * size];
        if (o->frame > frame || frame - o->frame >= reach) break;
        lt_lose(missed);
        t->beyond = 0;
        depth = top;
    }
    return depth;
}

// The opening for a call, or null where the thread is too deep.
LT_API void* lt_span_open(struct lt_thread* t, __u32 size, __u64 frame, __u64 reach, __u32 missed, __u32 too_deep) {
    frame = lt_number(t, frame);
    __u64 depth = lt_drop_left(t, size, frame, reach, missed);
    lt_opaque(depth);
    if (depth >= LT_DEPTH) {
        t->beyond++;
        lt_lose(too_deep);
        return 0;
    }
    t->depth = depth + 1;
    struct lt_opening* o = (struct lt_opening*)&t->openings[depth * size];
    o->frame = frame;
    return o;
}

// A call that is left out. Its return must not close what was opened before it and left.
LT_API void lt_span_skip(struct lt_thread* t, __u32 size, __u64 frame, __u64 reach, __u32 missed) {
    frame = lt_number(t, frame);
    t->depth = lt_drop_left(t, size, frame, reach, missed);
}

// A close without an opening. Had there been no room for some openings, it is the close of one of those: which one it
// is makes no difference to the account. The last to come were not opened because the session ends.
LT_API void lt_unmatched(__u32 no_entry, __u32 no_room, __u32 unmeasured) {
    if (no_entry == LT_NO_LOSS || lt_stop) return;
    lt_lose(lt_lost[no_room] > lt_lost[unmeasured] ? unmeasured : no_entry);
}

// The opening that this return closes, or null. Its values are good until the thread opens another span.
LT_API void* lt_span_close(struct lt_thread* t, __u32 size, __u64 frame, __u32 missed, __u32 no_entry, __u32 no_room,
                           __u32 unmeasured) {
    if (t) {
        frame = lt_number(t, frame);
        __u64 depth = t->depth;
        __u64 at = depth;
        for (;;) {
            at--;
            lt_opaque(at);
            if (at >= LT_DEPTH) break;
            struct lt_opening* o = (struct lt_opening*)&t->openings[at * size];
            if (o->frame != frame) continue;
            if (at + 1 < depth && missed != LT_NO_LOSS) __sync_fetch_and_add(&lt_lost[missed], depth - at - 1);
            t->depth = at;
            t->beyond = 0;
            return o;
        }
        if (t->beyond) {
            t->beyond--;
            return 0;
        }
    }
    lt_unmatched(no_entry, no_room, unmeasured);
    return 0;
}

// The same where there is one opening for a thread. Is it open already, its return was missed.
LT_API void* lt_span_open_one(struct lt_thread* t, __u32 missed) {
    if (t->depth) lt_lose(missed);
    t->depth = 1;
    return t->openings;
}

LT_API void lt_span_skip_one(struct lt_thread* t, __u32 missed) {
    if (t->depth) lt_lose(missed);
    t->depth = 0;
}

LT_API void* lt_span_close_one(struct lt_thread* t, __u32 no_entry, __u32 no_room, __u32 unmeasured) {
    if (t && t->depth) {
        t->depth = 0;
        return t->openings;
    }
    lt_unmatched(no_entry, no_room, unmeasured);
    return 0;
}

// The thread ends: what it has open will never close.
LT_API void lt_span_die(struct lt_thread* t, __u32 died) {
    __u64 depth = t->depth;
    if (depth && died != LT_NO_LOSS) __sync_fetch_and_add(&lt_lost[died], depth);
    t->depth = 0;
    t->beyond = 0;
}

// How long ago the innermost of at most `most` spans of the thread was opened; 0: none is open.
LT_API __u64 lt_span_age(struct lt_thread* t, __u32 size, __u32 most, __u64 now) {
    __u64 top = t->depth - 1;
    lt_opaque(top);
    if (top >= most) return 0;
    struct lt_opening* o = (struct lt_opening*)&t->openings[top * size];
    __u64 time = o->time;
    return time && now > time ? now - time : 0;
}

// One task of all there are: what it has open is written for the reader of the iterator, a record each; with the
// innermost goes its kernel stack.
struct lt_open_span {
    __u32 span;
    __u32 level;
    __u64 who;
    __u64 time;
    __u64 stack_bytes;  // of addresses that follow
};

LT_API void lt_walk(void* ctx, void* map, __u32 size, __u32 most, __u32 span, void* scratch, __u32 scratch_size) {
    void** arguments = ctx;  // struct bpf_iter__task: meta, whose first member is the file that is written; the task
    void* task = arguments[1];
    if (!task) return;
    void* file = **(void***)arguments;
    struct lt_thread* t = bpf_task_storage_get(map, task, 0, 0);
    if (!t) return;
    __u64 depth = t->depth;
    for (__u64 i = 0; i < most; i++) {
        if (i >= depth) break;
        struct lt_opening* o = (struct lt_opening*)&t->openings[i * size];
        struct lt_open_span record = {span, (__u32)i, t->who, o->time, 0};
        long bytes = i + 1 == depth ? bpf_get_task_stack(task, scratch, scratch_size, 0) : 0;
        if (bytes > 0 && bytes <= scratch_size) record.stack_bytes = (__u64)bytes;
        bpf_seq_write(file, &record, sizeof record);
        bpf_seq_write(file, o, size);
        if (record.stack_bytes) bpf_seq_write(file, scratch, scratch_size);
    }
}

// ---- between two events

// Is the key open already? Then its opening is used again, and the span that was never closed is counted.
LT_API void* lt_pair_reopen(void* map, const void* key, __u32 reopened) {
    struct lt_opening* o = bpf_map_lookup_elem(map, key);
    if (o && __sync_lock_test_and_set(&o->time, 0)) lt_lose(reopened);
    return o;
}

LT_API void lt_pair_open(void* map, const void* key, const void* opening, __u32 no_room) {
    if (bpf_map_update_elem(map, key, opening, BPF_ANY) != 0) lt_lose(no_room);
}

// Whoever takes the time closes the span: two events for one key at once give one span.
LT_API __u64 lt_pair_claim(struct lt_opening* o) { return __sync_lock_test_and_set(&o->time, 0); }
