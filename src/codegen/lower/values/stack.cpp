// A new user stack is reported to the runtime at once, so that its functions can be symbolized while the process still
// exists.
#include "codegen/lower/values/stack.h"

#include <algorithm>
#include <cstddef>

#include "codegen/ir/outside.h"
#include "codegen/ir/way_code.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/values/variable.h"

namespace lt {
namespace {

constexpr uint32_t stacks_kept = 16384;
constexpr uint32_t stacks_nested = 4;  // claimed at one time on one CPU; same as LT_NESTED in stdlib/bpf/stack.bpf.c
constexpr uint32_t stack_room = 8 + 8 * stack_frames;

uint32_t new_stack_event(Unit& unit) {
    const std::vector<PlannedEvent>& all = unit.plan().events;
    const auto existing = std::ranges::find(all, EventKind::stack, &PlannedEvent::kind);
    if (existing != all.end()) return static_cast<uint32_t>(existing - all.begin());
    PlannedEvent e;
    e.kind = EventKind::stack;
    e.fields.push_back({stack_type(), record_header});
    e.size = record_header + stack_size;
    return unit.event(std::move(e));
}

// If the ring buffer is full, nothing is lost: the functions are symbolized when the stack is printed.
void report_new_stack(Lowering& l, ir::Value stack) {
    const uint32_t index = new_stack_event(l.unit), ring = ring_map(l.unit);
    const ir::Value room = l.b.call(ir::Library::room, {l.b.map(ring), l.b.constant(l.unit.planned(index).size)});
    l.b.branch(room, [&] {
        const ir::Value record = ir::reserve(l.b, ring, index);
        l.b.branch(record, [&] {
            l.b.store(record, 0, l.b.constant(index));
            l.b.copy(record, record_header, stack, stack_size);
            ir::submit(l.b, record, l.b.constant(force_wakeup));
        });
    });
}

}  // namespace

// On old kernels without bpf_loop (seen on 5.10), the program's frame appears twice.
int64_t frames_on_top(Way way, const Builder& b) {
    const Context context = way_code(way).context;
    if (context != Context::trampoline && context != Context::words) return 0;
    return b.loops().own ? 3 : 2 + b.loops().frames;
}

void stack_into(Lowering& l, Variable which, uint32_t frames, ir::Value to) {
    if (l.stuck != ir::no_value) {  // taken by the runtime, which stores it where the library would
        stack_map(l.unit);
        return l.b.copy(to, 0, l.b.address(l.stuck, offsetof(StuckSpan, stack)), stack_size);
    }
    const bool user = which == Variable::ustack;
    if (!user && way_row(l.way).user) {  // the thread is in user mode: the kernel has no stack for it
        for (uint32_t at = 0; at < stack_size; at += 8) l.b.store(to, at, l.b.constant(0));
        return;
    }
    const int64_t flags = user ? user_stack : frames_on_top(l.way, l.b);
    const auto lost = [&](LossKind kind) { return l.b.constant(l.unit.loss(kind, 0)); };
    const uint32_t stacks = stack_map(l.unit), room = stack_room_map(l.unit);
    const ir::Value fresh =
        l.b.call(ir::Library::stack, {ir::context(l.b), to, l.b.map(room), l.b.map(stacks), l.b.constant(frames * 8),
                                      l.b.constant(flags), lost(LossKind::stack_collision), lost(LossKind::stacks_full),
                                      lost(LossKind::stack_busy), user ? own_process(l) : l.b.constant(0)});
    if (user) l.b.branch(fresh, [&] { report_new_stack(l, to); });
}

// Preallocated: a program that can interrupt anything cannot allocate.
uint32_t stack_map(Unit& unit) {
    const uint32_t stacks =
        unit.shared_map({std::string(stacks_symbol), ir::Storage::hash, stack_size, stack_room, stacks_kept, true});
    stack_room_map(unit);
    return stacks;
}

uint32_t stack_room_map(Unit& unit) {
    return unit.shared_map({"lt_stack_room", ir::Storage::per_cpu_array, 4, stack_room, stacks_nested, false});
}

}  // namespace lt
