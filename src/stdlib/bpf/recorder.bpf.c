// The flight recorder's programs: they write what the scheduler, locks, futexes, block devices and interrupts do into
// rings that overwrite themselves. An object of its own, loaded beside that of a script. Layouts and kinds of records:
// runtime/border/recording.h.
#include "futex.h"
#include "keep.h"
// after the types that they use
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

// The members that are read of the kernel's structures; libbpf finds the members in the running kernel.
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pid;
struct word {  // atomic_long_t
    long counter;
};
struct rw_semaphore {
    struct word owner;
};
struct mutex {
    struct word owner;
};
struct mm_struct {
    struct rw_semaphore mmap_lock;
};
struct thread_info {
    unsigned int cpu;
};
struct cfs_rq {
    int throttle_count;
};
struct sched_entity {
    struct cfs_rq* cfs_rq;
};
struct task_struct {
    struct thread_info thread_info;
    unsigned int __state;
    struct sched_entity se;
    _Bool throttled;
    int exit_state, prio, pid, tgid;
    char comm[16];
    struct mm_struct* mm;
    struct pid* thread_pid;
};
struct upid {
    int nr;
};
struct pid {
    unsigned int level;
    struct upid numbers[1];
};
struct gendisk {
    int major, first_minor;
};
struct request_queue {
    struct gendisk* disk;
};
struct request {
    struct request_queue* q;
    unsigned int cmd_flags, __data_len;
    __u64 __sector;
};
#pragma clang attribute pop

typedef _Bool bool;

enum { FRAMES = 16, STACKS = 8192, THREADS = 1 << 16 };
enum { INTERRUPT = 1, SOFTIRQ, TIMER };
enum { NET_RX = 3 };
enum { DEAD = 0x80 };  // TASK_DEAD: a thread's last switch

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);  // as the script's map of this name, whose place it takes
    __type(key, __u32);
    __type(value, struct lt_keep_control);
} lt_keep_rings SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct lt_keep_slot);
} lt_keep_slots SEC(".maps");

struct stack {
    __u64 hash;
    __u64 frames[FRAMES];
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, STACKS);
    __type(key, __u32);
    __type(value, struct stack);
} lt_keep_stacks SEC(".maps");

// When threads left their CPU to wait, by the low bits of their number. A thread whose place another one has taken has
// no stack in the recording, which is counted where the recording is read.
struct departure {
    __u64 time;
    __u64 tid;
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, THREADS);
    __type(key, __u32);
    __type(value, struct departure);
} departures SEC(".maps");

struct cpu {
    __u64 contexts;  // four bits each, the innermost is the lowest
    __u64 vector;    // of the softirq
    __u64 irq_since, softirq_since;
    __u64 sender;  // the thread that has sent a packet over loopback, until the softirq has delivered it
    __u64 faults, fault_time;
    __u64 stack[FRAMES];
};
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct cpu);
} cpus SEC(".maps");

// Set before the object is loaded; struct RecorderSettings in runtime/recorder/recorder_object.cpp.
struct settings {
    struct lt_futex_call futex;  // where the processor's registers are
    __u64 long_wait_ns;          // from here on the stack of a wait is worth its cost
};
const volatile struct settings settings SEC(".rodata.settings");

static __always_inline struct cpu* this_cpu(void) {
    const __u32 zero = 0;
    return bpf_map_lookup_elem(&cpus, &zero);
}

static __always_inline __u32 self(void) { return (__u32)bpf_get_current_pid_tgid(); }

static __always_inline void put(__u32 kind, __u32 tid, __u64 a, __u64 b) {
    lt_keep(&lt_keep_rings, &lt_keep_slots, kind, tid, 0, a, b);
}

static __always_inline void put_name(__u32 kind, __u32 tid, const char* comm) {
    __u64 name[2] = {};
    bpf_probe_read_kernel(name, sizeof name, comm);
    put(kind, tid, name[0], name[1]);
}

