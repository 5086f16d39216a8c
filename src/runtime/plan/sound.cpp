#include "runtime/plan/sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/border/kernel.h"
#include "runtime/border/layouts/series.h"
#include "runtime/border/loss_subject.h"
#include "runtime/border/param_value.h"
#include "runtime/border/records.h"
#include "runtime/border/script_signals.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

constexpr uint32_t largest = 1 << 24;  // of a value, a record, a key
constexpr uint32_t most_buckets = 1 << 16;

template <class T, class Good>
bool all(const std::vector<T>& values, const Good& good) {
    return std::ranges::all_of(values, good);
}

bool lies_in(uint64_t offset, uint64_t size, uint64_t whole) { return offset <= whole && size <= whole - offset; }

// ---- types

bool sound(const Type& type);

bool is_word(const Type& type) { return type.kind == Kind::integer && type.size == 8; }

bool buckets_fit(const Type& type) {
    if (type.aggregation == Aggregation::tseries) return is_series(type);
    if (!type.shape) return type.aggregation != Aggregation::lhist;
    const std::vector<int64_t>& b = type.shape->buckets;
    constexpr int64_t far = int64_t{1} << 62;
    if (!all(b, [](int64_t n) { return n > -far && n < far; })) return false;
    if (type.aggregation == Aggregation::lhist)
        return b.size() == 3 && b[2] > 0 && b[1] > b[0] && (b[1] - b[0]) / b[2] < most_buckets;
    if (type.aggregation == Aggregation::hist) return b.size() == 1 && b[0] >= 0 && b[0] <= 8;
    if (type.aggregation == Aggregation::samples) return b.empty() || b.size() == 1 || (b.size() == 4 && b[3] > 0);
    return b.empty();
}

// The word of a packed structure's last bit field may end after the structure: its bits do not.
bool member_fits(const Member& member, const Type& type) {
    if (!sound(member.type)) return false;
    const uint64_t bits = uint64_t{member.bit_offset} + member.bit_size;
    if (member.bit_size != 0 && (member.type.kind != Kind::integer || bits > uint64_t{member.type.size} * 8))
        return false;
    const uint64_t size = member.bit_size != 0 ? (bits + 7) / 8 : member.type.size;
    return type.kind != Kind::structure || lies_in(member.offset, size, type.size);
}

bool parts_fit(const Type& type, const Shape& shape) {
    if (!all(shape.parts, [](const Type& t) { return sound(t); })) return false;
    if (!all(shape.members, [&](const Member& m) { return member_fits(m, type); })) return false;
    if (type.kind == Kind::array)
        return shape.parts.size() == 1 && shape.parts[0].size > 0 && type.size % shape.parts[0].size == 0;
    if (type.kind != Kind::tuple) return true;
    uint64_t begin = 0, end = 0;
    for (const Type& part : shape.parts) end = begin + part.size, begin += padded_size(part.size);
    return end <= type.size && (shape.names.empty() || shape.names.size() == shape.parts.size());
}

bool naming_fits(const Type& type) {
    const auto part = [&](size_t n) -> const Type* {
        return type.kind == Kind::tuple && type.shape && n < type.shape->parts.size() ? &type.shape->parts[n] : nullptr;
    };
    if (type.naming == Naming::none) return true;
    if (type.naming == Naming::user_symbol) return part(1) != nullptr && is_word(*part(0)) && is_word(*part(1));
    if (type.naming == Naming::internet)
        return part(1) != nullptr && is_word(*part(0)) && part(1)->kind == Kind::array && part(1)->size == 16;
    if (type.naming == Naming::hardware) return type.kind == Kind::array && type.size == 6;
    if (type.naming == Naming::why) return type == why_type();
    const bool is_time = type.naming == Naming::time || type.naming == Naming::time_utc;
    return type.kind == Kind::integer && (!is_time || type.shape);
}

bool sound(const Type& type) {
    if (type.size > largest) return false;
    const bool number = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
    if (type.kind == Kind::integer && !number) return false;
    if (type.kind == Kind::stack && type.size != stack_size) return false;
    if (type.kind == Kind::buffer && type.size < buffer_header) return false;
    const bool grouped = type.kind == Kind::array || type.kind == Kind::tuple;
    if (grouped && !type.shape) return false;
    if (type.kind == Kind::aggregation && !buckets_fit(type)) return false;
    return (!type.shape || parts_fit(type, *type.shape)) && naming_fits(type);
}

