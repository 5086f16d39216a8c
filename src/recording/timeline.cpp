// The rules of the states are those of stdlib/bpf/why.bpf.c, for all threads at once.
#include "recording/timeline.h"

#include <algorithm>
#include <utility>

namespace lt {
namespace {

constexpr uint32_t task_waking = 0x200, task_dead = 0x80;

Waker waker_of(const Record& record) {
    Waker out;
    out.known = true;
    out.tid = static_cast<uint32_t>(record.a);
    const auto context = static_cast<uint32_t>(record.a >> waking_context_at & 0xff);
    out.context = context > static_cast<uint32_t>(WakeContext::timer) ? WakeContext::interrupt
                                                                      : static_cast<WakeContext>(context);
    // an idle CPU wakes no thread by itself: as in stdlib/bpf/waiters.h
    if (out.tid == 0 && out.context == WakeContext::thread) out.context = WakeContext::interrupt;
    out.vector = static_cast<uint32_t>(record.a >> waking_vector_at & 0xff);
    out.sends = (record.a >> waking_flags_at & waking_sends) != 0;
    return out;
}

// The futex's word has the owner's number in the PID namespace of its process.
uint32_t futex_owner(const Recording& recording, const Record& record) {
    const auto owner = static_cast<uint32_t>(record.b), own = static_cast<uint32_t>(record.b >> futex_own_at);
    const RecordedThread* waiter = recording.thread(record.tid);
    if (owner == 0 || !waiter || waiter->process == 0 || owner == own) return 0;
    if (own == record.tid) {
        const RecordedThread* known = recording.thread(owner);
        return known && known->process == waiter->process ? owner : 0;
    }
    const auto found = std::ranges::find_if(recording.threads, [&](const RecordedThread& other) {
        return other.own == owner && other.process == waiter->process;
    });
    return found == recording.threads.end() ? 0 : found->tid;
}

// The rule of lt_why_released() in stdlib/bpf/why.bpf.c: the holder of a program's lock is the owner if that thread
// ends the wait, or the thread that ends it by releasing the lock.
void settle_holder(Segment& wait, const Record& waking) {
    if (!wait.futex || wait.lock != 0) return;
    const bool is_thread = wait.waker.tid != 0 && wait.waker.context == WakeContext::thread;
    const bool released = (waking.a >> waking_flags_at & waking_releases) != 0;
    if (is_thread && wait.owned && released) wait.holder = wait.waker.tid;
    if (!is_thread || wait.holder != wait.waker.tid) wait.holder = 0;
}

}  // namespace

Timeline::Timeline(const Recording& recording)
    : recording_(recording), cpus_(recording.cpus), last_switch_(recording.cpus, 0), current_(recording.cpus, 0) {
    for (const Record& record : recording.records) take(record);
    close();
}

std::span<const Segment> Timeline::of(uint32_t tid) const {
    const auto found = threads_.find(tid);
    return found == threads_.end() ? std::span<const Segment>() : std::span<const Segment>(found->second.segments);
}

std::vector<uint32_t> Timeline::threads() const {
    std::vector<uint32_t> out;
    for (const auto& [tid, thread] : threads_) out.push_back(tid);
    return out;
}

// They nest, so those whose ends are in order may begin in another order: the range can have some at its end that begin
// later.
std::span<const Interruption> Timeline::interruptions(uint16_t cpu, uint64_t begin, uint64_t end) const {
    constexpr uint64_t longest = 20'000'000;
    if (cpu >= cpus_.size()) return {};
    const std::vector<Interruption>& all = cpus_[cpu];
    const auto first = std::ranges::upper_bound(all, begin, {}, &Interruption::end);
    const auto last = std::ranges::lower_bound(first, all.end(), end + longest, {}, &Interruption::end);
    return {first, last};
}

// The thread, which is in this state if nothing was known about it.
Timeline::Thread& Timeline::seen(uint32_t tid, SegmentState state, uint16_t cpu, uint64_t time) {
    Thread& thread = threads_[tid];
    if (thread.pending.ended) end(thread, time);
    if (!thread.segments.empty() && !thread.over) return thread;
    // what it does now, it has done since the recording begins, or since the CPU got to it
    const bool is_next = !thread.segments.empty();
    const uint64_t begin = is_next ? thread.segments.back().end : recording_.begin;
    const uint64_t since = state == SegmentState::running ? last_switch_[cpu] : is_next ? time : 0;
    thread.over = false;
    Segment first;
    first.begin = is_next ? std::max(since, begin) : std::min(std::max(since, begin), time);
    first.end = first.begin;
    first.state = state;
    first.cpu = cpu;
    thread.segments.push_back(first);
    return thread;
}

Segment& Timeline::turn(Thread& thread, uint64_t time, SegmentState next) {
    thread.segments.back().end = std::max(time, thread.segments.back().begin);
    Segment segment;
    segment.begin = segment.end = thread.segments.back().end;
    segment.state = next;
    if (next == SegmentState::blocked) {
        segment.lock = thread.pending.lock;
        segment.lock_flags = thread.pending.flags;
        segment.holder = std::exchange(thread.pending.holder, 0);  // if it waits again, another thread may have it
    }
    return thread.segments.emplace_back(segment);
}

void Timeline::switched(const Record& record) {
    const auto next = static_cast<uint32_t>(record.a);
    const auto state = static_cast<uint32_t>(record.a >> switch_state_at & 0xffff);
    const bool preempted = state == 0 || (record.a >> switch_flags_at & switch_preempted) != 0;
    const bool throttled = preempted && (record.a >> switch_throttled_at & 1) != 0;
    if (record.tid != 0) {
        Thread& out = seen(record.tid, SegmentState::running, record.cpu, record.time);
        if (out.segments.back().state != SegmentState::running) out.segments.back().state = SegmentState::unknown;
        const bool already = (state & task_waking) != 0;
        Segment& after = turn(out, record.time,
                              throttled   ? SegmentState::throttled
                              : preempted ? SegmentState::preempted
                              : already   ? SegmentState::woken
                                          : SegmentState::blocked);
        if (preempted) after.by = next;
        // the wake-up came before the thread had left its CPU
        out.pending.early = after.state == SegmentState::blocked && out.pending.noted;
        if (out.pending.early) after.state = SegmentState::woken;
        out.pending.noted = false;
        out.pending.ended = (state & task_dead) != 0;
    }
    last_switch_[record.cpu] = record.time;
    current_[record.cpu] = next;
    if (next == 0) return;
    // to be blocked it would have had to be woken first
    Thread& in = seen(next, SegmentState::woken, record.cpu, record.time);
    Segment& waited = in.segments.back();
    if (waited.state == SegmentState::running) waited.state = SegmentState::unknown;
    // the stack is of the whole absence, of which being woken is only the end
    for (size_t i = in.segments.size(); record.b != 0 && i-- > 0 && in.segments[i].state != SegmentState::running;)
        in.segments[i].stack = record.b;
    in.pending.early = in.pending.ended = false;
    turn(in, record.time, SegmentState::running).cpu = record.cpu;
}

void Timeline::woken(const Record& record) {
    Thread& thread = seen(record.tid, SegmentState::blocked, record.cpu, record.time);
    Segment& now = thread.segments.back();
    if (now.state == SegmentState::running) thread.pending.noted = true;
    // only who waits is woken, so the note was of an earlier time
    if (std::exchange(thread.pending.early, false)) now.state = SegmentState::blocked;
    if (now.state != SegmentState::blocked) return;
    now.waker = waker_of(record);
    settle_holder(now, record);
    const bool throttled = (record.a >> waking_flags_at & waking_throttled) != 0;
    turn(thread, record.time, throttled ? SegmentState::throttled : SegmentState::woken);
}

void Timeline::lock(const Record& record) {
    if (record.tid == 0) return;  // a spin lock, in an interrupt on an idle CPU
    Thread& thread = seen(record.tid, SegmentState::running, record.cpu, record.time);
    if (record.kind == RecordKind::lock_begin)
        thread.pending = {record.a,
                          static_cast<uint32_t>(record.b),
                          static_cast<uint32_t>(record.b >> lock_owner_at),
                          thread.pending.noted,
                          false,
                          false};
    else if (thread.pending.lock == record.a)
        thread.pending.lock = 0, thread.pending.holder = 0;
}

void Timeline::futex(const Record& record) {
    Thread& thread = threads_[record.tid];
    if (thread.segments.empty() || thread.segments.back().state == SegmentState::running) return;
    Segment& wait = thread.segments.back();
    wait.futex = true;
    wait.owned = static_cast<uint32_t>(record.b) != 0;
    if (wait.lock == 0) wait.holder = futex_owner(recording_, record);  // else it is the holder of the kernel's lock
}

void Timeline::interrupted(const Record& record) {
    const uint64_t begin = record.b < record.time ? record.time - record.b : 0;
    cpus_[record.cpu].push_back({begin, record.time, record.kind == RecordKind::softirq});
}

// Another thread may have had its number.
void Timeline::forked(const Record& record) {
    Thread& made = threads_[record.tid];
    end(made, record.time);
    made.over = false;
    Segment first;
    first.begin = first.end = made.segments.empty() ? record.time : std::max(record.time, made.segments.back().end);
    first.state = SegmentState::woken;
    made.segments.push_back(first);
}

// exec() renames its thread. If that was not the first one of its process, it now has the number of the first one,
// which has ended.
void Timeline::renamed(const Record& record) {
    const uint32_t before = current_[record.cpu];
    const auto executing = threads_.find(before), first = threads_.find(record.tid);
    if (before == 0 || before == record.tid || executing == threads_.end() || first == threads_.end()) return;
    const Thread& thread = executing->second;
    if (thread.over || thread.segments.empty() || thread.segments.back().state != SegmentState::running) return;
    if (!first->second.pending.ended) return;
    end(executing->second, record.time);
    last_switch_[record.cpu] = record.time;
    current_[record.cpu] = record.tid;
    seen(record.tid, SegmentState::running, record.cpu, record.time);
}

void Timeline::take(const Record& record) {
    switch (record.kind) {
        case RecordKind::switched:
            return switched(record);
        case RecordKind::waking:
            return woken(record);
        case RecordKind::lock_begin:
        case RecordKind::lock_end:
            return lock(record);
        case RecordKind::futex:
            return futex(record);
        case RecordKind::softirq:
        case RecordKind::irq:
            return interrupted(record);
        case RecordKind::fork:
            return forked(record);
        case RecordKind::renamed:
            return renamed(record);
        case RecordKind::open:
        case RecordKind::close:
        case RecordKind::fault:
            if (record.tid != 0) seen(record.tid, SegmentState::running, record.cpu, record.time);
            return;
        case RecordKind::none:
        case RecordKind::block_issue:
        case RecordKind::block_done:
        case RecordKind::name:
        case RecordKind::exit:
        case RecordKind::trigger:
        case RecordKind::member:
            return;
    }
}

// A thread that has ended left its CPU for the last time: what follows is not a state of it.
void Timeline::end(Thread& thread, uint64_t time) {
    if (thread.pending.ended && !thread.segments.empty())
        thread.segments.pop_back();
    else if (!thread.segments.empty() && !thread.over)
        thread.segments.back().end = std::max(time, thread.segments.back().begin);
    thread.pending = {};
    thread.over = true;
}

// For states that last at the end of the recording.
void Timeline::close() {
    for (auto& [tid, thread] : threads_) end(thread, recording_.end);
    std::erase_if(threads_, [](const auto& each) { return each.second.segments.empty(); });
}

}  // namespace lt
