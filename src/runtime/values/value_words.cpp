#include "runtime/values/value_words.h"

#include <algorithm>
#include <cstring>

#include "runtime/border/layouts/samples.h"
#include "runtime/values/series_fold.h"

namespace lt {
namespace {

constexpr size_t word_size = sizeof(uint64_t);
constexpr size_t dist_least = 2, dist_greatest = 3;  // words of dist(), see runtime/border/plan.h

uint64_t word_at(std::span<const uint8_t> bytes, size_t index) {
    uint64_t word = 0;
    std::memcpy(&word, &bytes[index * word_size], word_size);
    return word;
}

void set_word(std::span<uint8_t> bytes, size_t index, uint64_t word) {
    std::memcpy(&bytes[index * word_size], &word, word_size);
}

// The word with the order of an extreme, or with the mark that there was a value.
bool takes_largest(const Type& type, size_t word) {
    const Aggregation a = type.aggregation;
    if (is_extreme(a)) return true;
    if (a == Aggregation::dist) return word == dist_least || word == dist_greatest;
    if (a != Aggregation::samples) return false;
    const uint32_t extremes = samples_layout(type).extremes;
    return extremes != 0 && (word == extremes || word == extremes + 1);
}

// The index of the word with the sum of the values; `none` if there is none.
size_t totals_at(const Type& type) {
    constexpr size_t none = ~size_t{0};
    switch (type.aggregation) {
        case Aggregation::sum:
        case Aggregation::avg:
        case Aggregation::stats:
            return 0;
        case Aggregation::dist:
        case Aggregation::samples:
            return 1;
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::tseries:
        case Aggregation::why:
            return none;
    }
    return none;
}

}  // namespace

ValueWords::ValueWords(const PlannedMap& map)
    : per_cpu_(is_per_cpu(map.shape)),
      is_signed_(map.value.is_signed),
      copy_size_(per_cpu_ ? padded_size(map.value_size) : map.value_size) {
    const size_t words = padded_size(map.value_size) / word_size;
    for (size_t word = 0; word < words; word++) rules_.push_back(rule_of(map.value, word));
    if (map.key.empty() && !rules_.empty()) rules_.back() = Rule::largest;  // the mark of a scalar
    if (map.keeps_order && !rules_.empty()) rules_.back() = Rule::first;
    if (map.value.aggregation == Aggregation::tseries) series_ = series_shape(map.value);
}

ValueWords::Rule ValueWords::rule_of(const Type& type, size_t word) {
    if (takes_largest(type, word)) return Rule::largest;
    if (totals_at(type) == word) {
        const bool has_sign = type.aggregation == Aggregation::dist || type.aggregation == Aggregation::samples;
        return has_sign || type.is_signed ? Rule::total : Rule::whole;
    }
    const bool wide = type.aggregation == Aggregation::samples && word != 0;
    return wide && word == samples_layout(type).squares ? Rule::low : Rule::sum;
}

// Sums wrap around like the kernel's own additions; this is recorded.
void ValueWords::join_copy(std::span<uint8_t> into, std::span<const uint8_t> one) const {
    uint64_t carried = 0;
    if (series_) join_series(into, one);
    const size_t joined = series_ ? series_words * static_cast<size_t>(series_->count) : 0;
    for (size_t i = joined; i < rules_.size(); i++) {
        const uint64_t before = word_at(into, i), more = word_at(one, i);
        const uint64_t sum = before + more + carried;
        carried = rules_[i] == Rule::low && sum < before;
        const bool left_signed = rules_[i] == Rule::total && ((before ^ sum) & (more ^ sum)) >> 63 != 0;
        overflowed_ = overflowed_ || left_signed || (rules_[i] == Rule::whole && sum < before);
        const bool is_first = rules_[i] == Rule::first && before != 0 && (more == 0 || before < more);
        const uint64_t word = rules_[i] == Rule::first ? (is_first ? before : more) : sum;
        set_word(into, i, rules_[i] == Rule::largest ? std::max(before, more) : word);
    }
}

void ValueWords::join_series(std::span<uint8_t> into, std::span<const uint8_t> one) const {
    const auto place = [](std::span<const uint8_t> bytes, size_t at) {
        return SeriesPlace{word_at(bytes, at), word_at(bytes, at + 1), word_at(bytes, at + 2)};
    };
    for (size_t at = 0; at < series_words * static_cast<size_t>(series_->count); at += series_words) {
        SeriesPlace joined = place(into, at);
        if (!lt::join(joined, place(one, at), series_->of, is_signed_)) overflowed_ = true;
        set_word(into, at, joined.number);
        set_word(into, at + 1, joined.value);
        set_word(into, at + 2, joined.more);
    }
}

void ValueWords::join(std::span<uint8_t> into, std::span<const uint8_t> more) const {
    const size_t each = rules_.size() * word_size;
    for (size_t at = 0; each != 0 && at + each <= std::min(into.size(), more.size()); at += each)
        join_copy(into.subspan(at, each), more.subspan(at, each));
}

void ValueWords::fold(std::span<uint8_t> into, std::span<const uint8_t> copies) const {
    if (!per_cpu_) {
        std::ranges::copy(copies.first(std::min(copies.size(), into.size())), into.begin());
        return;
    }
    std::ranges::fill(into, uint8_t{0});
    for (size_t at = 0; copy_size_ != 0 && at + copy_size_ <= copies.size(); at += copy_size_)
        join_copy(into, copies.subspan(at, copy_size_));
}

}  // namespace lt
