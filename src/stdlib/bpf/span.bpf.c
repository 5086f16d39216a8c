// The openings of spans.
//
// Spans that a thread opens and closes (functions, system calls): a stack of openings for each thread, so that a
// recursive function gives one span per call. An opening is identified by its frame, an address on the stack that is
// the same at the entry and at the return of a call: a return closes the opening of its own frame and no other.
// Openings above it were left without a return (longjmp, a return that the kernel missed).
//   struct lt_thread, then openings of `size` bytes each: struct lt_opening, then frozen values. There are LT_DEPTH of
//   them, or one where calls cannot nest (system calls), for which frames need not be compared.
//
// Spans between two events: one opening for each key, struct lt_opening and frozen values; time 0: closed, and about to
// be deleted, or about to be written again.
// Calls whose returns are found by decoding instructions: one opening for each call, by struct lt_call. A goroutine's
// call can continue in another thread; in functions that switch stacks, only the frame identifies the call (owner 0).
#include "atomic.h"
#include "traced.h"

#define LT_DEPTH 32
#define LT_MARKS 65536
#define LT_LOOKS 16

struct lt_thread {
    __u64 depth;
    __u64 beyond;  // calls deeper than LT_DEPTH, whose returns must not be mistaken for others
    __u64 scratch;
    __u64 who;  // lt_own_ids()
    char openings[];
};

struct lt_opening {
    __u64 frame;  // between two events: the thread that opened it (lt_opener(), or the kernel's ids)
    __u64 time;
};

LT_API void* lt_task_state(void* map) { return bpf_task_storage_get(map, bpf_get_current_task_btf(), 0, 0); }

LT_API void* lt_task_state_make(void* map, __u32 no_room) {
    struct lt_thread* t = bpf_task_storage_get(map, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!t) {
        lt_lose(no_room);
        return 0;
    }
    t->who = lt_own_ids();  // a thread that executes a program takes its process's number
    return t;
}

// The idle threads of all CPUs are thread 0; each has its own stack.
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
    struct lt_thread* t = lt_make_slot(map, &key, zero, no_room, no_room);
    if (t && !t->who) t->who = lt_own_ids();
    return t;
}

LT_API void lt_hash_state_drop(void* map) {
    __u32 key = lt_thread_key();
    bpf_map_delete_elem(map, &key);
}

// A frame may be passed as a pointer; through memory it becomes a number, which the verifier allows to compare.
static inline __attribute__((always_inline)) __u64 lt_number(struct lt_thread* t, __u64 frame) {
    *(volatile __u64*)&t->scratch = frame;
    return *(volatile __u64*)&t->scratch;
}

// Stacks grow down: calls opened at or below this frame, on the same stack (at most `reach` away: interrupts have their
// own stacks), have been left. Returns the number of openings that remain.
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

// Others may look at an opening before it has its time, which must not be that of an earlier one.
static inline __attribute__((always_inline)) struct lt_opening* lt_without_time(void* opening) {
    struct lt_opening* o = opening;
    *(volatile __u64*)&o->time = 0;
    return o;
}

// The opening for a call, or null if the thread is nested too deep.
LT_API void* lt_span_open(struct lt_thread* t, __u32 size, __u64 frame, __u64 reach, __u32 missed, __u32 too_deep) {
    frame = lt_number(t, frame);
    __u64 depth = lt_drop_left(t, size, frame, reach, missed);
    lt_opaque(depth);
    if (depth >= LT_DEPTH) {
        t->beyond++;
        lt_lose(too_deep);
        return 0;
    }
    struct lt_opening* o = lt_without_time(&t->openings[depth * size]);
    *(volatile __u64*)&t->depth = depth + 1;
    o->frame = frame;
    return o;
}

// A call that is not measured. Its return must not close an earlier opening that was left.
LT_API void lt_span_skip(struct lt_thread* t, __u32 size, __u64 frame, __u64 reach, __u32 missed) {
    frame = lt_number(t, frame);
    t->depth = lt_drop_left(t, size, frame, reach, missed);
}

// A close without an opening. If some openings had no room, it counts as the close of one of those: which one makes no
// difference to the account. The latest ones were not opened because the session is ending, and with `spares`, those of
// lt's own process never are.
LT_API void lt_unmatched(__u32 no_entry, __u32 no_room, __u32 unmeasured, __u32 spares) {
    if (no_entry == LT_NO_LOSS || lt_stop || (spares && lt_own_process())) return;
    lt_lose(lt_lost[no_room] > lt_lost[unmeasured] ? unmeasured : no_entry);
}

