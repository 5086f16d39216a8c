#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/ir/builder.h"
#include "codegen/lower/internal/internal.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/unit.h"
#include "codegen/typed/host.h"

namespace lt {
namespace {

// Offsets in lt_handed, after u64 n: see PlannedMap::adder.
constexpr uint32_t handed_how = 8, handed_key = 16;

// The map in which lt passes the numbers to add to a key of this size.
uint32_t handed_map(Unit& unit, uint32_t key_size) {
    const uint32_t index = unit.shared_map({std::string(handed_symbol), ir::Storage::array, 4, 0, 1, false});
    ir::MapDefinition& map = unit.map_definition(index);
    map.value_size = std::max(map.value_size, handed_key + key_size);
    return index;
}

struct BitChange {
    SharedChange how;
    ir::Library function;
};
constexpr std::array bit_changes{BitChange{SharedChange::bit_and, ir::Library::and_},
                                 BitChange{SharedChange::bit_or, ir::Library::or_},
                                 BitChange{SharedChange::bit_xor, ir::Library::xor_}};

void apply_change(Builder& b, ir::Value slot, ir::Value record, bool in_bits) {
    const ir::Value n = b.load(record, 0);
    const auto add = [&] { b.store(record, handed_how, b.call(ir::Library::add_after, {slot, n})); };
    if (!in_bits) return add();
    const ir::Value how = b.load(record, handed_how);
    const auto is = [&](SharedChange one) { return b.alu(ir::Alu::eq, how, b.constant(static_cast<int64_t>(one))); };
    b.branch(is(SharedChange::add), add, [&] {
        for (const BitChange& each : bit_changes) b.branch(is(each.how), [&] { b.call(each.function, {slot, n}); });
    });
}

}  // namespace

// lt writes the key and the numbers to add into lt_handed, then runs the map's program.
void make_adders(Unit& unit) {
    const ChangedByBoth both = changed_by_both(unit.program, unit.typed);
    for (uint32_t i = 0; i < both.counted.size(); i++) {
        const bool in_bits = both.in_bits[i];
        if (!both.counted[i] && !in_bits) continue;
        PlannedMap& map = unit.map(i);
        map.adder = fmt::format("add_{}", i);
        Attachment a;
        a.program = map.adder;
        internal_probe(unit, "an addition to " + map.name).rungs = {{Way::run, "", {a}}};
        const uint32_t handed = handed_map(unit, padded_size(map.key_size) + generation_size);
        const uint32_t zero = unit.zeros(map.value_size), first = unit.zeros(4);
        const uint32_t full = unit.loss(LossKind::map_full, i), starved = unit.loss(LossKind::map_no_memory, i);
        Builder b(unit.function(map.adder));
        const ir::Value record = b.find(handed, b.text(first));
        const auto add = [&] {
            const ir::Value slot = b.call(ir::Library::slot, {b.map(i), b.address(record, handed_key), b.text(zero),
                                                              b.constant(full), b.constant(starved)});
            if (map.keeps_order) b.branch(slot, [&] { note_arrival(b, map, slot); });
            b.branch(slot, [&] { apply_change(b, slot, record, in_bits); });
        };
        b.branch(record, [&] {
            if (!map.generation) return add();
            with_generation(b, unit, i, [&](ir::Value generation) {
                b.store(record, handed_key + map.key_size, generation);
                add();
            });
        });
    }
}

}  // namespace lt