bool sound(const std::vector<Type>& types) {
    return all(types, [](const Type& t) { return sound(t); });
}

// Of a type that is only compared with the kernel's. There members can end after their structure: a text without a
// fixed length does.
bool can_be_compared(const Type& type) {
    if (type.kind == Kind::array)
        if (!type.shape || type.shape->parts.size() != 1 || type.shape->parts[0].size == 0) return false;
    if (type.kind == Kind::tuple && !type.shape) return false;
    return !type.shape || (all(type.shape->parts, [](const Type& t) { return can_be_compared(t); }) &&
                           all(type.shape->members, [](const Member& m) { return can_be_compared(m.type); }));
}

// ---- elements of the lists

bool sound(const PlannedProbe& probe, const Plan& plan) {
    const auto good_rung = [](const Rung& rung) {
        return !rung.refused.empty() || (!rung.attachments.empty() &&
                                         all(rung.attachments, [](const Attachment& a) { return !a.program.empty(); }));
    };
    const auto is_open = [](const Rung& rung) { return rung.refused.empty(); };
    if (!all(probe.rungs, good_rung) || std::ranges::none_of(probe.rungs, is_open)) return false;
    if (probe.of_span && *probe.of_span >= plan.spans.size()) return false;
    if (probe.gate && !lies_in(probe.gate->share, sizeof(uint64_t), plan.param_bytes.size())) return false;
    const bool is_of_scripts = std::ranges::find(script_signals, probe.signal) != script_signals.end();
    if (probe.when == When::signal && !is_of_scripts) return false;
    if (probe.when == When::period && probe.period_ns == 0) return false;
    return all(probe.collects_into, [&](uint32_t map) { return map < plan.maps.size(); });
}

// Plans that were saved when dist() had other buckets have other sizes.
bool has_its_buckets(const PlannedMap& map) {
    if (map.value.kind != Kind::aggregation || map.value.aggregation != Aggregation::dist) return true;
    const uint32_t marks = (map.key.empty() ? scalar_mark : 0) + (map.keeps_order ? arrival_mark : 0);
    return map.value_size == sizeof(uint64_t) * dist_words(map.value.is_signed) + marks;
}

bool sound(const PlannedMap& map, const Plan& plan) {
    const auto has_generation = [](const PlannedMap& m) { return m.generation.has_value(); };
    if (map.generation && *map.generation >= std::ranges::count_if(plan.maps, has_generation)) return false;
    if (!sound(map.key) || !sound(map.value) || map.symbol.empty() || !has_its_buckets(map)) return false;
    if (map.key_size == 0 || map.key_size > largest || map.value_size == 0 || map.value_size > largest) return false;
    uint64_t size = 0;
    for (const Type& t : map.key) size += padded_size(t.size);
    return map.key.empty() ? map.key_size == 4 && map.value_size > scalar_mark && map.max_entries == 1
                           : map.key_size == size && map.max_entries > 0;
}

bool sound(const EventField& field, const PlannedEvent& event, const Plan& plan) {
    if (!sound(field.type)) return false;
    const uint32_t size = lies_apart(field.type) ? sizeof(uint64_t) : field.type.size;
    if (!field.percentile) return lies_in(field.offset, size, event.size);
    if (field.percentile->map >= plan.maps.size() || field.percentile->share > whole_share) return false;
    const PlannedMap& map = plan.maps[field.percentile->map];
    const bool collects = map.value.kind == Kind::aggregation && map.value.aggregation == Aggregation::dist;
    return collects && lies_in(field.offset, map.key.empty() ? 0 : map.key_size, event.size);
}

