#include "codegen/lower/maps/change.h"

#include <linux/bpf.h>

#include "codegen/ir/outside.h"
#include "codegen/lower/maps/collect.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/statements/error.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/host.h"
#include "runtime/border/host_calls.h"

namespace lt {
namespace {

// All CPUs share the value: what has an instruction is done by one.
std::optional<ir::Library> change_at_once(ast::BinaryOp op) {
    if (op == ast::BinaryOp::bit_and) return ir::Library::and_;
    if (op == ast::BinaryOp::bit_or) return ir::Library::or_;
    if (op == ast::BinaryOp::bit_xor) return ir::Library::xor_;
    return {};
}

// The value is computed before the key or after it, as the language has it.
void set_value(Lowering& l, const ast::Assign& node, const ast::Map& target, uint32_t map) {
    const auto value = [&] {
        const Type held = l.unit.map(map).value;
        return in_memory(held) ? value_as(l, node.value, held) : integer_of(l, node.value);
    };
    std::optional<ir::Value> first;
    if (l.program.settings.value_first) first = value();
    const ir::Value key = key_of(l, map, target);
    store_value(l, map, key, [&] { return first ? *first : value(); }, l.program[node.target].span);
}

}  // namespace

void assign_map(Lowering& l, const ast::Assign& node, const ast::Map& target, uint32_t map) {
    if (const auto* called = std::get_if<ast::Call>(&l.program[node.value].node)) {
        const FunctionRow* row = find_function(called->name);
        if (row && row->aggregation != Aggregation::none)
            return collect(l, map, key_of(l, map, target), *row, *called, l.program[node.target].span);
    }
    if (!node.op) return set_value(l, node, target, map);
    std::optional<ir::Value> first;
    if (!l.program.settings.value_first) first = key_of(l, map, target);
    ir::Value v = scaled(l, integer_of(l, node.value), l.unit.map(map).value, l.type(node.value));
    if_no_divisor(l, *node.op, v, node.target, node.value, true);
    const ir::Value key = first ? *first : key_of(l, map, target);
    const bool adds = *node.op == ast::BinaryOp::add || *node.op == ast::BinaryOp::subtract;
    if (l.on_host() && adds && !l.unit.map(map).adder.empty()) {
        if (*node.op == ast::BinaryOp::subtract) v = l.b.alu(ir::Alu::sub, l.b.constant(0), v);
        ir::host(l.b, HostCall::add, {l.b.map(map), key, v});
        return;
    }
    if (const auto how = change_of_bits(*node.op); how && l.on_host() && !l.unit.map(map).adder.empty()) {
        ir::host(l.b, HostCall::bits, {l.b.map(map), key, v, l.b.constant(static_cast<int64_t>(*how))});
        return;
    }
    const bool is_signed = signed_operation(l.program, l.body, node, l.type(node.target));
    with_slot(l, map, key, l.program[node.target].span, [&](ir::Value slot) {
        if (*node.op == ast::BinaryOp::add) {
            l.b.call(ir::Library::add, {slot, v, is_alone(l, map)});
        } else if (*node.op == ast::BinaryOp::subtract) {
            l.b.call(ir::Library::add, {slot, l.b.alu(ir::Alu::sub, l.b.constant(0), v), is_alone(l, map)});
        } else if (const auto change = change_at_once(*node.op)) {
            l.b.call(*change, {slot, v});
        } else {
            l.b.store(slot, 0, arithmetic(l, *node.op, is_signed, l.b.load(slot, 0), v));
        }
    });
}

ir::Value step_map(Lowering& l, const ast::Step& node, uint32_t map) {
    const int64_t step = element_size(l.unit.map(map).value);
    const ir::Value change = l.b.constant(node.op == ast::BinaryOp::add ? step : -step);
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    const ir::Value key = key_of(l, map, std::get<ast::Map>(l.program[node.target].node));
    if (l.on_host() && !l.unit.map(map).adder.empty()) {
        const ir::Value before = ir::host(l.b, HostCall::add, {l.b.map(map), key, change});
        return node.before ? l.b.alu(ir::Alu::add, before, change) : before;
    }
    with_slot(l, map, key, l.program[node.target].span, [&](ir::Value slot) {
        const ir::Value before = l.b.call(ir::Library::add_after, {slot, change});
        l.b.write(result, node.before ? l.b.alu(ir::Alu::add, before, change) : before);
    });
    return l.b.read(result);
}

ir::Value remove_key(Lowering& l, ast::ExprId id) {
    const auto& map_node = std::get<ast::Map>(l.program[id].node);
    const uint32_t map = std::get<MapUse>(l.use(id)).index;
    const PlannedMap& m = l.unit.map(map);
    if (m.shape == MapShape::per_cpu_array) {  // a program reaches only its own CPU's value: the runtime unsets all
        PlannedEvent e;
        e.kind = EventKind::clear;
        e.map = map;
        emit_values(l, std::move(e), {});
        return l.b.constant(1);
    }
    const ir::Value key = key_of(l, map, map_node);
    if (!is_scalar(m)) {
        const ir::Value failed = l.b.extend(l.b.helper(BPF_FUNC_map_delete_elem, {l.b.map(map), key}), 4, true);
        return l.b.alu(ir::Alu::eq, failed, l.b.constant(0));
    }
    const uint32_t was = l.b.new_slot();
    l.b.write(was, l.b.constant(0));
    const ir::Value slot = l.b.find(map, key);
    l.b.branch(slot, [&] {
        l.b.write(was, truth(l, l.b.load(slot, m.value_size - scalar_mark)));
        for (uint32_t at = 0; at < m.value_size; at += 8) l.b.store(slot, at, l.b.constant(0));
    });
    return l.b.read(was);
}

}  // namespace lt
