// Stacks: taken and kept by the library, which leaves the key of the kept one behind. A program's stack that is new is
// told to the runtime at once, so that its functions can be named while its process is still there.
#include <cstddef>

#include "lower.h"

namespace lt {
namespace {

constexpr uint32_t stacks_kept = 16384;
constexpr uint32_t stacks_nested = 4;   // taken at one time on one CPU; as LT_NESTED in stdlib/bpf/stack.bpf.c
constexpr int64_t user_stack = 1 << 8;  // BPF_F_USER_STACK
constexpr int64_t force_wakeup = 2;     // BPF_RB_FORCE_WAKEUP
constexpr uint32_t record_header = 8;   // u32 index, u32 zero
constexpr uint32_t stack_room = 8 + 8 * stack_frames;

}  // namespace

int64_t frames_on_top(Way way, const Builder& b) {
    return way == Way::fentry || way == Way::raw_tracepoint ? 2 + b.loop_frames() : 0;
}

// Preallocated: what interrupts anything cannot allocate. Its index is followed by that of the scratch.
uint32_t Unit::stacks() {
    if (!stacks_) {
        stacks_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({std::string(stacks_symbol), ir::Storage::hash, stack_size, stack_room, stacks_kept, true});
        out_.maps.push_back({"lt_stack_room", ir::Storage::per_cpu_array, 4, stack_room, stacks_nested, false});
    }
    return *stacks_;
}

uint32_t Unit::stack_scratch() { return stacks() + 1; }

uint32_t Unit::new_stack() {
    if (!new_stack_) {
        PlannedEvent e;
        e.kind = EventKind::stack;
        e.fields.push_back({stack_type(), record_header});
        e.size = record_header + stack_size;
        new_stack_ = event(std::move(e));
    }
    return *new_stack_;
}

void BodyLowering::stack_into(Variable which, uint32_t frames, ir::Value to) {
    if (stuck_ != ir::no_value) {  // taken by the runtime, which keeps it where the library would
        unit_.stacks();
        return b_->copy(to, 0, b_->address(stuck_, offsetof(StuckSpan, stack)), stack_size);
    }
    const bool user = which == Variable::ustack;
    if (!user && way_row(way_).user) {  // the thread is in its program: the kernel has no stack of it
        for (uint32_t at = 0; at < stack_size; at += 8) b_->store(to, at, b_->constant(0));
        return;
    }
    const int64_t flags = user ? user_stack : frames_on_top(way_, *b_);
    const auto lost = [&](LossKind kind) { return b_->constant(unit_.loss(kind, 0)); };
    const ir::Value fresh =
        b_->call(ir::Library::stack,
                 {b_->context(), to, b_->map(unit_.stack_scratch()), b_->map(unit_.stacks()), b_->constant(frames * 8),
                  b_->constant(flags), lost(LossKind::stack_collision), lost(LossKind::stacks_full),
                  lost(LossKind::stack_busy), user ? own_process() : b_->constant(0)});
    if (user) b_->branch(fresh, [&] { tell_new_stack(to); });
}

// What the ring buffer has no room for is not lost: the functions are then named when the stack is printed.
void BodyLowering::tell_new_stack(ir::Value stack) {
    const uint32_t index = unit_.new_stack(), ring = unit_.ring();
    const ir::Value room = b_->call(ir::Library::room, {b_->map(ring), b_->constant(unit_.planned(index).size)});
    b_->branch(room, [&] {
        const ir::Value record = b_->reserve(ring, index);
        b_->branch(record, [&] {
            b_->store(record, 0, b_->constant(index));
            b_->copy(record, record_header, stack, stack_size);
            b_->submit(record, b_->constant(force_wakeup));
        });
    });
}

}  // namespace lt
