#include <algorithm>
#include <array>

#include "calls.h"
#include "lower.h"
#include "operators.h"
#include "runtime/samples.h"
#include "runtime/series.h"
#include "samples.h"

namespace lt {
namespace {

struct StatisticRow {
    Function id;
    int64_t parts;
    bool extremes;  // only where the least and the greatest are there
    bool samples;   // of samples() only
};
constexpr std::array rows{
    StatisticRow{Function::count_of, 0, false, false},
    StatisticRow{Function::sum_of, 0, false, false},
    StatisticRow{Function::avg_of, 0, false, false},
    StatisticRow{Function::min_of, samples_extremes, true, false},
    StatisticRow{Function::max_of, samples_extremes, true, false},
    StatisticRow{Function::variance_of, samples_squares, false, true},
    StatisticRow{Function::hist_log, samples_log, false, true},
    StatisticRow{Function::hist_linear, samples_linear, false, true},
};

const StatisticRow* statistic_row(Function f) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const StatisticRow& r) { return r.id == f; });
    return row == rows.end() ? nullptr : &*row;
}

ir::Value statistic(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    return l.statistic(find_function(node.name)->id, node.arguments[0]);
}

constexpr CallRule rules[] = {
    {Function::count_of, nullptr, statistic},
    {Function::sum_of, nullptr, statistic},
    {Function::min_of, nullptr, statistic},
    {Function::max_of, nullptr, statistic},
    {Function::avg_of, nullptr, statistic},
    {Function::variance_of, nullptr, statistic},
    {Function::hist_log},
    {Function::hist_linear},
};

}  // namespace

std::span<const CallRule> samples_rules() { return rules; }

bool is_statistic(Function f) { return statistic_row(f) != nullptr; }

int64_t statistic_parts(Function f) {
    const StatisticRow* row = statistic_row(f);
    return row ? row->parts : 0;
}

