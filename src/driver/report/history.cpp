#include "driver/report/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "driver/report/exact_key.h"
#include "runtime/border/plan.h"
#include "runtime/values/distribution.h"
#include "runtime/values/period.h"

namespace lt {
namespace {

constexpr int per_age = 12;  // the longest segment, as a part of its age

void append_number(std::string& to, uint64_t number) {
    for (; number >= 128; number >>= 7) to += static_cast<char>(number | 128);
    to += static_cast<char>(number);
}

uint64_t take_number(const std::string& from, size_t& at) {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(from[at++]);
        number |= static_cast<uint64_t>(byte & 127) << shift;
        if (byte < 128) return number;
    }
}

template <class Buckets>
std::string packed(const Buckets& buckets) {
    std::string out;
    size_t last = 0;
    for (size_t i = 0; i < buckets.size(); i++) {
        if (buckets[i] == 0) continue;
        append_number(out, i - last);
        append_number(out, buckets[i]);
        last = i;
    }
    return out;
}

template <class Buckets>
void add_packed(Buckets& to, const std::string& from) {
    size_t bucket = 0;
    for (size_t at = 0; at < from.size();) {
        bucket += take_number(from, at);
        to[bucket] += take_number(from, at);
    }
}

void merge(Data& into, const Data& from) {
    if (auto* d = std::get_if<Distribution>(&into)) {
        lt::merge(*d, std::get<Distribution>(from));
    } else if (auto* h = std::get_if<Histogram>(&into)) {
        const auto& more = std::get<Histogram>(from).buckets;
        for (size_t i = 0; i < more.size(); i++) h->buckets[i] += more[i];
    }
}

}  // namespace

bool History::keeps(const PlannedMap& map) {
    const Aggregation a = map.value.aggregation;
    return (a == Aggregation::dist || a == Aggregation::hist || a == Aggregation::lhist) && !map.shrinks;
}

History::Packed History::pack(const Data& data) {
    if (const auto* d = std::get_if<Distribution>(&data))
        return {packed(d->buckets), d->count, d->sum, d->least, d->greatest};
    return {packed(std::get<Histogram>(data).buckets)};
}

Data History::unpack(const Packed& from) const {
    if (buckets_ != 0) {
        Histogram h{std::vector<uint64_t>(buckets_)};
        add_packed(h.buckets, from.buckets);
        return h;
    }
    Distribution d;
    d.count = from.count, d.sum = from.sum, d.least = from.least, d.greatest = from.greatest;
    add_packed(d.buckets, from.buckets);
    return d;
}

uint32_t History::key_of(const MapEntry& entry, std::string exact) {
    const auto [place, is_new] = places_.try_emplace(std::move(exact), static_cast<uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(entry.key);
    return place->second;
}

void History::look(const MapContent& content, Clock::time_point now, Clock::duration paused) {
    shape_ = content;
    shape_.entries = {};
    const uint64_t left_out = content.sampled ? content.sampled->left_out : 0;
    Segment latest{segments_.empty() ? start_ : segments_.back().end,
                   now,
                   {},
                   left_out - std::min(left_out, left_out_),
                   paused - paused_};
    left_out_ = left_out;
    paused_ = paused;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const MapEntry entry = content.entries[i];
        if (const auto* h = std::get_if<Histogram>(&entry.value.data)) buckets_ = h->buckets.size();
        const uint32_t key = key_of(entry, exact_key(content.entries.collected(i).key));
        const auto before = held_.find(key);
        Data came = entry.value.data;
        if (before != held_.end()) {
            if (auto more = collected_since(entry.value, {entry.value.type, unpack(before->second)})) came = *more;
        }
        Packed part = pack(came);
        if (!part.buckets.empty()) latest.values.emplace(key, std::move(part));
        held_.insert_or_assign(key, pack(entry.value.data));
    }
    segments_.push_back(std::move(latest));
    thin(now);
}

// Merges a segment with the one after it.
void History::merge_next(size_t at) {
    Segment& into = segments_[at];
    Segment& next = segments_[at + 1];
    into.end = next.end;
    into.left_out += next.left_out;
    into.paused += next.paused;
    for (auto& [key, value] : next.values) {
        const auto [place, is_new] = into.values.try_emplace(key, std::move(value));
        if (is_new) continue;
        Data both = unpack(place->second);
        merge(both, unpack(value));
        place->second = pack(both);
    }
    segments_.erase(segments_.begin() + static_cast<ptrdiff_t>(at) + 1);
}

void History::thin(Clock::time_point now) {
    for (size_t i = 0; i + 1 < segments_.size();) {
        const auto longest = std::max<Clock::duration>(step, (now - segments_[i + 1].end) / per_age);
        if (segments_[i + 1].end - segments_[i].begin <= longest)
            merge_next(i);
        else
            i++;
    }
    while (segments_.size() > 1 && bytes() > bytes_allowed_) segments_.pop_front();
}

History::Period History::last(std::chrono::nanoseconds wanted) const {
    Period out{shape_, 0, 0, false};
    if (segments_.empty()) return out;
    const Clock::time_point end = segments_.back().end;
    const auto miss = [&](const Segment& s) { return std::chrono::abs(end - s.begin - wanted); };
    auto first = std::ranges::min_element(segments_, {}, miss);
    const Clock::time_point begin = first->begin;
    out.seconds = std::chrono::duration<double>(end - begin).count();
    out.is_all = first == segments_.begin() && end - begin < wanted;
    std::map<uint32_t, Data> sums;
    uint64_t left_out = 0;
    Clock::duration paused{};
    for (; first != segments_.end(); ++first) {
        left_out += first->left_out;
        paused += first->paused;
        for (const auto& [key, value] : first->values) {
            const auto [place, is_new] = sums.try_emplace(key, unpack(value));
            if (!is_new) merge(place->second, unpack(value));
        }
    }
    out.traced_seconds = std::chrono::duration<double>(end - begin - paused).count();
    std::vector<MapEntry> entries;
    for (auto& [key, data] : sums) entries.push_back({keys_[key], {shape_.value, std::move(data)}});
    out.content.entries = Entries(std::move(entries));
    const bool is_detached = shape_.sampled && shape_.sampled->detached;
    out.content.sampled.reset();
    if (left_out > 0 || is_detached) out.content.sampled = Sampled{left_out, is_detached};
    return out;
}

size_t History::bytes() const {
    const auto of = [](const std::map<uint32_t, Packed>& values) {
        constexpr size_t node = 48 + sizeof(Packed);
        size_t bytes = 0;
        for (const auto& [key, value] : values) bytes += node + value.buckets.capacity();
        return bytes;
    };
    size_t bytes = of(held_);
    for (const Segment& segment : segments_) bytes += sizeof segment + of(segment.values);
    return bytes;
}

std::string show_length(double seconds) {
    const auto all = static_cast<int64_t>(std::llround(seconds));
    const int64_t hours = all / 3600, minutes = all / 60 % 60, rest = all % 60;
    if (hours != 0) return minutes == 0 ? fmt::format("{}h", hours) : fmt::format("{}h{}m", hours, minutes);
    if (minutes != 0) return rest == 0 ? fmt::format("{}m", minutes) : fmt::format("{}m{}s", minutes, rest);
    return fmt::format("{}s", rest);
}

}  // namespace lt
