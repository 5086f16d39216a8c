#include "host_walk.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <numeric>
#include <optional>

#include "raw_maps.h"
#include "runtime/samples.h"
#include "show.h"

namespace lt {
namespace {

uint64_t word_at(std::span<const uint8_t> bytes, size_t offset) {
    uint64_t word = 0;
    if (offset + sizeof word <= bytes.size()) std::memcpy(&word, &bytes[offset], sizeof word);
    return word;
}

// Words that are no sums: orders of extremes, and what tells that there was a value.
bool takes_largest(const PlannedMap& map, size_t word) {
    const bool mark = map.key.empty() && (word + 1) * sizeof(uint64_t) == map.value_size;
    switch (map.value.aggregation) {
        case Aggregation::min:
        case Aggregation::max:
            return true;
        case Aggregation::samples: {
            const uint32_t at = samples_layout(map.value).extremes;
            return mark || (at != 0 && (word == at || word == at + 1));
        }
        case Aggregation::dist:
            return mark || word == 2 || word == 3;
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::avg:
        case Aggregation::hist:
        case Aggregation::stats:
        case Aggregation::lhist:
        case Aggregation::tseries:
            return mark;
    }
    return mark;
}

void carry(Bytes& bytes, size_t word) {
    const uint64_t more = word_at(bytes, word * sizeof(uint64_t)) + 1;
    if ((word + 1) * sizeof more <= bytes.size()) std::memcpy(&bytes[word * sizeof more], &more, sizeof more);
}

// ---- order

using By = uint8_t;
// As ast::MapOrder::By.
enum : By { by_value, by_key, by_count, by_sum, by_min, by_max, by_avg, by_variance };

// A number of what was collected; none where there is no such number.
struct Statistic {
    By by;
    std::optional<int64_t> operator()(const Average& a) const {
        if (by == by_count) return static_cast<int64_t>(a.count);
        if (by == by_sum) return a.sum;
        return a.count == 0 ? 0 : a.sum / static_cast<int64_t>(a.count);
    }
    std::optional<int64_t> operator()(const Distribution& d) const {
        if (by == by_sum) return d.sum;
        if (by == by_min) return d.least;
        if (by == by_max) return d.greatest;
        if (by == by_avg) return d.count == 0 ? 0 : d.sum / static_cast<int64_t>(d.count);
        return static_cast<int64_t>(d.count);
    }
    std::optional<int64_t> operator()(const Samples& s) const {
        if (by == by_sum) return s.sum;
        if (by == by_min) return s.least;
        if (by == by_max) return s.greatest;
        if (by == by_avg) return s.average();
        if (by == by_variance) return static_cast<int64_t>(s.variance());
        return static_cast<int64_t>(s.count);
    }
    std::optional<int64_t> operator()(const auto&) const { return std::nullopt; }
};

std::strong_ordering compare_numbers(bool is_signed, int64_t a, int64_t b) {
    return is_signed ? a <=> b : static_cast<uint64_t>(a) <=> static_cast<uint64_t>(b);
}

std::strong_ordering compare(const Value& a, const Value& b);

std::strong_ordering compare(const std::vector<Value>& a, const std::vector<Value>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++) {
        if (const auto order = compare(a[i], b[i]); order != std::strong_ordering::equal) return order;
    }
    return a.size() <=> b.size();
}

std::strong_ordering compare(const Value& a, const Value& b) {
    const auto *text = std::get_if<std::string>(&a.data), *other_text = std::get_if<std::string>(&b.data);
    if (text && other_text) return text->compare(*other_text) <=> 0;
    const auto *group = std::get_if<Group>(&a.data), *other_group = std::get_if<Group>(&b.data);
    if (group && other_group) return compare(group->parts, other_group->parts);
    const auto *stack = std::get_if<Stack>(&a.data), *other_stack = std::get_if<Stack>(&b.data);
    if (stack && other_stack)
        return std::pair(stack->id, stack->process) <=> std::pair(other_stack->id, other_stack->process);
    return compare_numbers(a.type.is_signed, number_of(a), number_of(b));
}

std::strong_ordering compare_by(const WalkOrder& order, const MapEntry& a, const MapEntry& b) {
    if (order.by == by_key) {
        const size_t part = order.part == 0 ? 0 : order.part - 1;
        if (order.part == 0 || part >= a.key.size() || part >= b.key.size()) return compare(a.key, b.key);
        return compare(a.key[part], b.key[part]);
    }
    if (order.by != by_value) {
        const auto left = std::visit(Statistic{order.by}, a.value.data),
                   right = std::visit(Statistic{order.by}, b.value.data);
        if (left && right) return compare_numbers(a.value.type.is_signed, *left, *right);
    }
    return compare(a.value, b.value);
}

bool matches(const PlannedMap& map, const Chosen& chosen, const Bytes& key) {
    size_t offset = 0;
    for (size_t i = 0; i < map.key.size(); i++) {
        const size_t room = padded_size(map.key[i].size);
        if (offset + room > key.size() || offset + room > chosen.key.size()) return chosen.parts == 0;
        const bool asked = i < 64 && (chosen.parts >> i & 1) != 0;
        if (asked && std::memcmp(&key[offset], &chosen.key[offset], room) != 0) return false;
        offset += room;
    }
    return true;
}

}  // namespace