// ---- the scheduler

// The stack in which the thread has waited; its key, or 0.
static __always_inline __u64 keep_stack(struct cpu* cpu, struct task_struct* task) {
    const long bytes = bpf_get_task_stack(task, cpu->stack, sizeof cpu->stack, 0);
    if (bytes <= 0) return 0;
    if (bytes < (long)sizeof cpu->stack) cpu->stack[(bytes / 8) & (FRAMES - 1)] = 0;
    __u64 hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < FRAMES; i++) {
        const __u64 frame = cpu->stack[i];
        if (!frame) break;
        hash = (hash ^ frame) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    if (!hash) hash = 1;
    const __u32 place = hash & (STACKS - 1);
    struct stack* kept = bpf_map_lookup_elem(&lt_keep_stacks, &place);
    if (!kept) return 0;
    if (*(volatile __u64*)&kept->hash == hash) return hash;
    *(volatile __u64*)&kept->hash = 0;
    barrier();
    __builtin_memcpy(kept->frames, cpu->stack, sizeof kept->frames);
    barrier();
    *(volatile __u64*)&kept->hash = hash;
    return hash;
}

static __always_inline void note_departure(__u32 tid) {
    const __u32 place = tid & (THREADS - 1);
    struct departure* left = bpf_map_lookup_elem(&departures, &place);
    if (!left) return;
    left->time = bpf_ktime_get_ns();
    left->tid = tid;
}

static __always_inline __u64 stack_of_wait(struct cpu* cpu, struct task_struct* task, __u32 tid) {
    const __u32 place = tid & (THREADS - 1);
    struct departure* left = bpf_map_lookup_elem(&departures, &place);
    if (!left || left->tid != tid) return 0;
    left->tid = 0;
    if (bpf_ktime_get_ns() - left->time < settings.long_wait_ns) return 0;
    return keep_stack(cpu, task);
}

static __always_inline __u32 number_in_namespace(struct task_struct* task) {
    struct pid* pid = 0;
    __u32 level = 0, number = 0;
    bpf_core_read(&pid, sizeof pid, &task->thread_pid);
    bpf_core_read(&level, sizeof level, &pid->level);
    const __u64 size = bpf_core_type_size(struct upid);
    bpf_probe_read_kernel(&number, sizeof number,
                          (char*)pid + bpf_core_field_offset(struct pid, numbers) + level * size);
    return number;
}

static __always_inline struct lt_futex_call futex_call(void) {
    return (struct lt_futex_call){settings.futex.number, settings.futex.number_at, settings.futex.address_at,
                                  settings.futex.operation_at, settings.futex.value_at};
}

static __always_inline void note_futex(struct task_struct* task, __u32 tid) {
    const char* registers = (const char*)bpf_task_pt_regs((void*)task);
    __u64 number = 0, address = 0;
    const struct lt_futex_call call = futex_call();
    bpf_probe_read_kernel(&number, sizeof number, registers + call.number_at);
    if (number != call.number) return;
    bpf_probe_read_kernel(&address, sizeof address, registers + call.address_at);
    const __u64 owner = lt_futex_owner(registers, &call);
    put(LT_KEEP_FUTEX, tid, address, owner | (__u64)number_in_namespace(task) << 32);
}

// As in lt_why_released() in why.bpf.c: has the current thread just released the lock that the task, of the same
// process, waits for if it is in futex()?
static __always_inline __u64 is_released(struct task_struct* task) {
    __u64 address = 0;
    const struct lt_futex_call call = futex_call();
    if ((__u32)task->tgid != (__u32)(bpf_get_current_pid_tgid() >> 32)) return 0;
    bpf_probe_read_kernel(&address, sizeof address, (const char*)bpf_task_pt_regs((void*)task) + call.address_at);
    return lt_futex_releases((const char*)bpf_task_pt_regs((void*)bpf_get_current_task_btf()), &call, address);
}