std::optional<StatisticWords> statistic_words(Aggregation a, Function asked) {
    const StatisticRow* row = statistic_row(asked);
    if (!row || (row->samples && a != Aggregation::samples)) return std::nullopt;
    switch (a) {
        case Aggregation::samples:
        case Aggregation::dist:
            return StatisticWords{0, 1, 2, 3};
        case Aggregation::avg:
        case Aggregation::stats:
            return row->extremes ? std::nullopt : std::optional(StatisticWords{1, 0, 0, 0});
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::tseries:
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<int64_t> known_integer(const ast::Program& program, ast::ExprId id) {
    if (const auto* number = std::get_if<ast::Integer>(&program[id].node)) return static_cast<int64_t>(number->value);
    const auto* minus = std::get_if<ast::Unary>(&program[id].node);
    if (!minus || minus->op != ast::UnaryOp::minus) return std::nullopt;
    const auto inner = known_integer(program, minus->operand);
    return inner ? std::optional(-*inner) : std::nullopt;
}

BodyLowering::Collected BodyLowering::collected(ast::ExprId argument) {
    Collected out;
    if (const auto* pair = std::get_if<PairUse>(&use(argument))) {
        out.map = pair->map;
        out.key = pairs_.at(pair->local).key;
        if (on_host()) out.value = pairs_.at(pair->local).value;
        return out;
    }
    out.map = std::get<MapUse>(use(argument)).index;
    out.key = key_of(out.map, std::get<ast::Map>(program_[argument].node));
    const MapShape shape = unit_.map(out.map).shape;
    const bool one = shape == MapShape::hash || shape == MapShape::array;
    if (on_host() || one) out.value = stored(out.map, out.key);
    return out;
}

// A word of the value of all CPUs: their sum, or the largest.
ir::Value BodyLowering::collected_word(const Collected& from, uint32_t word, bool largest) {
    if (from.value == ir::no_value)
        return largest ? folded_most(from.map, from.key, 8 * word) : folded_word(from.map, from.key, 8 * word);
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    b_->branch(from.value, [&] { b_->write(result, b_->load(from.value, 8 * word)); });
    return b_->read(result);
}

ir::Value BodyLowering::statistic(Function asked, ast::ExprId argument) {
    const Collected from = collected(argument);
    const Type& held = unit_.map(from.map).value;
    const StatisticWords words = *statistic_words(held.aggregation, asked);
    const auto sum = [&] { return collected_word(from, words.sum, false); };
    const ir::Value count = collected_word(from, words.count, false);
    if (asked == Function::count_of) return count;
    if (asked == Function::sum_of) return sum();
    if (asked == Function::avg_of) return b_->call(ir::Library::divide, {sum(), count});
    if (asked == Function::variance_of) {
        const uint32_t at = samples_layout(held).squares;
        return b_->host(HostCall::variance,
                        {count, sum(), collected_word(from, at, false), collected_word(from, at + 1, false)});
    }
    const bool least = asked == Function::min_of;
    const auto flip = static_cast<int64_t>(order_flip(least ? Aggregation::min : Aggregation::max, true));
    const ir::Value order = collected_word(from, least ? words.least : words.greatest, true);
    return b_->alu(ir::Alu::mul, b_->alu(ir::Alu::bit_xor, order, b_->constant(flip)),
                   b_->alu(ir::Alu::ne, count, b_->constant(0)));
}

// hist_log(@x)[n]; 0 of a bucket that is not there.
ir::Value BodyLowering::bucket(const ast::Index& node) {
    const auto& call = std::get<ast::Call>(program_[node.base].node);
    const Collected from = collected(call.arguments[0]);
    const SamplesLayout layout = samples_layout(unit_.map(from.map).value);
    const bool log = find_function(call.name)->id == Function::hist_log;
    const ir::Value at = integer(node.index);
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    b_->branch(b_->alu(ir::Alu::ult, at, b_->constant(log ? log_buckets : layout.linear_count)), [&] {
        b_->branch(from.value, [&] {
            const ir::Value distance = b_->alu(ir::Alu::mul, at, b_->constant(8));
            const ir::Value place =
                b_->address_plus(b_->address(from.value, 8 * (log ? layout.log : layout.linear)), distance);
            b_->write(result, b_->load(place, 0));
        });
    });
    return b_->read(result);
}

// The whole value goes into the record: what is printed is what the block saw.
void BodyLowering::print_histogram(const ast::Call& call) {
    const Collected from = collected(call.arguments[0]);
    const Type& held = unit_.map(from.map).value;
    const uint32_t room = 8 * samples_layout(held).words;
    const ir::Value copy = b_->buffer(room);
    b_->branch(from.value, [&] { b_->copy(copy, 0, from.value, room); });
    PlannedEvent event;
    event.kind = EventKind::histogram;
    event.top = find_function(call.name)->id == Function::hist_linear;
    EventField field;
    field.type = held;
    event.fields.push_back(field);
    emit_parts(std::move(event), {{copy, room, true}});
}

// What is collected of one value.
void BodyLowering::collect_samples(uint32_t map, ir::Value slot, ir::Value value) {
    const Type& held = unit_.map(map).value;
    const SamplesLayout at = samples_layout(held);
    const std::vector<int64_t>& b = held.shape->buckets;
    const auto n = [&](int64_t number) { return b_->constant(number); };
    b_->call(ir::Library::samples,
             {slot, value, n(at.extremes), n(at.squares), n(at.log), n(at.linear), n(b[1]),
              n(std::max<int64_t>(b[3], 1)), n(at.linear_count), n(unit_.loss(LossKind::contended, map)), alone(map)});
}

// The key goes into the record; whoever prints it reads the map.
void BodyLowering::print_entry(uint32_t map, ir::Value key) {
    const PlannedMap& m = unit_.map(map);
    PlannedEvent e;
    e.kind = EventKind::map;
    e.map = map;
    e.fields.push_back({tuple_type(m.key)});
    emit_parts(std::move(e), {{key, padded(m.key_size), true}}, false);
}

// In the interval in which the value comes.
void BodyLowering::collect_series(uint32_t map, ir::Value slot, ir::Value value) {
    constexpr int helper_ktime_get_ns = 5;
    const Type& type = unit_.map(map).value;
    const SeriesShape shape = series_shape(type);
    const bool ordered = shape.of == SeriesOf::max || shape.of == SeriesOf::min;
    const auto flip = ordered ? order_flip(series_order(shape.of), type.is_signed) : 0;
    b_->call(ir::Library::tseries, {slot, b_->alu(ir::Alu::bit_xor, value, b_->constant(static_cast<int64_t>(flip))),
                                    b_->helper(helper_ktime_get_ns), b_->constant(shape.interval),
                                    b_->constant(shape.count), b_->constant(static_cast<int64_t>(shape.of)),
                                    b_->constant(unit_.loss(LossKind::contended, map)), alone(map)});
}

}  // namespace lt
