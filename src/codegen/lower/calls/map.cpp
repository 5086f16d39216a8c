// Functions of maps: printing, clearing, counting keys, and reading aggregations.
#include "codegen/lower/maps/map.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/maps/change.h"
#include "codegen/lower/maps/statistics.h"
#include "codegen/lower/maps/walk.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/values/stack.h"
#include "codegen/lower/values/text.h"

namespace lt {
namespace {

// clear() removes what was printed before, or what a block that lt runs has read.
template <EventKind kind>
void empty(Lowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = kind;
    e.map = std::get<MapUse>(l.use(node.arguments[0])).index;
    e.printed = l.printed_maps.contains(e.map) || (kind == EventKind::clear && l.read_maps.contains(e.map));
    emit_values(l, std::move(e), {});
}

void remove_all(Lowering& l, const ast::Call& node) {
    for (ast::ExprId map : node.arguments) remove_key(l, map);
}

void print(Lowering& l, const ast::Call& node) {
    if (const auto* span_use = std::get_if<SpanUse>(&l.use(node.arguments[0]))) {
        PlannedEvent open;
        open.kind = EventKind::spans;
        open.map = span_use->index;
        return emit_values(l, std::move(open), {});
    }
    if (l.type(node.arguments[0]).aggregation == Aggregation::samples &&
        std::holds_alternative<ast::Call>(l.program[node.arguments[0]].node))
        return print_histogram(l, std::get<ast::Call>(l.program[node.arguments[0]].node));
    const auto* map = std::get_if<ast::Map>(&l.program[node.arguments[0]].node);
    if (l.type(node.arguments[0]).kind == Kind::aggregation) {
        if (const auto* pair = std::get_if<PairUse>(&l.use(node.arguments[0])))
            return print_entry(l, pair->map, l.pairs.at(pair->local).key);
        const uint32_t index = std::get<MapUse>(l.use(node.arguments[0])).index;
        if (map && map->has_key) return print_entry(l, index, key_of(l, index, *map));
    }
    PlannedEvent e;
    e.kind = map && !map->has_key ? EventKind::map : EventKind::value;
    if (e.kind == EventKind::value) return emit_values(l, std::move(e), {node.arguments[0]});
    e.map = std::get<MapUse>(l.use(node.arguments[0])).index;
    if (l.on_host()) l.read_maps.insert(e.map);
    const auto number = [&](size_t i) { return std::get<ast::Integer>(l.program[node.arguments[i]].node).value; };
    if (node.arguments.size() > 1) e.top = static_cast<uint32_t>(number(1));
    if (node.arguments.size() > 2) e.divisor = std::max<int64_t>(static_cast<int64_t>(number(2)), 1);
    emit_values(l, std::move(e), {});
}

ir::Value has_key(Lowering& l, ast::ExprId, const ast::Call& node) { return is_set(l, node.arguments[0]); }

ir::Value map_length(Lowering& l, ast::ExprId, const ast::Call& node) {
    if (l.type(node.arguments[0]).kind == Kind::stack) {
        const ir::Value stack = text_of(l, node.arguments[0], stack_size);
        return l.b.call(ir::Library::stack_length, {l.b.map(stack_map(l.unit)), stack});
    }
    const uint32_t map = std::get<MapUse>(l.use(node.arguments[0])).index;
    if (is_scalar(l.unit.map(map))) return is_set(l, node.arguments[0]);
    const uint32_t count = l.b.new_slot();
    l.b.write(count, l.b.constant(0));
    if (l.on_host()) return walk_length(l, map);
    if (!l.unit.typed.abilities.map_walk)
        l.unit.diags.error(l.b.where(), "BPF programs of this kernel cannot count the keys of a map (needs Linux 5.13)")
            .hint = "count them in `END` or `interval`, which lt itself runs";
    l.b.each(map, [&] { l.b.write(count, l.b.alu(ir::Alu::add, l.b.read(count), l.b.constant(1))); });
    return l.b.read(count);
}

ir::Value removed(Lowering& l, ast::ExprId, const ast::Call& node) {
    const ast::ExprId id = node.arguments[0];
    if (l.unit.map(std::get<MapUse>(l.use(id)).index).shape != MapShape::per_cpu_array) return remove_key(l, id);
    const ir::Value was = is_set(l, id);
    remove_key(l, id);
    return was;
}

ir::Value statistic(Lowering& l, ast::ExprId, const ast::Call& node) {
    return statistic_value(l, find_function(node.name)->id, node.arguments[0]);
}

// function, number, bytes, statement
constexpr CodeRule map_rules[] = {
    {Function::print, nullptr, nullptr, print},
    {Function::clear, nullptr, nullptr, empty<EventKind::clear>},
    {Function::zero, nullptr, nullptr, empty<EventKind::zero>},
    {Function::remove, removed, nullptr, remove_all},
    {Function::has_key, has_key},
    {Function::length, map_length},
    {Function::count_of, statistic},
    {Function::sum_of, statistic},
    {Function::min_of, statistic},
    {Function::max_of, statistic},
    {Function::avg_of, statistic},
    {Function::variance_of, statistic},
};

}  // namespace

std::span<const CodeRule> map_code() { return map_rules; }

}  // namespace lt
