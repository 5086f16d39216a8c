#include "codegen/lower/maps/walk.h"

#include "codegen/ir/outside.h"
#include "codegen/lower/maps/fold.h"
#include "codegen/lower/statements/loops.h"
#include "codegen/lower/values/key_part.h"
#include "codegen/lower/values/value.h"
#include "runtime/border/host_calls.h"

namespace lt {
namespace {

// The order, the limit, and the given parts of the key: the arguments of `walk` after the map.
ir::Value begin_walk(Lowering& l, const ast::ForMap& node, uint32_t map) {
    constexpr int64_t no_limit = -1;
    WalkOrder order;
    order.by = static_cast<uint8_t>(ast::MapOrder::By::key);
    if (node.order) {
        order.by = static_cast<uint8_t>(node.order->by);
        order.part = static_cast<uint8_t>(node.order->part ? *node.order->part + 1 : 0);
        order.descending = node.order->descending;
    }
    order.as_they_came = !node.order && l.unit.map(map).keeps_order;
    ir::Value limit = node.limit ? integer_of(l, *node.limit) : l.b.constant(no_limit);
    if (node.limit) limit = l.b.alu(ir::Alu::mul, limit, l.b.alu(ir::Alu::sgt, limit, l.b.constant(0)));
    const std::vector<ast::ExprId>& given = std::get<ast::Map>(l.program[node.map].node).key;
    const PlannedMap& m = l.unit.map(map);
    int64_t parts = 0;
    uint32_t offset = 0;
    const ir::Value key = given.empty() ? l.b.constant(0) : l.b.buffer(padded_size(m.key_size));
    for (size_t i = 0; i < given.size(); i++) {
        if (!std::holds_alternative<ast::AnyPart>(l.program[given[i]].node)) {
            parts |= int64_t{1} << i;
            key_part_into(l, given[i], key, offset, m.key[i]);
        }
        offset += padded_size(m.key[i].size);
    }
    return ir::host(l.b, HostCall::walk, {l.b.map(map), l.b.constant(order.packed()), limit, key, l.b.constant(parts)});
}

ir::Value pair_bytes(Lowering& l, const PairUse& pair) {
    const Pair& at = l.pairs.at(pair.local);
    if (pair.is_value) return at.value;
    uint32_t offset = 0;
    for (uint32_t i = 0; i < pair.part; i++) offset += padded_size(l.unit.map(pair.map).key[i].size);
    return offset == 0 ? at.key : l.b.address(at.key, offset);
}

}  // namespace

void walk_map(Lowering& l, const ast::Stmt& stmt, const ast::ForMap& node) {
    const uint32_t map = std::get<MapUse>(l.use(node.map)).index, local = l.declared(stmt);
    const ir::Value walk = begin_walk(l, node, map);
    l.read_maps.insert(map);
    l.b.loop(ir::host(l.b, HostCall::count, {walk}), [&] {
        const ir::Value entry = ir::host(l.b, HostCall::entry, {walk, l.b.turn()});
        l.pairs[local] = {entry, l.b.address(entry, l.unit.map(map).key_size)};
        run_turn(l, node.body);
    });
    ir::host(l.b, HostCall::drop, {walk});
}

ir::Value walk_length(Lowering& l, uint32_t map) {
    const int64_t order = WalkOrder{static_cast<uint8_t>(ast::MapOrder::By::key), 0, false, true}.packed();
    const ir::Value walk = ir::host(
        l.b, HostCall::walk, {l.b.map(map), l.b.constant(order), l.b.constant(-1), l.b.constant(0), l.b.constant(0)});
    const ir::Value count = ir::host(l.b, HostCall::count, {walk});
    ir::host(l.b, HostCall::drop, {walk});
    return count;
}

// The value follows the key, as in a tuple of the two.
void pair_into(Lowering& l, const PairUse& pair, ir::Value to, uint32_t room) {
    if (!pair.is_both) return l.b.copy(to, 0, pair_bytes(l, pair), room);
    const PlannedMap& map = l.unit.map(pair.map);
    const Pair& at = l.pairs.at(pair.local);
    l.b.copy(to, 0, at.key, map.key_size);
    if (in_memory(map.value)) return l.b.copy(to, map.key_size, at.value, padded_size(map.value.size));
    l.b.store(to, map.key_size, pair_integer(l, {pair.local, pair.map, true, 0}));
}

ir::Value pair_integer(Lowering& l, const PairUse& pair) {
    const bool per_cpu = l.unit.map(pair.map).value.kind == Kind::aggregation;
    if (pair.is_value && l.on_host() && per_cpu)
        return folded_value(l, l.unit.map(pair.map).value, pair_bytes(l, pair));
    if (pair.is_value && per_cpu) return folded_number(l, pair.map, l.pairs.at(pair.local).key);
    return l.b.load(pair_bytes(l, pair), 0);
}

}  // namespace lt
