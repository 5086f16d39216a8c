#include "runtime/maps/generations.h"

#include <algorithm>
#include <utility>

namespace lt {
void Generations::add(Values& to, const Bytes& key, const Bytes& value) const {
    const auto [existing, is_new] = to.emplace(key, value);
    if (!is_new) words_.join(existing->second, value);
}

// Returns how many values had no room: without a clear(), each report can bring new keys. There is as much room as in
// the kernel's map, which has some for each generation.
Result<uint64_t> Generations::take_out() {
    const auto all = kernel_.take_out();
    if (!all) return all.error();
    const size_t most = size_t{2} * map_.max_entries;
    uint64_t left_out = 0;
    for (const RawEntry& entry : *all) {
        if (taken_.size() < most || taken_.contains(entry.key))
            add(taken_, entry.key, entry.value);
        else
            left_out++;
    }
    return left_out;
}

Result<std::vector<RawEntry>> Generations::since(bool reported) {
    if (reported) {
        const auto left_out = take_out();
        if (!left_out) return left_out.error();
        not_kept_ += *left_out;
        asked_ = true;
    }
    Values all = taken_;
    if (!reported) {
        const auto now = kernel_.entries();
        if (!now) return now.error();
        for (const RawEntry& entry : *now) add(all, entry.key, entry.value);
    }
    std::vector<RawEntry> out;
    for (auto& [key, value] : all) out.push_back({key, std::move(value)});
    return out;
}

Result<std::optional<Bytes>> Generations::rest(const Bytes& key) {
    Values one;
    if (const auto taken = taken_.find(key); taken != taken_.end()) one.insert(*taken);
    const auto value = kernel_.lookup(key);
    if (!value) return value.error();
    if (*value) add(one, key, **value);
    return one.empty() ? std::nullopt : std::optional(std::move(one.begin()->second));
}

// Takes out what clear() and zero() are about.
Status Generations::settle(bool printed) {
    if (std::exchange(asked_, false) && printed) return Done{};
    const auto left_out = take_out();
    return left_out ? Status(Done{}) : Status(left_out.error());
}

Status Generations::clear(bool printed) {
    if (Status settled = settle(printed); !settled) return settled;
    taken_.clear();
    return Done{};
}

// Scalars keep their mark. Beyond the map's limit of keys, those without updates since the last time go: nothing else
// limits them, because none stays in the kernel's map.
Status Generations::zero(bool printed) {
    if (Status settled = settle(printed); !settled) return settled;
    size_t left = taken_.size();
    std::erase_if(taken_, [&](const Values::value_type& entry) {
        const bool idle = std::ranges::all_of(entry.second, [](uint8_t byte) { return byte == 0; });
        return idle && left > map_.max_entries && left-- > 0;
    });
    const size_t each = padded_size(map_.value_size);
    for (auto& [key, value] : taken_) {
        Bytes zeros(value.size());
        for (size_t end = each; map_.key.empty() && end <= zeros.size(); end += each)
            std::copy_n(&value[end - scalar_mark], scalar_mark, &zeros[end - scalar_mark]);
        value = std::move(zeros);
    }
    return Done{};
}

}  // namespace lt
