// Reads maps and events in the layout of the plan. Every read is checked against the number of bytes: if a plan and a
// kernel disagree, the result is an Error, never a read past the end.
#include "runtime/values/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "runtime/border/layouts/samples.h"
#include "runtime/border/records.h"
#include "runtime/border/why.h"
#include "runtime/values/distribution.h"
#include "runtime/values/series_fold.h"
#include "stdlib/real.h"

namespace lt {
namespace {

using View8 = std::span<const uint8_t>;

constexpr size_t padded(size_t size) { return (size + 7) / 8 * 8; }

// `size` bytes (at most 8), little-endian.
uint64_t read_bits(View8 bytes, size_t offset, size_t size) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits |= uint64_t{bytes[offset + i]} << 8 * i;
    return bits;
}

uint64_t read_word(View8 bytes, size_t index) { return read_bits(bytes, index * 8, 8); }

// The bits as an integer of this type, widened.
int64_t widened(uint64_t bits, const Type& type) {
    const uint32_t unused = 64 - type.size * 8;
    const uint64_t high = bits << unused;
    return type.is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

std::string read_text(View8 bytes) { return std::string(bytes.begin(), std::ranges::find(bytes, uint8_t{0})); }

// The size in bytes of a value of this type; none if it cannot be in a map or an event.
std::optional<size_t> size_of(const Type& type) {
    switch (type.kind) {
        case Kind::integer:
            if (type.size != 1 && type.size != 2 && type.size != 4 && type.size != 8) return {};
            return type.size;
        case Kind::string:
        case Kind::structure:
        case Kind::array:
        case Kind::tuple:
        case Kind::buffer:
            return type.size;
        case Kind::stack:
            if (type.size != stack_size) return {};
            return type.size;
        case Kind::aggregation:
            if (type.aggregation == Aggregation::none) return {};
            return aggregation_words(type) * 8;
        case Kind::none:
            if (!is_real(type)) return {};
            return type.size;
        case Kind::record:
            return {};
    }
    return {};
}

// The shortest text that reads back as the same number.
std::string real_text(View8 bytes, size_t offset, size_t size) {
    const uint64_t bits = read_bits(bytes, offset, size);
    if (size == sizeof(double)) return fmt::format("{}", std::bit_cast<double>(bits));
    return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

Error unreadable(const Type& type) {
    return {fmt::format("the plan puts {} where it cannot be", type_text(type)), "", 0};
}

Error too_short(std::string_view what, size_t have, size_t need) {
    return {fmt::format("{} of {} bytes, {} expected", what, have, need), "", 0};
}

Result<Value> read_value(const Type& type, View8 bytes, size_t offset, std::string_view what);

// The parts of a group, at the offsets that `place` gives; each is checked against the bytes like any other value.
template <class Place>
Result<Value> read_group(const Type& type, size_t count, View8 bytes, std::string_view what, const Place& place) {
    Group group;
    group.parts.reserve(count);
    for (size_t i = 0; i < count; i++) {
        const auto [part, offset] = place(i);
        Result<Value> value = read_value(*part, bytes, offset, what);
        if (!value) return value.error();
        group.parts.push_back(*std::move(value));
    }
    return Value{type, std::move(group)};
}

Value bit_field(const Member& member, View8 bytes, size_t offset) {
    const auto size = std::min<size_t>(member.type.size, bytes.size() - offset);
    const uint64_t high = read_bits(bytes, offset, size) << (64 - member.bit_offset - member.bit_size);
    const uint32_t unused = 64U - member.bit_size;
    const int64_t number =
        member.type.is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
    Type type = member.type;  // with the names of an enumeration
    type.size = 8;
    return Value{std::move(type), number};
}

// Members that cannot be read have no value: they are left out here and when printed.
Result<Value> read_structure(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    Group group;
    for (const Member& member : type.shape->members) {
        if (is_hidden(member.type)) continue;
        if (member.bit_size != 0) {
            // the word of a packed structure's last field may end after the structure
            const size_t end = (size_t{member.bit_offset} + member.bit_size + 7) / 8;
            if (offset + member.offset + end > bytes.size()) return too_short(what, bytes.size(), offset);
            group.parts.push_back(bit_field(member, bytes, offset + member.offset));
            continue;
        }
        Result<Value> value = read_value(member.type, bytes, offset + member.offset, what);
        if (!value) return value.error();
        group.parts.push_back(*std::move(value));
    }
    return Value{type, std::move(group)};
}

Result<Value> read_parts(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    if (type.kind == Kind::structure) return read_structure(type, bytes, offset, what);
    if (const Type* each = element(type)) {
        return read_group(type, each->size == 0 ? 0 : type.size / each->size, bytes, what,
                          [&](size_t i) { return std::pair(each, offset + i * each->size); });
    }
    return read_group(type, type.shape->parts.size(), bytes, what,
                      [&](size_t i) { return std::pair(&type.shape->parts[i], offset + tuple_offset(type, i)); });
}

Result<Value> read_buffer(const Type& type, View8 bytes, size_t offset) {
    const size_t length = std::min<size_t>(read_bits(bytes, offset, buffer_header), type.size - buffer_header);
    const View8 content = bytes.subspan(offset + buffer_header, length);
    return Value{type, std::string(content.begin(), content.end())};
}

// Anything but an aggregation, at the offset.
Result<Value> read_value(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    const auto size = size_of(type);
    if (!size || type.kind == Kind::aggregation) return unreadable(type);
    if (offset > bytes.size() || *size > bytes.size() - offset) return too_short(what, bytes.size(), offset + *size);
    if (type.kind == Kind::string) return Value{type, read_text(bytes.subspan(offset, *size))};
    if (type.kind == Kind::buffer) return read_buffer(type, bytes, offset);
    if (is_real(type)) return Value{type, real_text(bytes, offset, *size)};
    if (type.kind == Kind::structure || type.kind == Kind::array || type.kind == Kind::tuple) {
        if (!type.shape) return unreadable(type);
        return read_parts(type, bytes, offset, what);
    }
    if (type.kind == Kind::stack)
        return Value{type, Stack{read_bits(bytes, offset, 8), read_bits(bytes, offset + 8, 8)}};
    return Value{type, widened(read_bits(bytes, offset, *size), type)};
}

// A string after the fields: it ends with a zero, or with the record.
Result<Value> read_apart(const Type& type, View8 record, size_t offset) {
    if (offset > record.size() || 8 > record.size() - offset) return too_short("an event", record.size(), offset + 8);
    const uint64_t at = read_bits(record, offset, 8);
    if (at > record.size()) return too_short("an event", record.size(), at);
    return Value{type, read_text(record.subspan(at, std::min<uint64_t>(type.size, record.size() - at)))};
}

Result<std::vector<Value>> read_key(const std::vector<Type>& types, View8 bytes) {
    std::vector<Value> key;
    key.reserve(types.size());
    size_t offset = 0;
    for (const Type& type : types) {
        Result<Value> part = read_value(type, bytes, offset, "a key");
        if (!part) return part.error();
        key.push_back(*std::move(part));
        offset += padded(type.size);
    }
    return key;
}

std::vector<uint64_t> read_words(View8 bytes, size_t begin, size_t count) {
    std::vector<uint64_t> out(count);
    for (size_t i = 0; i < count; i++) out[i] = read_word(bytes, begin + i);
    return out;
}

int64_t of_order(uint64_t order, Aggregation a) { return static_cast<int64_t>(order ^ order_flip(a, true)); }

Extreme read_extreme(View8 bytes, const Type& type) {
    if (read_word(bytes, 1) == 0) return {};
    return {static_cast<int64_t>(read_word(bytes, 0) ^ order_flip(type.aggregation, type.is_signed)), true};
}

// The initial extremes are zero, which any other value replaces, so a CPU without values needs no special case.
Distribution read_distribution(View8 bytes, bool negative) {
    Distribution out;
    out.count = read_word(bytes, 0);
    out.sum = static_cast<int64_t>(read_word(bytes, 1));
    out.least = of_order(read_word(bytes, 2), Aggregation::min);
    out.greatest = of_order(read_word(bytes, 3), Aggregation::max);
    const uint32_t first = dist_first(negative);
    for (uint32_t i = first; i < dist_buckets; i++) out.buckets[i] = read_word(bytes, dist_header + i - first);
    return out;
}

Samples read_samples(View8 bytes, const Type& type) {
    const SamplesLayout at = samples_layout(type);
    Samples out;
    out.count = read_word(bytes, 0);
    out.sum = static_cast<int64_t>(read_word(bytes, 1));
    out.has_extremes = at.extremes != 0 && out.count != 0;
    if (out.has_extremes) {
        out.least = of_order(read_word(bytes, at.extremes), Aggregation::min);
        out.greatest = of_order(read_word(bytes, at.extremes + 1), Aggregation::max);
    }
    if (at.squares != 0) {
        out.squares_low = read_word(bytes, at.squares);
        out.squares_high = read_word(bytes, at.squares + 1);
    }
    if (at.log != 0) out.log = read_words(bytes, at.log, log_buckets);
    if (at.linear != 0) out.linear = read_words(bytes, at.linear, at.linear_count);
    return out;
}

Series read_series(View8 bytes, const Type& type) {
    std::vector<SeriesPlace> places;
    for (uint32_t at = 0; at < series_size(type); at += series_words)
        places.push_back({read_word(bytes, at), read_word(bytes, at + 1), read_word(bytes, at + 2)});
    return series_of(std::move(places), type);
}

Causes read_causes(View8 bytes) {
    Causes out{read_word(bytes, 0), {}};
    for (uint32_t i = 0; i < out.times.size(); i++) out.times[i] = static_cast<int64_t>(read_word(bytes, 1 + i));
    return out;
}

Data read_aggregation(View8 bytes, const Type& type) {
    switch (type.aggregation) {
        case Aggregation::none:
            break;
        case Aggregation::count:
        case Aggregation::sum:
            return static_cast<int64_t>(read_word(bytes, 0));
        case Aggregation::min:
        case Aggregation::max:
            return read_extreme(bytes, type);
        case Aggregation::avg:
        case Aggregation::stats:
            return Average{static_cast<int64_t>(read_word(bytes, 0)), read_word(bytes, 1)};
        case Aggregation::hist:
        case Aggregation::lhist:
            return Histogram{read_words(bytes, 0, bucket_count(type))};
        case Aggregation::dist:
            return read_distribution(bytes, type.is_signed);
        case Aggregation::samples:
            return read_samples(bytes, type);
        case Aggregation::tseries:
            return read_series(bytes, type);
        case Aggregation::why:
            return read_causes(bytes);
    }
    return int64_t{0};
}

Result<Value> read_aggregated(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    const auto size = size_of(type);
    if (!size) return unreadable(type);
    if (offset > bytes.size() || *size > bytes.size() - offset) return too_short(what, bytes.size(), offset + *size);
    return Value{type, read_aggregation(bytes.subspan(offset, *size), type)};
}

}  // namespace

uint32_t aggregation_words(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::none:
            return 0;
        case Aggregation::count:
        case Aggregation::sum:
            return 1;
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::avg:
        case Aggregation::stats:
            return 2;
        case Aggregation::hist:
        case Aggregation::lhist:
            return bucket_count(type);
        case Aggregation::dist:
            return dist_words(type.is_signed);
        case Aggregation::samples:
            return samples_layout(type).words;
        case Aggregation::tseries:
            return series_size(type);
        case Aggregation::why:
            return why_sums;
    }
    return 0;
}

Result<std::vector<Value>> decode_key(const std::vector<Type>& types, std::span<const uint8_t> bytes) {
    return read_key(types, bytes);
}

Status copies_fit(const PlannedMap& map, size_t bytes) {
    const auto size = size_of(map.value);
    if (!size || map.value_size == 0) return unreadable(map.value);
    const size_t need = *size + (map.key.empty() ? scalar_mark : 0);
    if (need > map.value_size) return too_short("a value", map.value_size, need);
    if (!is_per_cpu(map.shape))
        return bytes < map.value_size ? too_short("a value", bytes, map.value_size) : Status(Done{});
    const bool adds_up = map.value.kind == Kind::aggregation || map.value.kind == Kind::integer;
    if (!adds_up) return Error{fmt::format("{} cannot be kept per CPU", type_name(map.value)), "", 0};
    const size_t each = padded(map.value_size);
    if (bytes < each) return too_short("a value", bytes, each);
    // Truncated inside the copy of some CPU.
    if (bytes % each != 0) return too_short("values per CPU", bytes, (bytes / each + 1) * each);
    return Done{};
}

Result<MapEntry> decode_entry(const std::vector<Type>& key_types, View8 key, const Type& type, View8 bytes) {
    Result<std::vector<Value>> parts = read_key(key_types, key);
    if (!parts) return parts.error();
    const bool is_aggregated = type.kind == Kind::aggregation;
    Result<Value> value =
        is_aggregated ? read_aggregated(type, bytes, 0, "a value") : read_value(type, bytes, 0, "a value");
    if (!value) return value.error();
    return MapEntry{*std::move(parts), *std::move(value)};
}

Result<Event> decode_event(const Plan& plan, std::span<const uint8_t> record) {
    if (record.size() < 8) return too_short("an event", record.size(), 8);
    Event event{static_cast<uint32_t>(read_bits(record, 0, 4)), {}};
    if (event.index >= plan.events.size()) {
        return Error{fmt::format("event {} of a plan that has {}", event.index, plan.events.size()), "", 0};
    }
    const PlannedEvent& planned = plan.events[event.index];
    if (record.size() < planned.size) return too_short("an event", record.size(), planned.size);
    event.values.reserve(planned.fields.size());
    for (const EventField& field : planned.fields) {
        if (field.percentile) {
            event.values.push_back({field.type, Missing{}});
            continue;
        }
        Result<Value> value = planned.kind == EventKind::histogram && field.type.kind == Kind::aggregation
                                  ? read_aggregated(field.type, record, field.offset, "an event")
                              : lies_apart(field.type) ? read_apart(field.type, record, field.offset)
                                                       : read_value(field.type, record, field.offset, "an event");
        if (!value) return value.error_in(fmt::format("cannot read event {}", event.index));
        event.values.push_back(*std::move(value));
    }
    return event;
}

Result<View8> percentile_key(const Plan& plan, const EventField& field, View8 record) {
    if (field.percentile->map >= plan.maps.size()) {
        return Error{
            fmt::format("a percentile of map {} of a plan that has {}", field.percentile->map, plan.maps.size()), "",
            0};
    }
    const PlannedMap& map = plan.maps[field.percentile->map];
    if (map.key.empty()) return View8{};
    if (field.offset > record.size() || map.key_size > record.size() - field.offset)
        return too_short("an event", record.size(), size_t{field.offset} + map.key_size);
    return record.subspan(field.offset, map.key_size);
}

}  // namespace lt