// As lt_why_throttled() in why.bpf.c: from Linux 6.18 on the thread itself says so.
static __always_inline __u64 is_throttled(const struct task_struct* task) {
    if (bpf_core_field_exists(struct task_struct, throttled)) return task->throttled;
    if (!bpf_core_field_exists(struct task_struct, se.cfs_rq)) return 0;
    if (!bpf_core_field_exists(struct cfs_rq, throttle_count)) return 0;
    return task->se.cfs_rq->throttle_count != 0;
}

// The tracepoint's field prev_state, as the number of its bit, from 1; 0: it can run. For an end of a thread its exit
// state counts.
static __always_inline __u64 reported_state(__u32 state, __u32 exit_state) {
    enum { UNINTERRUPTIBLE = 2, IDLE = 0x402, LOCK_WAIT = 0x1000, FROZEN = 0x8000, REPORTED = 0x7f, REPORTED_IDLE = 8 };
    __u32 reported = (state | exit_state) & REPORTED;
    if ((state & IDLE) == IDLE) return REPORTED_IDLE;
    if (state & (LOCK_WAIT | FROZEN)) return UNINTERRUPTIBLE;
    for (__u32 bit = 7; bit > 0; bit--)
        if (reported >> (bit - 1) & 1) return bit;
    return 0;
}