bool sound(const PlannedEvent& event, const Plan& plan) {
    constexpr uint32_t header = 8;
    constexpr std::array of_maps{EventKind::map, EventKind::clear, EventKind::zero};
    if (event.size < header || event.size > largest || event.divisor == 0) return false;
    if (std::ranges::find(of_maps, event.kind) != of_maps.end() && event.map >= plan.maps.size()) return false;
    const bool of_key = event.kind == EventKind::map && has_key(event);
    if (of_key && !lies_in(event.fields[0].offset, plan.maps[event.map].key_size, event.size)) return false;
    if (event.kind == EventKind::spans && event.map >= plan.spans.size()) return false;
    const auto is_word_field = [](const EventField& f) { return is_word(f.type); };
    const bool names_error = event.kind == EventKind::raised && event.format.empty();
    if (names_error && (event.fields.size() != 2 || !all(event.fields, is_word_field))) return false;
    constexpr size_t words_of_option = 5;
    const bool sets_option = event.kind == EventKind::option;
    if (sets_option && (event.fields.size() < words_of_option || !all(event.fields, is_word_field))) return false;
    if (event.timed && (event.fields.empty() || !is_word(event.fields.back().type))) return false;
    // Its values are read by the layout of their aggregation, whatever their kind.
    const auto of_histogram = [&](const EventField& f) {
        const bool is_time = event.timed && &f == &event.fields.back();
        if (is_time) return f.type.aggregation == Aggregation::none;
        return f.type.kind == Kind::aggregation && f.type.aggregation == Aggregation::samples;
    };
    if (event.kind == EventKind::histogram && !all(event.fields, of_histogram)) return false;
    return all(event.fields, [&](const EventField& f) { return sound(f, event, plan); });
}

bool sound(const PlannedSpan& span, const Plan&) {
    uint64_t size = 0;
    for (const Type& t : span.key) size += padded_size(t.size);
    const bool keyed = span.state == SpanState::key;
    return sound(span.key) && size <= largest && (!keyed || !span.key.empty()) && !span.symbol.empty() &&
           span.opening_size >= span_opening_header && span.opening_size <= largest && span.depth <= largest;
}

bool sound(const PlannedTimeout& timeout, const Plan& plan) {
    if (timeout.span >= plan.spans.size() || timeout.program.empty() || timeout.after_ns < 0) return false;
    return !timeout.param || (*timeout.param < plan.params.size() && is_word(plan.params[*timeout.param].type));
}

bool sound(const PlannedLoss& loss, const Plan& plan) {
    const LossSubject subject = subject_of(loss.kind);
    if (subject == LossSubject::none) return true;  // at most a place in the script
    return loss.subject < (subject == LossSubject::map ? plan.maps.size() : plan.spans.size());
}

bool sound(const PlannedParam& param, const Plan& plan) {
    const bool is_text = param.type.kind == Kind::string && param.type.size == param_text;
    return (is_word(param.type) || is_text) && sound(param.type) &&
           lies_in(param.offset, param.type.size, plan.param_bytes.size());
}

bool sound(const PlannedSessionValue& value, const Plan& plan) {
    return lies_in(value.offset, sizeof(uint64_t), plan.param_bytes.size());
}

bool sound(const PlannedCounter& counter, const Plan&) { return !counter.symbol.empty(); }

bool sound(const Assumption& assumption, const Plan&) {
    const bool is_known = assumption.what != Assumed::feature || assumption.number < feature_count;
    return is_known && can_be_compared(assumption.type);
}

// The index of the first that is not sound, if any.
template <class T>
std::string first_unsound(std::string_view name, const std::vector<T>& list, const Plan& plan) {
    for (size_t i = 0; i < list.size(); i++)
        if (!sound(list[i], plan)) return fmt::format("{} {} of the plan is not valid", name, i);
    return {};
}

}  // namespace

Status sound(const Plan& plan) {
    const std::array findings{
        first_unsound("probe", plan.probes, plan),     first_unsound("map", plan.maps, plan),
        first_unsound("event", plan.events, plan),     first_unsound("span", plan.spans, plan),
        first_unsound("timeout", plan.timeouts, plan), first_unsound("loss", plan.losses, plan),
        first_unsound("parameter", plan.params, plan), first_unsound("session value", plan.session_values, plan),
        first_unsound("counter", plan.counters, plan), first_unsound("assumption", plan.assumed, plan)};
    for (const std::string& finding : findings)
        if (!finding.empty()) return Error{finding, "", 0};
    return Done{};
}

}  // namespace lt