// The opening that this return closes, or null. Its values are valid until the thread opens another span.
LT_API void* lt_span_close(struct lt_thread* t, __u32 size, __u64 frame, __u32 missed, __u32 no_entry, __u32 no_room,
                           __u32 unmeasured, __u32 spares) {
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
    lt_unmatched(no_entry, no_room, unmeasured, spares);
    return 0;
}

// The same with one opening for a thread. If it is open already, its return was missed.
LT_API void* lt_span_open_one(struct lt_thread* t, __u32 missed) {
    if (t->depth) lt_lose(missed);
    struct lt_opening* o = lt_without_time(t->openings);
    *(volatile __u64*)&t->depth = 1;
    return o;
}

LT_API void lt_span_skip_one(struct lt_thread* t, __u32 missed) {
    if (t->depth) lt_lose(missed);
    t->depth = 0;
}

LT_API void* lt_span_close_one(struct lt_thread* t, __u32 no_entry, __u32 no_room, __u32 unmeasured, __u32 spares) {
    if (t && t->depth) {
        t->depth = 0;
        return t->openings;
    }
    lt_unmatched(no_entry, no_room, unmeasured, spares);
    return 0;
}

// The thread ends: its open spans will never close.
LT_API void lt_span_die(struct lt_thread* t, __u32 died) {
    __u64 depth = t->depth;
    if (depth && died != LT_NO_LOSS) __sync_fetch_and_add(&lt_lost[died], depth);
    t->depth = 0;
    t->beyond = 0;
}

// The age of the innermost of at most `most` open spans of the thread; 0: none is open.
LT_API __u64 lt_span_age(struct lt_thread* t, __u32 size, __u32 most, __u64 now) {
    __u64 top = t->depth - 1;
    lt_opaque(top);
    if (top >= most) return 0;
    struct lt_opening* o = (struct lt_opening*)&t->openings[top * size];
    __u64 time = o->time;
    return time && now > time ? now - time : 0;
}

// One task of the iterator: writes its open spans for the reader, one record each; the innermost one carries the kernel
// stack.
struct lt_open_span {
    __u32 span;
    __u32 level;
    __u64 who;
    __u64 time;
    __u64 stack_bytes;  // of the addresses that follow
};

