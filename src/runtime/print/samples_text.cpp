#include "runtime/print/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

constexpr uint64_t width = 50;  // of the longest bar
constexpr size_t margin = 2;    // number of empty buckets printed next to others

struct Range {
    size_t first = 0, last = 0;
};

// The buckets that are not empty, with up to two more on each side. Without negative values it starts at zero; empty
// buckets beyond the bounds are not printed.
Range shown(const std::vector<uint64_t>& buckets, bool log) {
    const auto filled = [](uint64_t n) { return n != 0; };
    const auto first = static_cast<size_t>(std::ranges::find_if(buckets, filled) - buckets.begin());
    const auto last =
        static_cast<size_t>(std::find_if(buckets.rbegin(), buckets.rend(), filled).base() - buckets.begin()) - 1;
    Range out{first, last};
    for (size_t i = 0; i < margin; i++) {
        if (out.first > 0 && !(log && out.first == log_zero)) out.first--;
        if (out.last + 1 < buckets.size()) out.last++;
    }
    if (!log && out.first == 0 && buckets.front() == 0) out.first++;
    if (!log && out.last + 1 == buckets.size() && buckets.back() == 0) out.last--;
    return out;
}

std::string label(const Type& type, SampleHistogram which, size_t bucket, size_t count) {
    if (which == SampleHistogram::log) return fmt::format("{}", log_bound(static_cast<uint32_t>(bucket)));
    const std::vector<int64_t>& b = type.shape->buckets;
    const auto n = static_cast<int64_t>(bucket);
    if (bucket == 0) return fmt::format("<{}", b[1]);
    if (bucket + 1 == count) return fmt::format(">{}", b[1] + (n - 2) * b[3]);
    return fmt::format("{}", b[1] + (n - 1) * b[3]);
}

// As wide as SystemTap's column: for linear buckets, the lower bound or the position of the last bucket.
size_t label_room(const Type& type, SampleHistogram which, const Range& range, size_t count) {
    size_t first = label(type, which, range.first, count).size(), last = label(type, which, range.last, count).size();
    if (which == SampleHistogram::linear) {
        const std::vector<int64_t>& b = type.shape->buckets;
        first = std::to_string(b[1]).size() + (range.first == 0);
        last = std::to_string(b[1] + b[3] * static_cast<int64_t>(range.last)).size() + (range.last + 1 == count);
    }
    return std::max({std::string_view("value").size(), first, last});
}

// Are this bucket and its neighbours all empty?
bool left_out(const std::vector<uint64_t>& buckets, const Range& range, size_t bucket) {
    const size_t from = std::max(range.first, bucket < margin ? 0 : bucket - margin);
    const size_t to = std::min(range.last, bucket + margin);
    return std::all_of(buckets.begin() + static_cast<ptrdiff_t>(from), buckets.begin() + static_cast<ptrdiff_t>(to) + 1,
                       [](uint64_t n) { return n == 0; });
}

}  // namespace

std::string histogram_text(const Samples& samples, const Type& type, SampleHistogram which) {
    const std::vector<uint64_t>& buckets = which == SampleHistogram::log ? samples.log : samples.linear;
    const uint64_t most = buckets.empty() ? 0 : *std::ranges::max_element(buckets);
    if (most == 0) return "";
    const uint64_t scale = (most + width - 1) / width;
    const Range range = shown(buckets, which == SampleHistogram::log);
    const size_t room = label_room(type, which, range, buckets.size());
    const size_t digits = std::to_string(most).size();
    std::string out = fmt::format("{:>{}} |{:-<{}} count\n", "value", room, "", width);
    bool gap = false;
    for (size_t i = range.first; i <= range.last; i++) {
        if (left_out(buckets, range, i)) {
            gap = true;
            continue;
        }
        if (gap) out += fmt::format("{:>{}} ~\n", "", room);
        gap = false;
        const uint64_t bar = buckets[i] / scale;
        out += fmt::format("{:>{}} |{:@<{}}{:>{}}\n", label(type, which, i, buckets.size()), room, "", bar, buckets[i],
                           width - bar + 1 + digits);
    }
    return out + "\n";
}

}  // namespace lt
