// How the values of several CPUs, and of two generations, become one.
#include "runtime/values/value_words.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/border/layouts/samples.h"
#include "runtime/maps/raw_maps.h"

namespace lt {
namespace {

using Words = std::vector<uint64_t>;

Bytes bytes(const Words& words) {
    Bytes out(words.size() * sizeof(uint64_t));
    std::memcpy(out.data(), words.data(), out.size());
    return out;
}

Words words(const Bytes& bytes) {
    Words out(bytes.size() / sizeof(uint64_t));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

PlannedMap map_of(Type value, uint32_t words, MapShape shape = MapShape::per_cpu_hash) {
    const bool keyed = shape == MapShape::hash || shape == MapShape::per_cpu_hash;
    return {"@x", "lt_map_0", shape,     keyed ? std::vector{integer_type()} : std::vector<Type>{},
            8,    value,      words * 8, 16};
}

Words fold(const PlannedMap& map, const Words& copies) {
    const ValueWords joined(map);
    Bytes out(joined.copy_size());
    joined.fold(out, bytes(copies));
    return words(out);
}

TEST(ValueWords, SumsWrapAround) {
    EXPECT_EQ(fold(map_of(aggregation_type(Aggregation::stats), 2), {UINT64_MAX, 1, 3, 2}), (Words{2, 3}));
}

TEST(ValueWords, NoteASumThatDoesNotFit) {
    const auto overflows = [](Aggregation a, bool is_signed, const Words& copies) {
        Type type = aggregation_type(a);
        type.is_signed = is_signed;
        const PlannedMap map = map_of(type, a == Aggregation::sum ? 1 : 2);
        const ValueWords joined(map);
        Bytes out(joined.copy_size());
        joined.fold(out, bytes(copies));
        return joined.has_overflowed();
    };
    constexpr uint64_t most = INT64_MAX, least = uint64_t{1} << 63;
    EXPECT_TRUE(overflows(Aggregation::sum, true, {most, 1}));
    EXPECT_TRUE(overflows(Aggregation::sum, true, {least, UINT64_MAX}));
    EXPECT_FALSE(overflows(Aggregation::sum, true, {most, UINT64_MAX}));
    EXPECT_FALSE(overflows(Aggregation::sum, false, {most, 1}));
    EXPECT_TRUE(overflows(Aggregation::sum, false, {UINT64_MAX, 1}));
    EXPECT_TRUE(overflows(Aggregation::avg, true, {most, 1, 1, 1}));
    EXPECT_FALSE(overflows(Aggregation::avg, false, {most, 1, 1, 1}));
    EXPECT_TRUE(overflows(Aggregation::stats, false, {UINT64_MAX, 1, 1, 1}));
    EXPECT_TRUE(overflows(Aggregation::dist, false, {0, most, 0, 1})) << "a distribution has a sign";
    EXPECT_FALSE(overflows(Aggregation::avg, true, {1, UINT64_MAX, 1, 1})) << "a count";
}

TEST(ValueWords, NoteAPointOfASeriesThatDoesNotFit) {
    const auto overflows = [](SeriesOf of, bool is_signed, uint64_t first, uint64_t second) {
        Type type = aggregation_type(Aggregation::tseries);
        type.is_signed = is_signed;
        Shape shape;
        shape.buckets = {1000, 1, static_cast<int64_t>(of)};
        type.shape = shape;
        const ValueWords joined(map_of(type, series_words));
        Bytes out(joined.copy_size());
        joined.fold(out, bytes({7, first, 1, 7, second, 1}));
        return joined.has_overflowed();
    };
    constexpr uint64_t most = INT64_MAX;
    EXPECT_TRUE(overflows(SeriesOf::sum, true, most, 1));
    EXPECT_FALSE(overflows(SeriesOf::sum, true, most, UINT64_MAX));
    EXPECT_FALSE(overflows(SeriesOf::sum, false, most, 1));
    EXPECT_TRUE(overflows(SeriesOf::avg, false, UINT64_MAX, 1));
    EXPECT_FALSE(overflows(SeriesOf::max, false, UINT64_MAX, 1));
}

TEST(ValueWords, MarksAndOrdersAreNoSums) {
    EXPECT_EQ(fold(map_of(aggregation_type(Aggregation::min), 2), {7, 1, 0, 0, 9, 1}), (Words{9, 1}));
    EXPECT_EQ(fold(map_of(aggregation_type(Aggregation::count), 2, MapShape::per_cpu_array), {7, 1, 9, 1}),
              (Words{16, 1}));
}

TEST(ValueWords, TheSumOfSquaresHasTwoWords) {
    Type type = aggregation_type(Aggregation::samples);
    Shape shape;
    shape.buckets = {samples_extremes | samples_squares, 0, 0, 0};
    type.shape = shape;
    const SamplesLayout at = samples_layout(type);
    ASSERT_EQ(at.words, 6U);
    Words copies(3 * at.words), sum(at.words);
    for (size_t cpu = 0; cpu < 3; cpu++) {
        copies[cpu * at.words] = 1;
        copies[cpu * at.words + at.extremes] = cpu;
        copies[cpu * at.words + at.squares] = uint64_t{1} << 63;
    }
    sum[0] = 3;
    sum[at.extremes] = 2;
    sum[at.squares] = uint64_t{1} << 63;
    sum[at.squares + 1] = 1;
    EXPECT_EQ(fold(map_of(type, at.words), copies), sum);
}

TEST(ValueWords, GenerationsJoinEachCpuWithItself) {
    const ValueWords joined(map_of(aggregation_type(Aggregation::max), 2));
    Bytes into = bytes({5, 1, 0, 0});
    joined.join(into, bytes({3, 1, 4, 1}));
    EXPECT_EQ(words(into), (Words{5, 1, 4, 1}));
}

TEST(ValueWords, SharedValuesStayAsTheyAre) {
    const PlannedMap map = map_of(string_type(3), 1, MapShape::hash);
    EXPECT_EQ(fold(map, {0x616263}), (Words{0x616263}));
}

}  // namespace
}  // namespace lt
