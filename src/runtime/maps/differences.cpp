#include "runtime/maps/differences.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

// Where a value holds the lower of two words, the sum of squares of samples(); none if it has no such words.
std::optional<size_t> low_word(const PlannedMap* map) {
    if (map == nullptr || map->value.aggregation != Aggregation::samples) return {};
    const uint32_t squares = samples_layout(map->value).squares;
    return squares == 0 ? std::nullopt : std::optional<size_t>(squares * sizeof(uint64_t));
}

// Wraps around, like the kernel's additions. Without a map, it is only right whether anything is left.
Bytes difference(const Bytes& value, const Bytes& past, const PlannedMap* map = nullptr) {
    const std::optional<size_t> low = low_word(map);
    const size_t each = low ? padded_size(map->value_size) : value.size() + 1;
    uint64_t borrowed = 0;
    Bytes out(value.size());
    for (size_t at = 0; at + sizeof(uint64_t) <= value.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0, before = 0;
        std::memcpy(&word, &value[at], sizeof word);
        if (at + sizeof before <= past.size()) std::memcpy(&before, &past[at], sizeof before);
        const uint64_t rest = word - before - borrowed;
        borrowed = low && at % each == *low && word < before ? 1 : 0;
        std::memcpy(&out[at], &rest, sizeof rest);
    }
    return out;
}

bool all_zero(const Bytes& bytes) {
    return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

// A scalar's mark is not a sum: it says that the value was written. The same is true of a key's arrival time.
void set_marks(const PlannedMap& map, Bytes& value, const Bytes& now) {
    const size_t each = padded_size(map.value_size);
    for (size_t end = each; map.keeps_order && end <= std::min(value.size(), now.size()); end += each)
        std::memcpy(&value[end - arrival_mark], &now[end - arrival_mark], arrival_mark);
    for (size_t end = each; map.key.empty() && end <= value.size(); end += each) value[end - scalar_mark] = 1;
}

}  // namespace

std::vector<RawEntry> Differences::since(const PlannedMap& map, std::vector<RawEntry> now, bool reported) {
    if (reported) {
        last_ = now;
        asked_ = true;
    }
    if (past_.empty()) return now;
    std::vector<RawEntry> out;
    std::set<Bytes> seen;
    const auto add = [&](const Bytes& key, Bytes value, const Bytes& whole) {
        if (!shown(key, value)) return;
        set_marks(map, value, whole);
        out.push_back({key, std::move(value)});
    };
    for (RawEntry& entry : now) {
        const auto past = past_.find(entry.key);
        if (past == past_.end()) {
            out.push_back(std::move(entry));
            continue;
        }
        seen.insert(entry.key);
        add(entry.key, difference(entry.value, past->second, &map), entry.value);
    }
    // what was added to a key while it was removed
    for (const auto& [key, past] : past_) {
        if (!seen.contains(key)) add(key, difference(Bytes(past.size()), past, &map), past);
    }
    return out;
}

std::optional<Bytes> Differences::rest(const PlannedMap& map, const Bytes& key, std::optional<Bytes> value) const {
    const auto past = past_.find(key);
    if (past == past_.end()) return value;
    Bytes out = difference(value ? *value : Bytes(past->second.size()), past->second, &map);
    if (all_zero(out)) return std::nullopt;
    set_marks(map, out, value ? *value : past->second);
    return out;
}

std::vector<Bytes> Differences::clear(const std::optional<std::vector<RawEntry>>& now, size_t room) {
    const std::vector<RawEntry>& all = now ? *now : last_;
    const std::map<Bytes, Bytes> before = std::exchange(past_, {});
    kept_.clear();
    std::vector<Bytes> idle;
    for (const RawEntry& entry : all) {
        const auto past = before.find(entry.key);
        if (past != before.end() && past->second == entry.value) idle.push_back(entry.key);
        past_[entry.key] = entry.value;
    }
    const bool fills_up = 4 * all.size() > room, makes_room = 8 * idle.size() >= room || 4 * all.size() > 3 * room;
    if (!fills_up || !makes_room) idle.clear();
    last_.clear();
    asked_ = false;
    return idle;
}

void Differences::taken_out(const PlannedMap& map, const std::vector<RawEntry>& entries) {
    for (const auto& [key, value] : entries) {
        Bytes& past = past_[key];
        past.resize(value.size());
        past = difference(past, value, &map);
        if (all_zero(past))
            past_.erase(key);
        else
            set_marks(map, past, value);
    }
}

bool Differences::shown(const Bytes& key, const Bytes& value) const { return !all_zero(value) || kept_.contains(key); }

void Differences::zero(const std::optional<std::vector<RawEntry>>& now) {
    const std::vector<RawEntry>& all = now ? *now : last_;
    std::map<Bytes, Bytes> next;
    std::set<Bytes> shown_keys;
    for (const RawEntry& entry : all) {
        const auto past = past_.find(entry.key);
        if (shown(entry.key, past == past_.end() ? entry.value : difference(entry.value, past->second)))
            shown_keys.insert(entry.key);
        next[entry.key] = entry.value;
    }
    // what was removed from the kernel's map and was shown
    for (const auto& [key, past] : past_) {
        if (next.contains(key) || !shown(key, difference(Bytes(past.size()), past))) continue;
        shown_keys.insert(key);
        next[key] = Bytes(past.size());
    }
    past_ = std::move(next);
    kept_ = std::move(shown_keys);
    last_.clear();
    asked_ = false;
}

}  // namespace lt
