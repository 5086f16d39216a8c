#include "exclusive.h"

#include <algorithm>
#include <optional>

namespace lt {
namespace {

// What the kernel promises of programs that are run in some way.
enum class Running : uint8_t {
    // Without preemption, and never two of this kind at one time on a CPU: an event that hits while one of them runs,
    // in
    // an interrupt or an NMI, is skipped and counted as a miss of its program. It is the kernel's counter
    // bpf_prog_active, asked in trace_call_bpf (perf events on tracepoints and kprobes) and in bpf_overflow_handler
    // (perf events with a sample, such as breakpoints).
    in_turn,
    // In a thread's own time: it can be interrupted, but comes into no other program's way. uprobes run at an exception
    // out of user space, preemptible; BPF_PROG_TEST_RUN, for what the runtime runs, and iterators in a system call.
    // Links to many kprobes ask bpf_prog_active, too, so they come into nobody's way; but that their programs cannot be
    // preempted is not promised by every kernel.
    outside,
    // In an interrupt, too, and in the middle of all others: trampolines and raw tracepoints are stopped by nothing but
    // their own program.
    anywhere,
};

Running running(Way way) {
    switch (way) {
        case Way::tracepoint:
        case Way::system_call:
        case Way::kprobe:
        case Way::breakpoint:
        case Way::perf_event:
            return Running::in_turn;
        case Way::run:
        case Way::host:
        case Way::kprobe_session:
        case Way::kprobe_multi:
        case Way::uprobe_session:
        case Way::uprobe_multi:
        case Way::uprobe:
        case Way::walk:
        case Way::iterator:
            return Running::outside;
        case Way::fentry:
        case Way::raw_tracepoint:
        case Way::sockets:
            return Running::anywhere;
    }
    return Running::anywhere;
}

bool interrupts(const Body& body) {
    if (serves_system_calls(body.place)) return false;  // which threads make in their own time
    return std::any_of(body.place.rungs.begin(), body.place.rungs.end(),
                       [](const Rung& rung) { return rung.refused.empty() && running(rung.way) == Running::anywhere; });
}

// clear(), zero() and delete() take a value away from outside: a program that has just read it would write it back.
std::optional<uint32_t> emptied(const Body& body, const ast::Expr& expr) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
    if (!row || (row->id != Function::clear && row->id != Function::zero && row->id != Function::remove)) return {};
    const auto* map = std::get_if<MapUse>(&body.uses[static_cast<size_t>(call->arguments[0])]);
    return map ? std::optional(map->index) : std::nullopt;
}

}  // namespace

Exclusive::Exclusive(const ast::Program& program, const Typed& typed)
    : maps_(typed.maps.size(), true), spans_(typed.spans.size(), true) {
    for (const Body& body : typed.bodies) {
        for (const ast::Expr& expr : program.exprs) {
            if (const auto map = emptied(body, expr)) maps_[*map] = false;
        }
        if (!interrupts(body)) continue;
        if (body.span != no_span) spans_[body.span] = false;
        for (const Use& use : body.uses) {
            if (const auto* map = std::get_if<MapUse>(&use)) maps_[map->index] = false;
        }
    }
}

bool Exclusive::map(uint32_t map, Way way) const { return maps_[map] && running(way) == Running::in_turn; }

bool Exclusive::books(uint32_t span, Way way) const { return spans_[span] && running(way) == Running::in_turn; }

}  // namespace lt
