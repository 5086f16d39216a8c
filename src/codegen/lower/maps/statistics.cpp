#include "codegen/lower/maps/statistics.h"

#include "codegen/ir/outside.h"
#include "codegen/lower/maps/fold.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/samples.h"
#include "runtime/border/host_calls.h"
#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

// An aggregation to read: the value combined over all CPUs (an address or null), if there is one.
struct Collected {
    uint32_t map = 0;
    ir::Value key = ir::no_value;
    ir::Value value = ir::no_value;  // none: each CPU has its own
};

Collected collected(Lowering& l, ast::ExprId argument) {
    Collected out;
    if (const auto* pair = std::get_if<PairUse>(&l.use(argument))) {
        out.map = pair->map;
        out.key = l.pairs.at(pair->local).key;
        if (l.on_host()) out.value = l.pairs.at(pair->local).value;
        return out;
    }
    out.map = std::get<MapUse>(l.use(argument)).index;
    out.key = key_of(l, out.map, std::get<ast::Map>(l.program[argument].node));
    const MapShape shape = l.unit.map(out.map).shape;
    const bool one = shape == MapShape::hash || shape == MapShape::array;
    if (l.on_host() || one) out.value = find_value(l, out.map, out.key);
    return out;
}

// A word of the combined value: the sum over all CPUs, or the largest.
ir::Value collected_word(Lowering& l, const Collected& from, uint32_t word, bool largest) {
    if (from.value == ir::no_value)
        return largest ? folded_most(l, from.map, from.key, 8 * word) : folded_word(l, from.map, from.key, 8 * word);
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    l.b.branch(from.value, [&] { l.b.write(result, l.b.load(from.value, 8 * word)); });
    return l.b.read(result);
}

}  // namespace

ir::Value statistic_value(Lowering& l, Function statistic, ast::ExprId argument) {
    const Collected from = collected(l, argument);
    const Type& type = l.unit.map(from.map).value;
    const StatisticWords words = *statistic_words(type.aggregation, statistic);
    const auto sum = [&] { return collected_word(l, from, words.sum, false); };
    const ir::Value count = collected_word(l, from, words.count, false);
    if (statistic == Function::count_of) return count;
    if (statistic == Function::sum_of) return sum();
    if (statistic == Function::avg_of) return average_of(l, type, sum(), count);
    if (statistic == Function::variance_of) {
        const uint32_t at = samples_layout(type).squares;
        return ir::host(l.b, HostCall::variance,
                        {count, sum(), collected_word(l, from, at, false), collected_word(l, from, at + 1, false)});
    }
    const bool least = statistic == Function::min_of;
    const auto flip = static_cast<int64_t>(order_flip(least ? Aggregation::min : Aggregation::max, true));
    const ir::Value order = collected_word(l, from, least ? words.least : words.greatest, true);
    return l.b.alu(ir::Alu::mul, l.b.alu(ir::Alu::bit_xor, order, l.b.constant(flip)),
                   l.b.alu(ir::Alu::ne, count, l.b.constant(0)));
}

ir::Value bucket_value(Lowering& l, const ast::Index& node) {
    const auto& call = std::get<ast::Call>(l.program[node.base].node);
    const Collected from = collected(l, call.arguments[0]);
    const SamplesLayout layout = samples_layout(l.unit.map(from.map).value);
    const bool log = find_function(call.name)->id == Function::hist_log;
    const ir::Value at = integer_of(l, node.index);
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    l.b.branch(l.b.alu(ir::Alu::ult, at, l.b.constant(log ? log_buckets : layout.linear_count)), [&] {
        l.b.branch(from.value, [&] {
            const ir::Value distance = l.b.alu(ir::Alu::mul, at, l.b.constant(8));
            const ir::Value place =
                l.b.address_plus(l.b.address(from.value, 8 * (log ? layout.log : layout.linear)), distance);
            l.b.write(result, l.b.load(place, 0));
        });
    });
    return l.b.read(result);
}

// The record contains the whole value, so that the output is what the block saw.
void print_histogram(Lowering& l, const ast::Call& call) {
    const Collected from = collected(l, call.arguments[0]);
    const Type& type = l.unit.map(from.map).value;
    const uint32_t room = 8 * samples_layout(type).words;
    const ir::Value copy = l.b.buffer(room);
    l.b.branch(from.value, [&] { l.b.copy(copy, 0, from.value, room); });
    PlannedEvent event;
    event.kind = EventKind::histogram;
    event.top = find_function(call.name)->id == Function::hist_linear;
    EventField field;
    field.type = type;
    event.fields.push_back(field);
    emit_parts(l, std::move(event), {{copy, room, true}});
}

}  // namespace lt
