#include "codegen/typed/sampled.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

// Functions that do more than collect, print or compute a value.
constexpr std::array acting{Function::exit,    Function::clear,      Function::zero,          Function::remove,
                            Function::system,  Function::signal,     Function::signal_thread, Function::override_,
                            Function::assert_, Function::fail,       Function::age,           Function::setsockopt,
                            Function::delay,   Function::write_user, Function::snapshot};

bool acts(Function f) { return std::ranges::find(acting, f) != acting.end(); }

// Expressions that name a map to collect into it, print it or empty it.
std::vector<bool> collecting_uses(const ast::Program& program, const Typed& typed) {
    std::vector<bool> out(program.exprs.size(), false);
    const auto mark = [&](ast::ExprId id) { out[static_cast<size_t>(id)] = true; };
    const auto is_aggregation = [&](ast::ExprId target) {
        const auto of = [&](const Body& body) {
            const auto* use = std::get_if<MapUse>(&body.uses[static_cast<size_t>(target)]);
            return use && typed.maps[use->index].value.kind == Kind::aggregation;
        };
        return std::ranges::any_of(typed.bodies, of);
    };
    for (const ast::Stmt& stmt : program.stmts) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        if (assign && (assign->op == ast::BinaryOp::add || is_aggregation(assign->target))) mark(assign->target);
        const auto* evaluate = std::get_if<ast::Evaluate>(&stmt.node);
        const auto* step = evaluate ? program.get<ast::Step>(evaluate->value) : nullptr;
        if (step) mark(step->target);
    }
    for (const ast::Expr& expr : program.exprs) {
        const auto* call = std::get_if<ast::Call>(&expr.node);
        const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
        if (!row) continue;
        if (row->id != Function::print && row->id != Function::clear && row->id != Function::zero) continue;
        const auto* map = program.get<ast::Map>(call->arguments[0]);
        if (map && !map->has_key) mark(call->arguments[0]);
    }
    return out;
}

// True if no BPF program reads the map.
bool only_collects(const Typed& typed, const std::vector<bool>& collecting, uint32_t map) {
    for (const Body& body : typed.bodies) {
        for (size_t i = 0; !body.host && i < body.uses.size(); i++) {
            const auto* use = std::get_if<MapUse>(&body.uses[i]);
            if (use && use->index == map && !collecting[i]) return false;
            const auto* pair = std::get_if<PairUse>(&body.uses[i]);
            if (pair && pair->map == map) return false;
        }
    }
    return true;
}

bool is_honest(const Typed& typed, const std::vector<bool>& collecting, const Body& body) {
    for (size_t i = 0; i < body.uses.size(); i++) {
        const auto* use = std::get_if<CallUse>(&body.uses[i]);
        if (use && acts(use->id)) return false;
    }
    for (const uint32_t map : maps_of(body))
        if (!only_collects(typed, collecting, map)) return false;
    return true;
}

}  // namespace

std::vector<uint32_t> maps_of(const Body& body) {
    std::vector<uint32_t> out;
    for (const Use& use : body.uses) {
        const auto* map = std::get_if<MapUse>(&use);
        if (map && std::ranges::find(out, map->index) == out.end()) out.push_back(map->index);
    }
    return out;
}

bool is_asked_for(const ast::Program& program, const Typed& typed, uint32_t span) {
    const auto asks = [&](const Body& body) {
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* use = std::get_if<CallUse>(&body.uses[i]);
            if (!use || use->id != Function::age) continue;
            const auto& call = std::get<ast::Call>(program.exprs[i].node);
            const auto* about = std::get_if<SpanUse>(&body.uses[static_cast<size_t>(call.arguments[0])]);
            if (about && about->index == span) return true;
        }
        return false;
    };
    return std::ranges::any_of(typed.bodies, asks);
}

bool can_be_sampled(const ast::Program& program, const Typed& typed, const Body& body) {
    if (body.host || run_by_lt(probe_row(body.place.kind).place)) return false;
    const std::vector<bool> collecting = collecting_uses(program, typed);
    if (body.role == Role::action) return is_honest(typed, collecting, body);
    if (body.role == Role::close || is_asked_for(program, typed, body.span)) return false;
    return std::ranges::all_of(typed.bodies, [&](const Body& other) {
        return other.span != body.span || is_honest(typed, collecting, other);
    });
}

}  // namespace lt
