#include "runtime/host/host_walk.h"
#include "runtime/maps/map_reader.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <numeric>
#include <optional>

#include "runtime/maps/raw_maps.h"
#include "runtime/print/show.h"
#include "runtime/values/value_words.h"

namespace lt {
namespace {

// ---- order

using By = uint8_t;
// In the order of ast::MapOrder::By.
enum : By { by_value, by_key, by_count, by_sum, by_min, by_max, by_avg, by_variance };

// One number of a collected statistic; nothing if it has no such number.
struct Statistic {
    By by;
    bool is_signed;
    std::optional<int64_t> operator()(const Average& a) const {
        if (by == by_count) return static_cast<int64_t>(a.count);
        if (by == by_sum) return a.sum;
        return a.value(is_signed);
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
        const bool is_signed = a.value.type.is_signed;
        const auto left = std::visit(Statistic{order.by, is_signed}, a.value.data),
                   right = std::visit(Statistic{order.by, is_signed}, b.value.data);
        if (left && right) return compare_numbers(is_signed, *left, *right);
    }
    return compare(a.value, b.value);
}

bool matches(const PlannedMap& map, const Chosen& chosen, const Bytes& key) {
    size_t offset = 0;
    for (size_t i = 0; i < map.key.size(); i++) {
        const size_t room = padded_size(map.key[i].size);
        if (offset + room > key.size() || offset + room > chosen.key.size()) return chosen.parts == 0;
        const bool is_chosen = i < 64 && (chosen.parts >> i & 1) != 0;
        if (is_chosen && std::memcmp(&key[offset], &chosen.key[offset], room) != 0) return false;
        offset += room;
    }
    return true;
}

// The arrival time of each key; empty if the map does not keep it.
std::vector<uint64_t> arrivals(const PlannedMap& map, const std::vector<RawEntry>& entries) {
    std::vector<uint64_t> out;
    if (!map.keeps_order) return out;
    const ValueWords words(map);
    Bytes folded(words.copy_size());
    for (const RawEntry& entry : entries) {
        words.fold(folded, entry.value);
        uint64_t came = 0;
        std::memcpy(&came, &folded[folded.size() - sizeof came], sizeof came);
        out.push_back(came);
    }
    return out;
}

}  // namespace

Bytes fold_bytes(const PlannedMap& map, std::span<const uint8_t> copies) {
    const ValueWords words(map);
    Bytes out(words.copy_size());
    words.fold(out, copies);
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
    const std::vector<MapEntry> decoded = content->entries.all();
    std::vector<size_t> ranks(all.size());
    std::iota(ranks.begin(), ranks.end(), size_t{0});
    const std::vector<uint64_t> came = arrivals(map, all);
    const auto by_order = [&](size_t a, size_t b) {
        return chosen.order.as_they_came ? std::strong_ordering::equal
                                         : compare_by(chosen.order, decoded[a], decoded[b]);
    };
    std::ranges::sort(ranks, [&](size_t a, size_t b) {
        const auto order = by_order(a, b);
        if (order != std::strong_ordering::equal) return chosen.order.descending ? order > 0 : order < 0;
        if (!came.empty() && came[a] != came[b]) return came[a] < came[b];
        return compare(decoded[a].key, decoded[b].key) < 0;
    });
    if (ranks.size() > chosen.most) ranks.resize(chosen.most);
    const ValueWords words(map);
    std::vector<Bytes> out;
    for (size_t i : ranks) {
        Bytes bytes = all[i].key;
        bytes.resize(bytes.size() + words.copy_size());
        words.fold(std::span(bytes).last(words.copy_size()), all[i].value);
        out.push_back(std::move(bytes));
    }
    return out;
}

}  // namespace lt
