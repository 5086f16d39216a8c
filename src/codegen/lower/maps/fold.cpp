#include "codegen/lower/maps/fold.h"

#include "codegen/lower/maps/map.h"

namespace lt {
namespace {

constexpr int64_t most_cpus = 8192;

// One number of an aggregation, from what read or entry have folded.
ir::Value folded_at(Lowering& l, uint32_t map, ir::Value value) {
    const Type& type = l.unit.map(map).value;
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    l.b.branch(value, [&] { l.b.write(result, folded_value(l, type, value)); });
    return l.b.read(result);
}

// The largest in the order of order_flip; 0 if there is none.
ir::Value folded_extreme(Lowering& l, uint32_t map, ir::Value key) {
    const Type& value = l.unit.map(map).value;
    const uint32_t most = l.b.new_slot(), any = l.b.new_slot();
    l.b.write(most, l.b.constant(0));
    l.b.write(any, l.b.constant(0));
    l.b.loop(l.b.constant(most_cpus), [&] {
        const ir::Value slot = l.b.find(map, key, l.b.turn());
        l.b.branch(slot, [] {}, [&] { l.b.stop(); });
        l.b.branch(slot, [&] {
            const ir::Value order = l.b.load(slot, 0);
            l.b.write(any, l.b.alu(ir::Alu::bit_or, l.b.read(any), l.b.load(slot, 8)));
            l.b.branch(l.b.alu(ir::Alu::ugt, order, l.b.read(most)), [&] { l.b.write(most, order); });
        });
    });
    const auto flip = static_cast<int64_t>(order_flip(value.aggregation, value.is_signed));
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    l.b.branch(l.b.read(any),
               [&] { l.b.write(result, l.b.alu(ir::Alu::bit_xor, l.b.read(most), l.b.constant(flip))); });
    return l.b.read(result);
}

}  // namespace

void need_other_cpus(Lowering& l) {
    if (l.unit.typed.abilities.cpu_lookup) return;
    l.unit.diags
        .error(l.b.where(), "BPF programs of this kernel cannot read what other CPUs have collected (needs Linux 5.19)")
        .hint = "print the map, read it in `END`, which lt itself runs, or count with `+= 1`";
}

ir::Value folded_number(Lowering& l, uint32_t map, ir::Value key) {
    const Type& value = l.unit.map(map).value;
    if (l.on_host()) return folded_at(l, map, find_value(l, map, key));
    need_other_cpus(l);
    if (is_extreme(value.aggregation)) return folded_extreme(l, map, key);
    const ir::Value first = folded_word(l, map, key, 0);
    if (value.aggregation != Aggregation::avg) return first;
    return average_of(l, value, first, folded_word(l, map, key, 8));
}

ir::Value folded_value(Lowering& l, const Type& type, ir::Value value) {
    if (is_extreme(type.aggregation)) {
        const uint32_t result = l.b.new_slot();
        const auto flip = static_cast<int64_t>(order_flip(type.aggregation, type.is_signed));
        l.b.write(result, l.b.constant(0));
        l.b.branch(l.b.load(value, 8),
                   [&] { l.b.write(result, l.b.alu(ir::Alu::bit_xor, l.b.load(value, 0), l.b.constant(flip))); });
        return l.b.read(result);
    }
    const ir::Value first = l.b.load(value, 0);
    if (type.aggregation != Aggregation::avg) return first;
    return average_of(l, type, first, l.b.load(value, 8));
}

ir::Value average_of(Lowering& l, const Type& type, ir::Value sum, ir::Value count) {
    const bool has_sign = type.aggregation == Aggregation::dist || type.aggregation == Aggregation::samples;
    if (has_sign || type.is_signed) return l.b.call(ir::Library::divide, {sum, count});
    return l.b.alu(ir::Alu::udiv, sum, count);
}

ir::Value folded_word(Lowering& l, uint32_t map, ir::Value key, uint32_t offset) {
    const uint32_t sum = l.b.new_slot();
    l.b.write(sum, l.b.constant(0));
    l.b.loop(l.b.constant(most_cpus), [&] {
        const ir::Value slot = l.b.find(map, key, l.b.turn());
        l.b.branch(
            slot, [&] { l.b.write(sum, l.b.alu(ir::Alu::add, l.b.read(sum), l.b.load(slot, offset))); },
            [&] { l.b.stop(); });
    });
    return l.b.read(sum);
}

ir::Value folded_most(Lowering& l, uint32_t map, ir::Value key, uint32_t offset) {
    const uint32_t most = l.b.new_slot();
    l.b.write(most, l.b.constant(0));
    l.b.loop(l.b.constant(most_cpus), [&] {
        const ir::Value slot = l.b.find(map, key, l.b.turn());
        l.b.branch(slot, [] {}, [&] { l.b.stop(); });
        l.b.branch(slot, [&] {
            const ir::Value word = l.b.load(slot, offset);
            l.b.branch(l.b.alu(ir::Alu::ugt, word, l.b.read(most)), [&] { l.b.write(most, word); });
        });
    });
    return l.b.read(most);
}

}  // namespace lt
