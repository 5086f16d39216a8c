#include "codegen/typed/host.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "runtime/border/host_calls.h"

namespace lt {
namespace {

// The library functions that read kernel state.
constexpr std::array kernel_functions{ir::Library::task_state,  ir::Library::hash_state,   ir::Library::span_age,
                                      ir::Library::stack,       ir::Library::stack_length, ir::Library::walk,
                                      ir::Library::keep_trigger};

bool asks_kernel(const ir::Op& op) {
    if (op.code == ir::Code::helper) return !on_host(op.number);
    if (op.code == ir::Code::relocation || op.code == ir::Code::c_call) return true;
    if (op.code != ir::Code::call) return false;
    return std::ranges::find(kernel_functions, static_cast<ir::Library>(op.symbol)) != kernel_functions.end();
}

// The maps that assignments, ++ and -- write, and whether they only count up or down, or change bits.
struct Write {
    ast::ExprId target;
    bool counts;
    bool changes_bits;
};
std::vector<Write> writes(const ast::Program& program) {
    std::vector<Write> out;
    for (const ast::Stmt& stmt : program.stmts) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        if (!assign) continue;
        const bool counts = assign->op == ast::BinaryOp::add || assign->op == ast::BinaryOp::subtract;
        out.push_back({assign->target, counts, assign->op && change_of_bits(*assign->op)});
    }
    for (const ast::Expr& expr : program.exprs) {
        if (const auto* step = std::get_if<ast::Step>(&expr.node)) out.push_back({step->target, true, false});
    }
    return out;
}

// The role of an expression that names a map.
enum class MapRole : uint8_t { read, counted, shown, cleared, changed };

std::vector<MapRole> uses_of_maps(const ast::Program& program) {
    std::vector<MapRole> out(program.exprs.size(), MapRole::read);
    const auto mark = [&](ast::ExprId id, MapRole role) { out[static_cast<size_t>(id)] = role; };
    for (const ast::Expr& expr : program.exprs) {
        if (const auto* step = std::get_if<ast::Step>(&expr.node)) mark(step->target, MapRole::changed);
        const auto* call = std::get_if<ast::Call>(&expr.node);
        const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
        if (!row) continue;
        const auto* map = program.get<ast::Map>(call->arguments[0]);
        if (row->id == Function::print && map && !map->has_key) mark(call->arguments[0], MapRole::shown);
        if (row->id == Function::clear) mark(call->arguments[0], MapRole::cleared);
        if (row->id == Function::zero || row->id == Function::remove)
            for (ast::ExprId argument : call->arguments) mark(argument, MapRole::changed);
    }
    for (const ast::Stmt& stmt : program.stmts) {
        if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
            const bool counts = assign->op == ast::BinaryOp::add || assign->op == ast::BinaryOp::subtract;
            mark(assign->target, counts ? MapRole::counted : MapRole::changed);
        }
        const auto* evaluate = std::get_if<ast::Evaluate>(&stmt.node);
        const auto* step = evaluate ? program.get<ast::Step>(evaluate->value) : nullptr;
        if (step) mark(step->target, MapRole::counted);
    }
    return out;
}

// The maps that a block empties, and the maps that it uses other than in print(@map).
class Report {
  public:
    explicit Report(const ast::Program& program) : program_(program) {}

    void block(const ast::Block& block) {
        ast::walk(program_, block, [&](ast::ExprId id) {
            if (const auto* call = program_.get<ast::Call>(id); call && is_done_by_lt(*call)) return false;
            if (const auto* map = program_.get<ast::Map>(id)) used_.insert(map->name);
            return true;
        });
    }
    bool empties_what_it_uses() const {
        return std::ranges::any_of(emptied_, [&](const std::string& name) { return used_.contains(name); });
    }

  private:
    bool is_done_by_lt(const ast::Call& call) {
        const FunctionRow* row = call.arguments.empty() ? nullptr : find_function(call.name);
        const auto* map = row ? program_.get<ast::Map>(call.arguments[0]) : nullptr;
        if (!map || map->has_key) return false;
        const bool empties = row->id == Function::clear || row->id == Function::zero;
        if (empties) emptied_.insert(map->name);
        return empties || row->id == Function::print;
    }

    const ast::Program& program_;
    std::set<std::string> emptied_, used_;
};

}  // namespace

bool empties_what_it_uses(const ast::Program& program, const ast::Block& block) {
    Report report(program);
    report.block(block);
    return report.empties_what_it_uses();
}

bool host_possible(const ResolvedPlace& place) {
    const Place sort = probe_row(place.kind).place;
    return sort == Place::nothing || sort == Place::period || sort == Place::signal;
}

std::optional<SharedChange> change_of_bits(ast::BinaryOp op) {
    if (op == ast::BinaryOp::bit_and) return SharedChange::bit_and;
    if (op == ast::BinaryOp::bit_or) return SharedChange::bit_or;
    if (op == ast::BinaryOp::bit_xor) return SharedChange::bit_xor;
    return {};
}

ChangedByBoth changed_by_both(const ast::Program& program, const Typed& typed) {
    ChangedByBoth out{std::vector(typed.maps.size(), false), std::vector(typed.maps.size(), false)};
    std::vector<bool> there(typed.maps.size(), false);
    for (const Write& write : writes(program)) {
        for (const Body& body : typed.bodies) {
            const auto* use = std::get_if<MapUse>(&body.uses[static_cast<size_t>(write.target)]);
            if (!use) continue;
            if (!body.host) there[use->index] = true;
            if (body.host && write.counts) out.counted[use->index] = true;
            if (body.host && write.changes_bits) out.in_bits[use->index] = true;
        }
    }
    const std::vector<bool> apart = kept_per_cpu(program, typed);
    for (size_t i = 0; i < there.size(); i++) {
        const MapInfo& map = typed.maps[i];
        const bool fits = there[i] && !apart[i] && !map.key.empty() && map.value.kind == Kind::integer;
        out.counted[i] = out.counted[i] && fits;
        out.in_bits[i] = out.in_bits[i] && fits;
    }
    return out;
}

std::vector<bool> kept_per_cpu(const ast::Program& program, const Typed& typed) {
    std::vector<bool> out = only_counted(program, typed);
    for (size_t i = 0; i < out.size(); i++) out[i] = out[i] && !typed.maps[i].declared;
    return out;
}

std::vector<bool> only_counted(const ast::Program& program, const Typed& typed) {
    std::vector<bool> out(typed.maps.size(), false);
    const std::vector<MapRole> roles = uses_of_maps(program);
    for (const Body& body : typed.bodies) {
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* use = std::get_if<MapUse>(&body.uses[i]);
            if (use && body.host && roles[i] == MapRole::cleared) out[use->index] = true;
        }
    }
    for (const Body& body : typed.bodies) {
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* use = std::get_if<MapUse>(&body.uses[i]);
            const bool fits = roles[i] == MapRole::counted || roles[i] == MapRole::shown ||
                              roles[i] == MapRole::cleared || (roles[i] == MapRole::read && body.host);
            if (use && !fits) out[use->index] = false;
        }
    }
    for (size_t i = 0; i < out.size(); i++) {
        out[i] = out[i] && typed.maps[i].value.kind == Kind::integer;
    }
    return out;
}

std::optional<Span> asks_kernel(const ir::Block& block) {
    for (const ir::Op& op : block) {
        if (asks_kernel(op)) return op.span;
        for (const ir::Block& inner : op.blocks) {
            if (const auto found = asks_kernel(inner)) return found;
        }
    }
    return std::nullopt;
}

}  // namespace lt
