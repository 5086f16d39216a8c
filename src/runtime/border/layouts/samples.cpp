#include "runtime/border/layouts/samples.h"

#include <algorithm>

namespace lt {

SamplesLayout samples_layout(const Type& type) {
    SamplesLayout out;
    if (!type.shape || type.shape->buckets.empty()) return out;
    const std::vector<int64_t>& b = type.shape->buckets;
    const auto take = [&](int64_t part, uint32_t words, uint32_t& begin) {
        if ((b[0] & part) == 0) return;
        begin = out.words;
        out.words += words;
    };
    take(samples_extremes, 2, out.extremes);
    take(samples_squares, 2, out.squares);
    take(samples_log, log_buckets, out.log);
    if (b.size() == 4 && b[3] > 0 && b[2] > b[1] && (b[2] - b[1]) / b[3] + 3 <= most_linear_buckets) {
        out.linear_count = static_cast<uint32_t>((b[2] - b[1]) / b[3]) + 3;
        take(samples_linear, out.linear_count, out.linear);
    }
    return out;
}

// Exact in 128 bits: the square of a 63-bit sum fits.
uint64_t sample_variance(uint64_t count, int64_t sum, uint64_t squares_low, uint64_t squares_high) {
    using Wide = unsigned __int128;
    if (count < 2) return 0;
    const Wide size = sum < 0 ? 0 - static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
    const Wide squares = Wide{squares_high} << 64 | squares_low, expected = size * size / count;
    const Wide variance = squares < expected ? 0 : (squares - expected) / (count - 1);
    return static_cast<uint64_t>(std::min(variance, Wide{INT64_MAX}));
}

}  // namespace lt
