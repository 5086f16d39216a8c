// Reads maps and events as the plan lays them out. Every read is checked against the bytes that are there: a plan and a
// kernel that disagree give an Error, never a read past the end.
#include "runtime/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "raw_maps.h"
#include "runtime/distribution.h"
#include "runtime/samples.h"
#include "series_fold.h"

namespace lt {
namespace {

using View8 = std::span<const uint8_t>;

constexpr size_t padded(size_t size) { return (size + 7) / 8 * 8; }

// `size` bytes (at most 8), the low one first.
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

std::string read_text(View8 bytes) {
    return std::string(bytes.begin(), std::find(bytes.begin(), bytes.end(), uint8_t{0}));
}

size_t aggregation_words(const Type& type) {
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
            return dist_words;
        case Aggregation::samples:
            return samples_layout(type).words;
        case Aggregation::tseries:
            return series_size(type);
    }
    return 0;
}

// The bytes that a value of this type takes; none where it cannot lie in a map or an event.
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
        case Kind::record:
            return {};
    }
    return {};
}

Error unreadable(const Type& type) {
    return {fmt::format("the plan puts {} where none can be", type_text(type)), "", 0};
}

Error too_short(std::string_view what, size_t have, size_t need) {
    return {fmt::format("{} of {} bytes, {} expected", what, have, need), "", 0};
}

Result<Value> read_value(const Type& type, View8 bytes, size_t offset, std::string_view what);

// The parts of a group, which lie where `place` says; each checked against the bytes as any other value.
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
    const uint64_t high = read_bits(bytes, offset, member.type.size) << (64 - member.bit_offset - member.bit_size);
    const uint32_t unused = 64U - member.bit_size;
    const int64_t number =
        member.type.is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
    return Value{integer_type(8, member.type.is_signed, member.type.view), number};
}