// A thread that has ended may be gone from /proc before a snapshot looks for its name; it may have called exit() long ago.
static __always_inline void note_end(struct task_struct* task, __u32 tid) {
    put(LT_KEEP_MEMBER, tid, (__u32)task->tgid, 0);
    put_name(LT_KEEP_NAME, tid, task->comm);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(keep_switch, bool preempt, struct task_struct* prev, struct task_struct* next, unsigned int prev_state) {
    struct cpu* cpu = this_cpu();
    if (!cpu) return 0;
    cpu->contexts = 0;  // no switch is inside an interrupt: whatever was missed is over
    cpu->sender = 0;
    const __u32 from = prev->pid, to = next->pid, state = prev->__state;
    const int waits = !preempt && state != 0 && from != 0;
    if (waits) note_departure(from);
    const __u64 stack = to ? stack_of_wait(cpu, next, to) : 0;
    const __u64 reported = reported_state(prev_state, prev->exit_state);
    const __u64 throttled = waits ? 0 : is_throttled(prev);
    put(LT_KEEP_SWITCHED, from,
        to | (__u64)(state & 0xffff) << 32 | (__u64)preempt << 48 | reported << 49 | throttled << 53, stack);
    if (state & DEAD)
        note_end(prev, from);
    else if (waits)
        note_futex(prev, from);
    return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(keep_waking, struct task_struct* task) {
    struct cpu* cpu = this_cpu();
    if (!cpu) return 0;
    const __u64 context = cpu->contexts & 15, current = self();
    const __u64 vector = context == SOFTIRQ ? cpu->vector & 15 : 0;
    const __u64 sends = vector == NET_RX && current && cpu->sender == current;
    const __u64 released = context || !current ? 0 : is_released(task);
    put(LT_KEEP_WAKING, task->pid,
        current | context << 32 | vector << 40 | sends << 48 | is_throttled(task) << 49 | released << 50,
        (__u32)task->prio | (__u64)task->thread_info.cpu << 32);
    return 0;
}

// ---- interrupts. Ends are attached before beginnings: otherwise one that is under way would seem to begin twice.

static __always_inline void enter(struct cpu* cpu, __u64 context) { cpu->contexts = cpu->contexts << 4 | context; }
static __always_inline int leave(struct cpu* cpu, __u64 context) {
    if ((cpu->contexts & 15) != context) return 0;
    cpu->contexts >>= 4;
    return 1;
}

// An interrupt of the processor itself: its timer, or another CPU's call. Only wake-ups need to know of it.
#define PROCESSOR_INTERRUPT(event, does) \
    SEC("tp_btf/" #event)                \
    int BPF_PROG(keep_##event) {         \
        struct cpu* cpu = this_cpu();    \
        if (cpu) does(cpu, INTERRUPT);   \
        return 0;                        \
    }

SEC("tp_btf/softirq_exit")
int BPF_PROG(keep_softirq_exit, unsigned int vector) {
    struct cpu* cpu = this_cpu();
    if (!cpu || !leave(cpu, SOFTIRQ)) return 0;
    if (vector == NET_RX) cpu->sender = 0;
    put(LT_KEEP_SOFTIRQ, self(), vector, bpf_ktime_get_ns() - cpu->softirq_since);
    return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(keep_irq_exit, int number) {
    struct cpu* cpu = this_cpu();
    if (!cpu || !leave(cpu, INTERRUPT)) return 0;
    put(LT_KEEP_IRQ, self(), (__u32)number, bpf_ktime_get_ns() - cpu->irq_since);
    return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(keep_timer_exit) {
    struct cpu* cpu = this_cpu();
    if (cpu) leave(cpu, TIMER);
    return 0;
}

// Those of Architecture::interrupts (arch/arch.h). Where they do not exist, they are missing in the recording.
PROCESSOR_INTERRUPT(local_timer_exit, leave)
PROCESSOR_INTERRUPT(reschedule_exit, leave)
PROCESSOR_INTERRUPT(call_function_exit, leave)
PROCESSOR_INTERRUPT(call_function_single_exit, leave)
PROCESSOR_INTERRUPT(irq_work_exit, leave)

SEC("tp_btf/softirq_entry")
int BPF_PROG(keep_softirq_entry, unsigned int vector) {
    struct cpu* cpu = this_cpu();
    if (!cpu) return 0;
    enter(cpu, SOFTIRQ);
    cpu->vector = vector;
    cpu->softirq_since = bpf_ktime_get_ns();
    return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(keep_irq_entry, int number) {
    struct cpu* cpu = this_cpu();
    if (!cpu) return 0;
    enter(cpu, INTERRUPT);
    cpu->irq_since = bpf_ktime_get_ns();
    return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(keep_timer_entry) {
    struct cpu* cpu = this_cpu();
    if (cpu) enter(cpu, TIMER);
    return 0;
}

PROCESSOR_INTERRUPT(local_timer_entry, enter)
PROCESSOR_INTERRUPT(reschedule_entry, enter)
PROCESSOR_INTERRUPT(call_function_entry, enter)
PROCESSOR_INTERRUPT(call_function_single_entry, enter)
PROCESSOR_INTERRUPT(irq_work_entry, enter)

// A packet goes into this CPU's queue. Sent over loopback by a thread, the softirq that delivers it follows at once, in
// that thread.
SEC("tp_btf/netif_rx")
int BPF_PROG(keep_netif_rx) {
    struct cpu* cpu = this_cpu();
    if (cpu && !(cpu->contexts & 15)) cpu->sender = self();
    return 0;
}

// ---- locks of the kernel

static __always_inline __u32 holder(const char* lock, __u64 flags) {
    const __u64 read = 2, write = 4, others = 8 | 16, mutex = 32, reader = 1;
    const int is_rwsem = (flags & (read | write)) && !(flags & (others | mutex));
    __u64 owner = 0;
    __u32 pid = 0;
    if (!is_rwsem && !(flags & mutex)) return 0;
    if (!bpf_core_field_exists(struct mutex, owner) || !bpf_core_field_exists(struct rw_semaphore, owner)) return 0;
    const __u64 at =
        is_rwsem ? bpf_core_field_offset(struct rw_semaphore, owner) : bpf_core_field_offset(struct mutex, owner);
    if (bpf_probe_read_kernel(&owner, sizeof owner, lock + at)) return 0;
    if (owner < 8 || (is_rwsem && owner & reader)) return 0;
    bpf_probe_read_kernel(&pid, sizeof pid,
                          (const char*)(owner & ~7ull) + bpf_core_field_offset(struct task_struct, pid));
    return pid;
}

// A mutex first spins, and says so again when it sleeps. Only what sleeps is a wait.
SEC("tp_btf/contention_begin")
int BPF_PROG(keep_lock_begin, void* lock, unsigned int flags) {
    if (flags & 1) return 0;
    struct task_struct* task = (struct task_struct*)bpf_get_current_task();
    struct mm_struct* mm = 0;
    bpf_core_read(&mm, sizeof mm, &task->mm);
    const __u64 mmap_lock = mm ? (__u64)mm + bpf_core_field_offset(struct mm_struct, mmap_lock) : 0;
    const __u64 is_mmap_lock = (__u64)lock == mmap_lock;
    put(LT_KEEP_LOCK_BEGIN, self(), (__u64)lock,
        (flags & 0xffff) | is_mmap_lock << 16 | (__u64)holder(lock, flags) << 32);
    return 0;
}

// Most ends are of spin locks, whose beginnings are not kept: the reader ignores them.
SEC("tp_btf/contention_end")
int BPF_PROG(keep_lock_end, void* lock, int result) {
    put(LT_KEEP_LOCK_END, self(), (__u64)lock, (__u32)result);
    return 0;
}

// ---- block devices

// A command that passes through the block layer has no place on the disk, as in the tracepoints' fields.
static __always_inline void put_request(__u32 kind, struct request* request, __u32 bytes) {
    struct gendisk* disk = request->q->disk;
    enum { FLUSH = 2, PASSES_IN = 34, PASSES_OUT };
    const __u32 operation = request->cmd_flags & 0xff;
    const int passes = operation == PASSES_IN || operation == PASSES_OUT;
    const __u64 device = (disk->first_minor & 0xfffff) | (__u64)(disk->major & 0xfff) << 20;
    const __u64 sectors = passes ? 0 : (bytes >> 9) & 0xffffff, does = operation == FLUSH ? FLUSH : operation & 1;
    put(kind, self(), passes ? 0 : request->__sector, sectors | does << 24 | device << 32);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(keep_block_issue, struct request* request) {
    put_request(LT_KEEP_BLOCK_ISSUE, request, request->__data_len);
    return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(keep_block_done, struct request* request, int error, unsigned int bytes) {
    put_request(LT_KEEP_BLOCK_DONE, request, bytes);
    return 0;
}

// ---- page faults: one record for many, at most every millisecond on a CPU

SEC("tp_btf/page_fault_user")
int BPF_PROG(keep_fault, unsigned long address) {
    struct cpu* cpu = this_cpu();
    if (!cpu) return 0;
    const __u64 now = bpf_ktime_get_ns(), faults = cpu->faults + 1;
    cpu->faults = faults;
    if (now - cpu->fault_time < 1000000) return 0;
    cpu->fault_time = now;
    cpu->faults = 0;
    put(LT_KEEP_FAULT, self(), address, faults);
    return 0;
}

// ---- threads

SEC("tp_btf/sched_process_fork")
int BPF_PROG(keep_fork, struct task_struct* parent, struct task_struct* child) {
    put(LT_KEEP_FORK, child->pid, (__u32)child->tgid, (__u32)parent->pid);
    put_name(LT_KEEP_NAME, child->pid, child->comm);
    return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(keep_rename, struct task_struct* task, const char* comm) {
    put_name(LT_KEEP_RENAMED, task->pid, task->comm);
    put_name(LT_KEEP_NAME, task->pid, comm);
    return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(keep_exit, struct task_struct* task) {
    put(LT_KEEP_MEMBER, task->pid, (__u32)task->tgid, 0);
    put_name(LT_KEEP_EXIT, task->pid, task->comm);
    return 0;
}
