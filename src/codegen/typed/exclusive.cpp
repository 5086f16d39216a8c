#include "codegen/typed/exclusive.h"

#include <algorithm>
#include <optional>

#include "codegen/ir/way_code.h"

namespace lt {
namespace {

bool interrupts(const Body& body) {
    if (serves_system_calls(body.place)) return false;  // a thread makes system calls itself, so they interrupt nothing
    return std::ranges::any_of(body.place.rungs, [](const Rung& rung) {
        return rung.refused.empty() && way_code(rung.way).running == Running::anywhere;
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
    : calls_preempted_(typed.abilities.calls_preempted),
      maps_(typed.maps.size(), true),
      spans_(typed.spans.size(), true) {
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

// Since Linux 7.2, programs at system calls run like those of uprobes (trace_call_bpf_faultable).
bool Exclusive::in_turn(Way way, const ResolvedPlace& place) const {
    return way_code(way).running == Running::in_turn && !(calls_preempted_ && is_system_call(place));
}

bool Exclusive::map(uint32_t map, Way way, const ResolvedPlace& place) const {
    return maps_[map] && in_turn(way, place);
}

bool Exclusive::books(uint32_t span, Way way, const ResolvedPlace& place) const {
    return spans_[span] && in_turn(way, place);
}

}  // namespace lt
