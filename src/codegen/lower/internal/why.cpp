// The programs of `why`: they follow the scheduler, interrupts, locks and reclaim for the threads inside a span.
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>

#include "arch/arch.h"
#include "codegen/ir/builder.h"
#include "codegen/ir/outside.h"
#include "codegen/ir/why_events.h"
#include "codegen/lower/internal/internal.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/plan/shared_maps.h"

namespace lt {
namespace {

// The distance of a member from the start of its structure, on the kernel that runs the program.
ir::Value distance(Unit& unit, Builder& b, std::string root, const std::vector<Member>& path) {
    uint64_t offset = 0;
    for (const Member& m : path) offset += m.offset;
    return ir::relocation(b, unit.relocation({ir::Ask::offset, std::move(root), path, offset}));
}

ir::Value member(Unit& unit, Builder& b, const std::vector<Member>& of_task) {
    return distance(unit, b, "struct task_struct", of_task);
}

// How lt_why_throttled() learns whether a thread has used up its quota: two offsets, and the width of the number.
struct Quota {
    ir::Value queue, count, width;
};
Quota quota(Unit& unit, Builder& b, const WhyFacts& facts) {
    const ir::Value none = b.constant(0);
    if (!facts.throttled.empty()) return {none, member(unit, b, facts.throttled), b.constant(1)};
    if (facts.queue.empty() || facts.queue_throttled.empty()) return {none, none, none};
    return {member(unit, b, facts.queue), distance(unit, b, "struct cfs_rq", facts.queue_throttled), b.constant(4)};
}

void wait_for_lock(Unit& unit, Builder& b) {
    const WhyFacts& facts = *unit.typed.why;
    const bool owners = !facts.mutex_owner.empty() && !facts.rwsem_owner.empty();
    const bool waits = reports_waits(unit.typed);
    const auto owner = [&](const char* lock, const std::vector<Member>& path) {
        return owners && waits ? distance(unit, b, lock, path) : b.constant(0);
    };
    b.call(ir::Library::why_lock,
           {ir::context(b), b.map(why_threads_map(unit)), member(unit, b, facts.mm),
            distance(unit, b, "struct mm_struct", facts.mmap_lock), b.constant(waits), b.constant(owners),
            owner("struct mutex", facts.mutex_owner), owner("struct rw_semaphore", facts.rwsem_owner),
            member(unit, b, facts.pid), member(unit, b, facts.comm)});
}

// Does the kernel have what names the holders of a program's locks?
bool names_holders(const Unit& unit) {
    const WhyFacts& facts = *unit.typed.why;
    return reports_waits(unit.typed) && !facts.thread_pid.empty() && !facts.level.empty() && !facts.numbers.empty();
}

// How the library reads a call of futex() from a thread's registers: struct lt_futex_call.
struct FutexCall {
    ir::Value number, number_at, address_at, operation_at, value_at;
};
FutexCall futex_call(Builder& b) {
    const auto at = [&](const arch::Register& r) { return b.constant(r.offset); };
    const auto argument = [&](size_t n) { return at(arch::native.system_call_arguments[n]); };
    return {b.constant(SYS_futex), at(arch::native.system_call_number), argument(0), argument(1), argument(2)};
}

void find_owner(Unit& unit, Builder& b, ir::Value threads) {
    if (!names_holders(unit)) return;
    const FutexCall call = futex_call(b);
    b.call(ir::Library::why_futex,
           {ir::context(b), threads, call.number, call.number_at, call.address_at, call.operation_at, call.value_at});
}

void find_holder(Unit& unit, Builder& b, ir::Value threads, ir::Value cpus) {
    const WhyFacts& facts = *unit.typed.why;
    if (!names_holders(unit)) return;
    const FutexCall call = futex_call(b);
    b.call(ir::Library::why_released,
           {ir::context(b), threads, cpus, member(unit, b, facts.thread_pid),
            distance(unit, b, "struct pid", facts.level), distance(unit, b, "struct pid", facts.numbers), call.number,
            call.number_at, call.address_at, call.operation_at, call.value_at});
}

void run_event(Unit& unit, Builder& b, const WhyEvent& event) {
    const WhyFacts& facts = *unit.typed.why;
    const ir::Value threads = b.map(why_threads_map(unit)), cpus = b.map(why_cpus_map(unit));
    const ir::Value waits = b.constant(reports_waits(unit.typed));
    switch (event.does) {
        case WhyDoes::switches: {
            const ir::Value places = b.find(why_places_map(unit), b.text(unit.zeros(4)));
            const Quota q = quota(unit, b, facts);
            const ir::Value state = member(unit, b, facts.state);
            b.call(ir::Library::why_switch, {ir::context(b), threads, cpus, places, state, q.queue, q.count, q.width,
                                             waits, member(unit, b, facts.pid), member(unit, b, facts.comm),
                                             b.constant(unit.loss(LossKind::hidden_switch, 0))});
            find_owner(unit, b, threads);
            break;
        }
        case WhyDoes::wakes: {
            find_holder(unit, b, threads, cpus);
            const Quota q = quota(unit, b, facts);
            b.call(ir::Library::why_wake, {ir::context(b), threads, cpus, q.queue, q.count, q.width, waits});
            break;
        }
        case WhyDoes::enters:
            b.call(ir::Library::why_enter, {cpus, b.constant(event.softirq ? 2 : 1)});
            break;
        case WhyDoes::leaves:
            b.call(ir::Library::why_leave, {cpus});
            break;
        case WhyDoes::waits_lock:
            wait_for_lock(unit, b);
            break;
        case WhyDoes::has_lock:
            b.call(ir::Library::why_unlock, {ir::context(b), threads, waits});
            break;
        case WhyDoes::reclaims:
        case WhyDoes::reclaimed:
            b.call(ir::Library::why_reclaim, {threads, cpus, b.constant(event.does == WhyDoes::reclaims),
                                              b.constant(unit.loss(LossKind::hidden_switch, 0))});
            break;
    }
}

constexpr std::string_view switch_event = "sched_switch";

void watch(Unit& unit, bool switches) {
    if (!unit.typed.why) return;
    for (const WhyEvent& event : why_events()) {
        if (switches != (event.name == switch_event)) continue;
        if (std::ranges::find(unit.typed.why->events, event.name) == unit.typed.why->events.end()) continue;
        ir::Function& f = unit.function(fmt::format("why_{}", event.name));
        f.way = Way::typed_tracepoint;
        Attachment a;
        a.program = f.name;
        a.site = RawTracepointSite{std::string(event.name)};
        internal_probe(unit, std::string(event.name)).rungs = {{Way::typed_tracepoint, "", {a}}};
        Builder b(f);
        run_event(unit, b, event);
    }
}

}  // namespace

void watch_causes(Unit& unit) { watch(unit, false); }

void watch_switches(Unit& unit) { watch(unit, true); }

bool is_switch(const ResolvedPlace& place) {
    return kernel_function(place).name == switch_event || record(place).event == switch_event;
}

}  // namespace lt