// Members that cannot be read have no value: they are left out here and where they are shown.
Result<Value> read_structure(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    Group group;
    for (const Member& member : type.shape->members) {
        if (member.type.kind == Kind::none) continue;
        if (member.bit_size != 0) {
            if (offset + member.offset + member.type.size > bytes.size()) return too_short(what, bytes.size(), offset);
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

// Anything but an aggregation at the offset.
Result<Value> read_value(const Type& type, View8 bytes, size_t offset, std::string_view what) {
    const auto size = size_of(type);
    if (!size || type.kind == Kind::aggregation) return unreadable(type);
    if (offset > bytes.size() || *size > bytes.size() - offset) return too_short(what, bytes.size(), offset + *size);
    if (type.kind == Kind::string) return Value{type, read_text(bytes.subspan(offset, *size))};
    if (type.kind == Kind::buffer) return read_buffer(type, bytes, offset);
    if (type.kind == Kind::structure || type.kind == Kind::array || type.kind == Kind::tuple) {
        if (!type.shape) return unreadable(type);
        return read_parts(type, bytes, offset, what);
    }
    if (type.kind == Kind::stack)
        return Value{type, Stack{read_bits(bytes, offset, 8), read_bits(bytes, offset + 8, 8)}};
    return Value{type, widened(read_bits(bytes, offset, *size), type)};
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

// The copies of one value, one per CPU; one in all where the map is shared.
class Copies {
  public:
    Copies(View8 bytes, size_t each) : bytes_(bytes), each_(each) {}
    size_t count() const { return bytes_.size() / each_; }
    View8 operator[](size_t i) const { return bytes_.subspan(i * each_, each_); }
    // A scalar that was never written, on no CPU.
    bool unmarked() const {
        for (size_t i = 0; i < count(); i++) {
            if (read_bits((*this)[i], each_ - scalar_mark, scalar_mark) != 0) return false;
        }
        return true;
    }

  private:
    View8 bytes_;
    size_t each_;
};

// Wraps around like the kernel's own additions.
uint64_t sum_words(const Copies& copies, size_t index) {
    uint64_t sum = 0;
    for (size_t i = 0; i < copies.count(); i++) sum += read_word(copies[i], index);
    return sum;
}

Extreme fold_extreme(const Copies& copies, const Type& type) {
    uint64_t order = 0;
    bool seen = false;
    for (size_t i = 0; i < copies.count(); i++) {
        if (read_word(copies[i], 1) == 0) continue;
        order = std::max(order, read_word(copies[i], 0));
        seen = true;
    }
    return seen ? Extreme{static_cast<int64_t>(order ^ order_flip(type.aggregation, type.is_signed)), true} : Extreme{};
}

Histogram fold_histogram(const Copies& copies, const Type& type) {
    Histogram out{std::vector<uint64_t>(bucket_count(type))};
    for (size_t bucket = 0; bucket < out.buckets.size(); bucket++) out.buckets[bucket] = sum_words(copies, bucket);
    return out;
}

int64_t of_order(uint64_t order, Aggregation a) { return static_cast<int64_t>(order ^ order_flip(a, true)); }

// An order of zero is that of the value which every other one replaces, so a CPU that has counted nothing needs no
// care.
Distribution read_distribution(View8 bytes) {
    Distribution out;
    out.count = read_word(bytes, 0);
    out.sum = static_cast<int64_t>(read_word(bytes, 1));
    out.least = of_order(read_word(bytes, 2), Aggregation::min);
    out.greatest = of_order(read_word(bytes, 3), Aggregation::max);
    for (size_t i = 0; i < dist_buckets; i++) out.buckets[i] = read_word(bytes, dist_header + i);
    return out;
}

Distribution fold_distribution(const Copies& copies) {
    Distribution out;
    for (size_t i = 0; i < copies.count(); i++) merge(out, read_distribution(copies[i]));
    return out;
}

int64_t extreme_of(const Copies& copies, size_t word, Aggregation which) {
    uint64_t order = 0;
    for (size_t i = 0; i < copies.count(); i++) order = std::max(order, read_word(copies[i], word));
    return of_order(order, which);
}

std::vector<uint64_t> buckets_of(const Copies& copies, uint32_t begin, uint32_t count) {
    std::vector<uint64_t> out(begin == 0 ? 0 : count);
    for (size_t i = 0; i < out.size(); i++) out[i] = sum_words(copies, begin + i);
    return out;
}

Samples fold_samples(const Copies& copies, const Type& type) {
    const SamplesLayout at = samples_layout(type);
    Samples out;
    out.count = sum_words(copies, 0);
    out.sum = static_cast<int64_t>(sum_words(copies, 1));
    out.has_extremes = at.extremes != 0 && out.count != 0;
    if (out.has_extremes) {
        out.least = extreme_of(copies, at.extremes, Aggregation::min);
        out.greatest = extreme_of(copies, at.extremes + 1, Aggregation::max);
    }
    for (size_t i = 0; at.squares != 0 && i < copies.count(); i++) {
        const uint64_t low = out.squares_low + read_word(copies[i], at.squares);
        out.squares_high += read_word(copies[i], at.squares + 1) + (low < out.squares_low);
        out.squares_low = low;
    }
    out.log = buckets_of(copies, at.log, log_buckets);
    out.linear = buckets_of(copies, at.linear, at.linear_count);
    return out;
}

Series fold_series(const Copies& copies, const Type& type) {
    SeriesFold fold(type);
    for (size_t i = 0; i < copies.count(); i++) {
        for (uint32_t at = 0; at < series_size(type); at += series_words)
            fold.add(read_word(copies[i], at), read_word(copies[i], at + 1), read_word(copies[i], at + 2));
    }
    return fold.take();
}

Data fold_aggregation(const Copies& copies, const Type& type) {
    switch (type.aggregation) {
        case Aggregation::none:
            break;
        case Aggregation::count:
        case Aggregation::sum:
            return static_cast<int64_t>(sum_words(copies, 0));
        case Aggregation::min:
        case Aggregation::max:
            return fold_extreme(copies, type);
        case Aggregation::avg:
        case Aggregation::stats:
            return Average{static_cast<int64_t>(sum_words(copies, 0)), sum_words(copies, 1)};
        case Aggregation::hist:
        case Aggregation::lhist:
            return fold_histogram(copies, type);
        case Aggregation::dist:
            return fold_distribution(copies);
        case Aggregation::samples:
            return fold_samples(copies, type);
        case Aggregation::tseries:
            return fold_series(copies, type);
    }
    return int64_t{0};
}

Result<Value> fold(const Type& type, const Copies& copies) {
    switch (type.kind) {
        case Kind::aggregation:
            return Value{type, fold_aggregation(copies, type)};
        case Kind::integer: {  // one per CPU where it is only counted up and down
            uint64_t sum = 0;
            for (size_t i = 0; i < copies.count(); i++) sum += read_bits(copies[i], 0, type.size);
            return Value{type, widened(sum, type)};
        }
        case Kind::string:
        case Kind::stack:
        case Kind::structure:
        case Kind::array:
        case Kind::tuple:
        case Kind::buffer:
            if (copies.count() != 1) return Error{fmt::format("{} cannot be kept per CPU", type_name(type)), "", 0};
            return read_value(type, copies[0], 0, "a value");
        case Kind::none:
        case Kind::record:
            break;
    }
    return unreadable(type);
}

// The copies in an entry, each as large as the map's value and that large enough for its type.
Result<Copies> copies_in(const PlannedMap& map, const Bytes& bytes) {
    const auto size = size_of(map.value);
    if (!size || map.value_size == 0) return unreadable(map.value);
    const size_t need = *size + (map.key.empty() ? scalar_mark : 0);
    if (need > map.value_size) return too_short("a value", map.value_size, need);
    const bool per_cpu = is_per_cpu(map.shape);
    const size_t each = per_cpu ? padded(map.value_size) : map.value_size;
    if (bytes.size() < each) return too_short("a value", bytes.size(), each);
    if (!per_cpu) return Copies(View8(bytes).first(each), each);
    // Cut inside the copy of some CPU.
    if (bytes.size() % each != 0) return too_short("values per CPU", bytes.size(), (bytes.size() / each + 1) * each);
    return Copies(bytes, each);
}

Result<std::optional<MapEntry>> read_entry(const PlannedMap& map, const RawEntry& raw) {
    const Result<Copies> copies = copies_in(map, raw.value);
    if (!copies) return copies.error();
    if (map.key.empty() && copies->unmarked()) return std::optional<MapEntry>{};
    Result<std::vector<Value>> key = read_key(map.key, raw.key);
    if (!key) return key.error();
    Result<Value> value = fold(map.value, *copies);
    if (!value) return value.error();
    return std::optional<MapEntry>{MapEntry{*std::move(key), *std::move(value)}};
}

}  // namespace

Result<std::vector<Value>> decode_key(const std::vector<Type>& types, std::span<const uint8_t> bytes) {
    return read_key(types, bytes);
}

Result<MapContent> decode_map(const PlannedMap& map, std::span<const RawEntry> entries) {
    MapContent content{map.name, {}};
    content.value = map.value;
    content.entries.reserve(entries.size());
    for (const RawEntry& raw : entries) {
        Result<std::optional<MapEntry>> entry = read_entry(map, raw);
        if (!entry) return entry.error_in("cannot read map " + map.name);
        if (entry->has_value()) content.entries.push_back(**std::move(entry));
    }
    return content;
}

// One value, folded already.
static Result<Value> read_samples(const EventField& field, View8 record) {
    if (field.type.aggregation != Aggregation::samples) return unreadable(field.type);
    const size_t size = aggregation_words(field.type) * 8;
    if (field.offset > record.size() || size > record.size() - field.offset)
        return too_short("an event", record.size(), field.offset + size);
    return Value{field.type, fold_samples(Copies(record.subspan(field.offset, size), size), field.type)};
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
        Result<Value> value = planned.kind == EventKind::histogram
                                  ? read_samples(field, record)
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
