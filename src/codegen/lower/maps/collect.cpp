#include "codegen/lower/maps/collect.h"

#include <linux/bpf.h>

#include <algorithm>

#include "codegen/lower/maps/map.h"
#include "codegen/lower/values/value.h"
#include "runtime/border/layouts/samples.h"
#include "runtime/border/layouts/series.h"

namespace lt {
namespace {

ir::Value sum_overflow(Lowering& l, uint32_t map) { return l.b.constant(l.unit.loss(LossKind::sum_overflow, map)); }

// Collects one value.
void collect_samples(Lowering& l, uint32_t map, ir::Value slot, ir::Value value) {
    const Type& type = l.unit.map(map).value;
    const SamplesLayout at = samples_layout(type);
    const std::vector<int64_t>& b = type.shape->buckets;
    const auto n = [&](int64_t number) { return l.b.constant(number); };
    l.b.call(ir::Library::samples, {slot, value, n(at.extremes), n(at.squares), n(at.log), n(at.linear), n(b[1]),
                                    n(std::max<int64_t>(b[3], 1)), n(at.linear_count),
                                    n(l.unit.loss(LossKind::contended, map)), sum_overflow(l, map), is_alone(l, map)});
}

// Collects in the interval in which the value arrives.
void collect_series(Lowering& l, uint32_t map, ir::Value slot, ir::Value value) {
    const Type& type = l.unit.map(map).value;
    const SeriesShape shape = series_shape(type);
    const bool ordered = shape.of == SeriesOf::max || shape.of == SeriesOf::min;
    const auto flip = ordered ? order_flip(series_order(shape.of), type.is_signed) : 0;
    l.b.call(ir::Library::tseries,
             {slot, l.b.alu(ir::Alu::bit_xor, value, l.b.constant(static_cast<int64_t>(flip))),
              l.b.helper(BPF_FUNC_ktime_get_ns), l.b.constant(shape.interval), l.b.constant(shape.count),
              l.b.constant(static_cast<int64_t>(shape.of)), l.b.constant(type.is_signed),
              l.b.constant(l.unit.loss(LossKind::contended, map)), sum_overflow(l, map), is_alone(l, map)});
}

bool has_unsigned_buckets(const Lowering& l, const Type& type) {
    return !type.is_signed && !l.program.settings.signed_buckets;
}

void count_in_hist(Lowering& l, const Type& type, ir::Value slot, ir::Value value, ir::Value alone) {
    const bool is_duration = type.view == View::duration;
    const ir::Library plain = has_unsigned_buckets(l, type) ? ir::Library::hist_unsigned : ir::Library::hist;
    l.b.call(is_duration ? ir::Library::hist_duration : plain, {slot, value, alone});
}

// For lhist(), and hist() with bits, whose last bucket has 2^63 - 1 and all that is greater.
ir::Value bounded_value(Lowering& l, const Type& type, ir::Value value) {
    if (!has_unsigned_buckets(l, type)) return value;
    return l.b.call(ir::Library::at_most, {value, l.b.constant(INT64_MAX)});
}

void add_to_value(Lowering& l, uint32_t map, ir::Value slot, const FunctionRow& row, const ast::Call& call_node) {
    const ir::Value v = call_node.arguments.empty() ? l.b.constant(1) : integer_of(l, call_node.arguments[0]);
    const PlannedMap& m = l.unit.map(map);
    switch (row.aggregation) {
        case Aggregation::none:
            break;
        case Aggregation::count:
            l.b.call(ir::Library::add, {slot, v, is_alone(l, map)});
            break;
        case Aggregation::sum:
            l.b.call(ir::Library::sum,
                     {slot, v, l.b.constant(m.value.is_signed), sum_overflow(l, map), is_alone(l, map)});
            break;
        case Aggregation::avg:
        case Aggregation::stats:
            l.b.call(ir::Library::average,
                     {slot, v, l.b.constant(m.value.is_signed), sum_overflow(l, map), is_alone(l, map)});
            break;
        case Aggregation::dist:
            l.b.call(ir::Library::dist,
                     {slot, v, l.b.constant(m.value.is_signed), l.b.constant(l.unit.loss(LossKind::contended, map)),
                      sum_overflow(l, map), is_alone(l, map)});
            break;
        case Aggregation::samples:
            collect_samples(l, map, slot, v);
            break;
        case Aggregation::lhist: {
            const std::vector<int64_t>& buckets = m.value.shape->buckets;
            const int64_t steps = static_cast<int64_t>(bucket_count(m.value)) - 2;
            l.b.call(ir::Library::lhist, {slot, bounded_value(l, m.value, v), l.b.constant(buckets[0]),
                                          l.b.constant(buckets[2]), l.b.constant(steps), is_alone(l, map)});
            break;
        }
        case Aggregation::tseries:
            collect_series(l, map, slot, v);
            break;
        case Aggregation::why:
            l.b.call(ir::Library::why_add, {slot, l.why, is_alone(l, map)});
            break;
        case Aggregation::hist:
            if (!m.value.shape) {
                count_in_hist(l, m.value, slot, v, is_alone(l, map));
                break;
            }
            l.b.call(ir::Library::hist_fine,
                     {slot, bounded_value(l, m.value, v), l.b.constant(m.value.shape->buckets[0]), is_alone(l, map)});
            break;
        case Aggregation::min:
        case Aggregation::max: {
            const auto flip = static_cast<int64_t>(order_flip(row.aggregation, m.value.is_signed));
            const ir::Value order = l.b.alu(ir::Alu::bit_xor, v, l.b.constant(flip));
            l.b.call(ir::Library::raise,
                     {slot, order, l.b.constant(l.unit.loss(LossKind::contended, map)), is_alone(l, map)});
            break;
        }
    }
}

}  // namespace

void collect(Lowering& l, uint32_t map, ir::Value key, const FunctionRow& row, const ast::Call& call_node, Span where) {
    with_slot(l, map, key, where, [&](ir::Value slot) { add_to_value(l, map, slot, row, call_node); });
}

ir::Value is_alone(Lowering& l, uint32_t map) {
    const MapShape shape = l.unit.map(map).shape;
    const bool per_cpu = shape == MapShape::per_cpu_array || shape == MapShape::per_cpu_hash;
    return l.b.constant(per_cpu && l.unit.exclusive.map(map, l.way, l.body.place));
}

}  // namespace lt
