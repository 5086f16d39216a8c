#include "codegen/typed/exclusive.h"

#include <algorithm>
#include <optional>

#include "codegen/ir/way_code.h"

namespace lt {
namespace {

// Raw tracepoint programs at sched_switch run while the CPU's interrupts are off (__schedule() in kernel/sched/core.c).
bool is_uninterrupted(Way way, const ResolvedPlace& place) {
    constexpr std::string_view event = "sched_switch";
    return (way == Way::raw_tracepoint || way == Way::typed_tracepoint) &&
           (event_place(place).arguments_of == event || kernel_function(place).name == event);
}

// Can a program of the body run in such a way?
template <class Is>
bool may_run(const Body& body, Is is) {
    // a thread makes system calls itself, so they interrupt nothing
    if (serves_system_calls(body.place)) return false;
    return std::ranges::any_of(body.place.rungs, [&](const Rung& r) { return r.refused.empty() && is(r.way); });
}

bool interrupts(const Body& body) {
    return may_run(body, [](Way way) { return way_code(way).running == Running::anywhere; });
}

bool is_interrupted(const Body& body) {
    return serves_system_calls(body.place) || may_run(body, [&](Way way) {
               return way_code(way).running != Running::outside && !is_uninterrupted(way, body.place);
           });
}

// clear(), zero() and delete() remove a value from outside: a program that has just read it would write it back.
std::optional<uint32_t> emptied(const Body& body, const ast::Expr& expr) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
    if (!row || (row->id != Function::clear && row->id != Function::zero && row->id != Function::remove)) return {};
    const auto* map = std::get_if<MapUse>(&body.uses[static_cast<size_t>(call->arguments[0])]);
    return map ? std::optional(map->index) : std::nullopt;
}

}  // namespace

Exclusive::Exclusive(const ast::Program& program, const Typed& typed)
    : calls_preempted_(typed.abilities.calls_preempted), maps_(typed.maps.size()), spans_(typed.spans.size()) {
    for (const Body& body : typed.bodies) {
        for (const ast::Expr& expr : program.exprs) {
            if (const auto map = emptied(body, expr)) maps_[*map] = {false, false};
        }
        const bool interrupting = interrupts(body), interrupted = is_interrupted(body);
        const auto used = [&](Users& by) {
            if (interrupting) by.in_turn = false;
            if (interrupted) by.uninterrupted = false;
        };
        if (body.span != no_span) used(spans_[body.span]);
        for (const Use& use : body.uses) {
            if (const auto* map = std::get_if<MapUse>(&use)) used(maps_[map->index]);
        }
    }
}

// Since Linux 7.2, programs at system calls run like those of uprobes (trace_call_bpf_faultable).
bool Exclusive::in_turn(Way way, const ResolvedPlace& place) const {
    return way_code(way).running == Running::in_turn && !(calls_preempted_ && is_system_call(place));
}

bool Exclusive::alone(const Users& users, Way way, const ResolvedPlace& place) const {
    return (users.in_turn && in_turn(way, place)) || (users.uninterrupted && is_uninterrupted(way, place));
}

bool Exclusive::map(uint32_t map, Way way, const ResolvedPlace& place) const { return alone(maps_[map], way, place); }

bool Exclusive::books(uint32_t span, Way way, const ResolvedPlace& place) const {
    return alone(spans_[span], way, place);
}

}  // namespace lt