Bytes fold_bytes(const PlannedMap& map, std::span<const uint8_t> copies) {
    if (!is_per_cpu(map.shape)) return Bytes(copies.begin(), copies.end());
    const size_t each = padded_size(map.value_size);
    const uint32_t squares = map.value.aggregation == Aggregation::samples ? samples_layout(map.value).squares : 0;
    const size_t wide = squares == 0 ? SIZE_MAX : squares;  // the low one of two words that are one number
    Bytes out(each);
    for (size_t at = 0; at + each <= copies.size(); at += each) {
        for (size_t word = 0; word < each / sizeof(uint64_t); word++) {
            const size_t offset = word * sizeof(uint64_t);
            const uint64_t one = word_at(copies, at + offset), before = word_at(out, offset);
            const uint64_t folded = takes_largest(map, word) ? std::max(one, before) : one + before;
            std::memcpy(&out[offset], &folded, sizeof folded);
            if (word == wide && folded < before) carry(out, word + 1);
        }
    }
    return out;
}

Result<std::vector<Bytes>> walk_entries(const PlannedMap& map, std::span<const RawEntry> entries,
                                        const Chosen& chosen) {
    std::vector<RawEntry> all;
    for (const RawEntry& entry : entries) {
        if (matches(map, chosen, entry.key)) all.push_back({entry.key, entry.value});
    }
    auto content = decode_map(map, all);
    if (!content) return content.error();
    if (content->entries.size() != all.size()) return std::vector<Bytes>{};  // a scalar that was never written
    const std::vector<MapEntry>& decoded = content->entries;
    std::vector<size_t> ranks(all.size());
    std::iota(ranks.begin(), ranks.end(), size_t{0});
    std::sort(ranks.begin(), ranks.end(), [&](size_t a, size_t b) {
        const auto order = compare_by(chosen.order, decoded[a], decoded[b]);
        if (order != std::strong_ordering::equal) return chosen.order.descending ? order > 0 : order < 0;
        return compare(decoded[a].key, decoded[b].key) < 0;
    });
    if (ranks.size() > chosen.most) ranks.resize(chosen.most);
    std::vector<Bytes> out;
    for (size_t i : ranks) {
        Bytes bytes = all[i].key;
        const Bytes value = fold_bytes(map, all[i].value);
        bytes.insert(bytes.end(), value.begin(), value.end());
        out.push_back(std::move(bytes));
    }
    return out;
}

}  // namespace lt