LT_API void lt_walk(void* ctx, void* map, __u32 size, __u32 most, __u32 span, void* scratch, __u32 scratch_size) {
    void** arguments = ctx;  // struct bpf_iter__task: meta, whose first member is the output file; the task
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

LT_API __u64 lt_opener(void) { return lt_own_ids(); }

// Is the key open already? Then its opening is reused, and the span that was never closed is counted. An opening
// without a time belongs to another CPU, which deletes or writes it within some 100 ns: what is written into it now
// could be lost, so this waits. Not for ever, because this program may have interrupted that one (`held`).
LT_API void* lt_pair_reopen(void* map, const void* key, __u32 reopened, __u32 held) {
    struct lt_opening* o = 0;
    for (int i = 0; i < LT_LOOKS; i++) {
        o = bpf_map_lookup_elem(map, key);
        if (!o) return 0;
        if (!*(volatile __u64*)&o->time || !lt_take(&o->time)) continue;
        lt_lose(reopened);
        return o;
    }
    lt_lose(held);
    return o;
}

// Another CPU may have opened the key since this one has looked: one of the two is not measured.
LT_API void lt_pair_open(void* map, const void* key, const void* opening, __u32 no_room, __u32 reopened) {
    const int exists = -17;                                                      // EEXIST
    const int error = (int)bpf_map_update_elem(map, key, opening, BPF_NOEXIST);  // as in lt_slot()
    if (error) lt_lose(error == exists ? reopened : no_room);
}

// The thread has opened a span that ends with the thread.
LT_API void lt_mark_thread(__u8* threads, __u32 thread) { threads[thread & (LT_MARKS - 1)] = 1; }

// Reports whether the thread is marked, and removes the mark. Who then looks for its openings marks again the threads
// that share the mark.
LT_API __u64 lt_unmark_thread(__u8* threads, __u32 thread) {
    __u8* mark = &threads[thread & (LT_MARKS - 1)];
    if (!*mark) return 0;
    *mark = 0;
    return 1;
}

// The thread of this opening has ended.
LT_API void lt_pair_die(struct lt_opening* o, __u32 died) {
    if (lt_take(&o->time)) lt_lose(died);
}

// The program that takes the time closes the span: two simultaneous events for one key give one span.
LT_API __u64 lt_pair_claim(struct lt_opening* o) { return lt_take(&o->time); }

// ---- by call

struct lt_call {
    __u64 process;
    __u64 owner;  // the goroutine or thread; 0: unknown
    __u64 frame;  // 0: the entry of an owner, whose `outer` is its innermost open call
};

struct lt_call_opening {
    __u64 who;  // lt_own_ids()
    __u64 time;
    __u64 outer;  // the frame of the enclosing open call of the same owner; 0: there is none
};

#define LT_CALLS_LEFT 64  // calls left without a return that one event looks for

// Removes an owner's calls opened at or below a frame (at most `reach` away, as above), which have been left. With
// `inside`, that frame's own call is still open. Returns the innermost call that remains.
static inline __attribute__((always_inline)) __u64 lt_calls_left(void* map, struct lt_call key, __u64 top, __u64 inside,
                                                                 __u64 reach, __u32 missed) {
    __u64 frame = key.frame;
    for (int i = 0; i < LT_CALLS_LEFT; i++) {
        if (!top || top > frame || frame - top >= reach || (inside && top == frame)) break;
        key.frame = top;
        struct lt_call_opening* o = bpf_map_lookup_elem(map, &key);
        if (!o) return 0;
        if (o->time) lt_lose(missed);
        top = o->outer;
        bpf_map_delete_elem(map, &key);
    }
    return top;
}

// A call at a frame that has an open call: the earlier one was left.
static inline __attribute__((always_inline)) void lt_call_left(void* map, const struct lt_call* call, __u32 missed) {
    struct lt_call_opening* o = bpf_map_lookup_elem(map, call);
    if (!o) return;
    if (o->time) lt_lose(missed);
    bpf_map_delete_elem(map, call);
}

// The opening for a call, without its time, or null if there is no room.
LT_API void* lt_call_open(void* map, const struct lt_call* call, const void* zero, __u64 reach, __u32 missed,
                          __u32 no_room) {
    struct lt_call key = *call;
    struct lt_call_opening* owner = 0;
    __u64 outer = 0;
    if (key.owner) {
        key.frame = 0;
        bpf_map_update_elem(map, &key, zero, BPF_NOEXIST);
        owner = bpf_map_lookup_elem(map, &key);
        if (owner) {
            key.frame = call->frame;
            outer = lt_calls_left(map, key, owner->outer, 0, reach, missed);
            owner->outer = outer;
        }
        key.frame = call->frame;
    } else {
        lt_call_left(map, &key, missed);
    }
    bpf_map_update_elem(map, &key, zero, BPF_NOEXIST);
    struct lt_call_opening* o = bpf_map_lookup_elem(map, &key);
    if (!o) {
        lt_lose(no_room);
        key.frame = 0;
        if (owner && !outer) bpf_map_delete_elem(map, &key);
        return 0;
    }
    o->who = lt_own_ids();
    o->outer = outer;
    if (owner) owner->outer = key.frame;
    return o;
}

// A call that is not measured.
LT_API void lt_call_skip(void* map, const struct lt_call* call, __u64 reach, __u32 missed) {
    struct lt_call key = *call;
    if (!key.owner) return lt_call_left(map, &key, missed);
    key.frame = 0;
    struct lt_call_opening* owner = bpf_map_lookup_elem(map, &key);
    key.frame = call->frame;
    if (owner) owner->outer = lt_calls_left(map, key, owner->outer, 0, reach, missed);
}

// The opening that this return closes, or null. The caller deletes it after reading it.
LT_API void* lt_call_close(void* map, const struct lt_call* call, __u32 missed, __u32 no_entry, __u32 no_room,
                           __u32 unmeasured, __u32 spares) {
    struct lt_call key = *call;
    struct lt_call_opening* o = bpf_map_lookup_elem(map, &key);
    if (!o || !o->time) {
        lt_unmatched(no_entry, no_room, unmeasured, spares);
        return 0;
    }
    if (!key.owner) return o;
    key.frame = 0;
    struct lt_call_opening* owner = bpf_map_lookup_elem(map, &key);
    if (!owner) return o;
    key.frame = call->frame;
    lt_calls_left(map, key, owner->outer, 1, ~0ull, missed);
    owner->outer = o->outer;
    key.frame = 0;
    if (!owner->outer) bpf_map_delete_elem(map, &key);
    return o;
}
