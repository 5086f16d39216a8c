#include "codegen/lower/maps/map.h"

#include <linux/bpf.h>

#include <functional>

#include "codegen/ir/outside.h"
#include "codegen/lower/maps/fold.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/statements/error.h"
#include "codegen/lower/values/key_part.h"
#include "codegen/lower/values/operators.h"
#include "runtime/border/host_calls.h"

namespace lt {

bool is_scalar(const PlannedMap& map) { return map.key.empty(); }

ir::Value key_of(Lowering& l, uint32_t map, const ast::Map& node) {
    const PlannedMap& m = l.unit.map(map);
    if (is_scalar(m)) return l.b.text(l.unit.zeros(m.key_size));
    const ir::Value key = l.b.buffer(padded_size(m.key_size) + (m.generation ? generation_size : 0));
    if (node.key.size() == 1 && is_key_of_parts(l.type(node.key[0]))) {
        key_part_into(l, node.key[0], key, 0, tuple_type(m.key));
        return key;
    }
    uint32_t offset = 0;
    for (size_t i = 0; i < node.key.size(); i++) {
        const uint32_t room = padded_size(m.key[i].size);
        key_part_into(l, node.key[i], key, offset, m.key[i]);
        offset += room;
    }
    return key;
}

namespace {

// The same in the current generation, or in lt's own part.
void in_slot(Lowering& l, uint32_t map, ir::Value key, Span where, const std::function<void(ir::Value)>& use_slot) {
    const PlannedMap& m = l.unit.map(map);
    if (is_scalar(m)) {
        const ir::Value slot = l.b.find(map, key);
        l.b.branch(slot, [&] {
            use_slot(slot);
            l.b.store(slot, m.value_size - scalar_mark, l.b.constant(1));
        });
        return;
    }
    const ir::Value zero = l.b.text(l.unit.zeros(m.value_size));
    constexpr int64_t uncounted = UINT32_MAX;  // LT_NO_LOSS
    const auto counted = [&](LossKind kind) { return l.b.constant(l.raises() ? uncounted : l.unit.loss(kind, map)); };
    const ir::Value full = counted(LossKind::map_full), starved = counted(LossKind::map_no_memory);
    const ir::Value slot = l.b.call(ir::Library::slot, {l.b.map(map), key, zero, full, starved});
    const auto found = [&] {
        note_arrival(l.b, m, slot);
        use_slot(slot);
    };
    if (!l.raises()) return l.b.branch(slot, found);
    l.b.branch(slot, found, [&] { map_overflow(l, where); });
}

}  // namespace

void with_generation(Builder& b, Unit& unit, uint32_t map, const std::function<void(ir::Value)>& use_generation) {
    const ir::Value words = b.find(generations_map(unit), b.text(unit.zeros(4)));
    b.branch(words, [&] { use_generation(b.load(words, generation_size * *unit.map(map).generation)); });
}

void with_slot(Lowering& l, uint32_t map, ir::Value key, Span where, const std::function<void(ir::Value)>& use_slot) {
    const PlannedMap& m = l.unit.map(map);
    if (!m.generation || l.on_host()) return in_slot(l, map, key, where, use_slot);
    with_generation(l.b, l.unit, map, [&](ir::Value generation) {
        const ir::Value at = is_scalar(m) ? l.b.buffer(generation_size) : key;
        l.b.store(at, is_scalar(m) ? 0 : m.key_size, generation);
        in_slot(l, map, at, where, use_slot);
    });
}

ir::Value find_value(Lowering& l, uint32_t map, ir::Value key) {
    if (!l.on_host()) return l.b.find(map, key);
    l.read_maps.insert(map);
    return ir::host(l.b, HostCall::read, {l.b.map(map), key});
}

ir::Value is_set(Lowering& l, ast::ExprId id) {
    const uint32_t map = std::get<MapUse>(l.use(id)).index;
    const ir::Value key = key_of(l, map, std::get<ast::Map>(l.program[id].node));
    if (l.unit.map(map).shape == MapShape::per_cpu_array && !l.on_host()) {  // each CPU marks its own value
        need_other_cpus(l);
        return truth(l, folded_most(l, map, key, l.unit.map(map).value_size - scalar_mark));
    }
    const uint32_t found = l.b.new_slot();
    l.b.write(found, l.b.constant(0));
    const ir::Value slot = find_value(l, map, key);
    l.b.branch(slot, [&] {
        const PlannedMap& m = l.unit.map(map);
        l.b.write(found, is_scalar(m) ? truth(l, l.b.load(slot, m.value_size - scalar_mark)) : l.b.constant(1));
    });
    return l.b.read(found);
}

void store_value(Lowering& l, uint32_t map, ir::Value key, const std::function<ir::Value()>& value, Span where) {
    const PlannedMap& m = l.unit.map(map);
    const bool text = in_memory(m.value);
    const uint32_t room = padded_size(m.value.size);
    if (is_scalar(m)) {
        const ir::Value v = value();
        with_slot(l, map, key, where,
                  [&](ir::Value slot) { text ? l.b.copy(slot, 0, v, room) : l.b.store(slot, 0, v); });
        return;
    }
    ir::Value v;
    if (text && !m.keeps_order) {
        v = value();
    } else {
        v = l.b.buffer(m.value_size);
        text ? l.b.copy(v, 0, value(), room) : l.b.store(v, 0, value());
    }
    if (m.keeps_order) {
        const uint32_t at = m.value_size - arrival_mark, came = l.b.new_slot();
        l.b.write(came, l.b.constant(0));
        const ir::Value before = l.b.find(map, key);
        l.b.branch(before, [&] { l.b.write(came, l.b.load(before, at)); });
        l.b.store(v, at, l.b.read(came));
        note_arrival(l.b, m, v);
    }
    const ir::Value failed =
        l.b.extend(l.b.helper(BPF_FUNC_map_update_elem, {l.b.map(map), key, v, l.b.constant(0)}), 4, true);
    if_full(l, failed, map, where);
}

void note_arrival(Builder& b, const PlannedMap& map, ir::Value slot) {
    if (!map.keeps_order) return;
    const uint32_t at = map.value_size - arrival_mark;
    b.branch(b.load(slot, at), [] {}, [&] { b.store(slot, at, b.helper(BPF_FUNC_ktime_get_ns)); });
}

}  // namespace lt
