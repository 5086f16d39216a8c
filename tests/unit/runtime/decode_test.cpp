// Bytes to values, and that bytes which do not fit the plan are refused.
#include "runtime/values/decode.h"
#include "runtime/maps/map_reader.h"

#include <gtest/gtest.h>

#include <limits>

namespace lt {
namespace {

Bytes words(std::initializer_list<int64_t> list) {
    Bytes out;
    for (int64_t word : list) {
        for (int shift = 0; shift < 64; shift += 8)
            out.push_back(static_cast<uint8_t>(static_cast<uint64_t>(word) >> shift));
    }
    return out;
}

Bytes text(std::string_view s, size_t size) {
    Bytes out(s.begin(), s.end());
    out.resize(size);
    return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

PlannedMap map_of(MapShape shape, Type value, uint32_t value_size, std::vector<Type> key = {}) {
    if (key.empty()) value_size += scalar_mark;
    return {"@x", "lt_map_0", shape, std::move(key), 0, value, value_size, 16};
}

PlannedMap aggregated(Aggregation a, uint32_t size) {
    return map_of(MapShape::per_cpu_array, aggregation_type(a), size);
}

// The copies of each CPU, each with its mark.
Bytes marked(const PlannedMap& map, const Bytes& value, int64_t mark = 1) {
    const size_t each = map.value_size - scalar_mark;
    Bytes out;
    for (size_t at = 0; at < value.size(); at += each) {
        Bytes copy(value.begin() + static_cast<ptrdiff_t>(at), value.begin() + static_cast<ptrdiff_t>(at + each));
        out = std::move(out) + copy + words({mark});
    }
    return out;
}

Data scalar(const PlannedMap& map, const Bytes& value) {
    const RawEntry raw{Bytes(4), marked(map, value)};
    const auto content = decode_map(map, {&raw, 1});
    EXPECT_TRUE(content) << content.error().what;
    EXPECT_EQ(content->entries.size(), 1U);
    return content->entries[0].value.data;
}

std::string refusal(const PlannedMap& map, RawEntry raw) {
    const auto content = decode_map(map, {&raw, 1});
    return content ? "read" : content.error().what;
}

TEST(DecodeMap, Integers) {
    const auto read = [](Type type, Bytes bytes) {
        return std::get<int64_t>(scalar(map_of(MapShape::array, type, 8), bytes));
    };
    EXPECT_EQ(read(integer_type(8), words({-5})), -5);
    EXPECT_EQ(read(integer_type(4), words({0xffffffff})), -1);
    EXPECT_EQ(read(integer_type(4, false), words({-1})), 4294967295);
    EXPECT_EQ(read(integer_type(1), words({0x1ff})), -1);
    EXPECT_EQ(read(integer_type(2, false), words({0x1ffff})), 65535);
}

TEST(DecodeMap, StringsEndAtZeroOrAtTheirSize) {
    const PlannedMap map = map_of(MapShape::array, string_type(4), 4);
    EXPECT_EQ(std::get<std::string>(scalar(map, text(std::string_view("ab\0d", 4), 4))), "ab");
    EXPECT_EQ(std::get<std::string>(scalar(map, text("abcd", 4))), "abcd");
}

TEST(DecodeMap, Keys) {
    const PlannedMap map =
        map_of(MapShape::hash, integer_type(), 8, {string_type(12), integer_type(4), integer_type(8, false)});
    const RawEntry raw{text("mysqld", 16) + words({-7, -1}), words({0})};
    const auto content = decode_map(map, {&raw, 1});
    ASSERT_TRUE(content);
    ASSERT_EQ(content->entries.size(), 1U);
    const auto& key = content->entries[0].key;
    ASSERT_EQ(key.size(), 3U);
    EXPECT_EQ(std::get<std::string>(key[0].data), "mysqld");
    EXPECT_EQ(std::get<int64_t>(key[1].data), -7);
    EXPECT_EQ(std::get<int64_t>(key[2].data), -1);
    EXPECT_EQ(content->name, "@x");
}

TEST(DecodeMap, FoldsOverCpus) {
    EXPECT_EQ(std::get<int64_t>(scalar(aggregated(Aggregation::count, 8), words({1, 2, 0, 4}))), 7);
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(std::get<int64_t>(scalar(aggregated(Aggregation::sum, 8), words({most, 1}))), -most - 1);
    EXPECT_EQ(std::get<Average>(scalar(aggregated(Aggregation::avg, 16), words({-10, 2, 4, 1}))), (Average{-6, 3}));
}

TEST(DecodeMap, FoldsExtremesFromTheirOrder) {
    const auto read = [](Aggregation a, bool is_signed, std::vector<int64_t> per_cpu) {
        PlannedMap map = aggregated(a, 16);
        map.value.is_signed = is_signed;
        Bytes bytes;
        for (int64_t v : per_cpu)
            bytes = std::move(bytes) +
                    words({static_cast<int64_t>(static_cast<uint64_t>(v) ^ order_flip(a, is_signed)), 1});
        return std::get<Extreme>(scalar(map, std::move(bytes) + words({0, 0})));
    };
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    EXPECT_EQ(read(Aggregation::min, true, {5, -3, 7}), (Extreme{-3, true}));
    EXPECT_EQ(read(Aggregation::max, true, {-5, -8}), (Extreme{-5, true}));
    EXPECT_EQ(read(Aggregation::max, true, {least}), (Extreme{least, true}));
    EXPECT_EQ(read(Aggregation::min, false, {-1, 9}), (Extreme{9, true}));
    EXPECT_EQ(read(Aggregation::max, false, {-1, 9}), (Extreme{-1, true}));
    EXPECT_EQ(read(Aggregation::min, true, {}), (Extreme{0, false}));
}

TEST(DecodeMap, FoldsHistograms) {
    Bytes cpu(hist_buckets * 8);
    cpu[3 * 8] = 2;
    const auto histogram = std::get<Histogram>(scalar(aggregated(Aggregation::hist, hist_buckets * 8), cpu + cpu));
    ASSERT_EQ(histogram.buckets.size(), hist_buckets);
    EXPECT_EQ(histogram.buckets[3], 4U);
    EXPECT_EQ(histogram.buckets[2], 0U);
}

TEST(DecodeMap, FoldsDistributions) {
    const auto cpu = [](int64_t least, int64_t greatest) {
        const auto order = [](Aggregation a, int64_t v) {
            return static_cast<int64_t>(static_cast<uint64_t>(v) ^ order_flip(a, true));
        };
        Bytes bytes = words({2, least + greatest, order(Aggregation::min, least), order(Aggregation::max, greatest)});
        bytes.resize(dist_words(true) * 8);
        bytes[(dist_header + 5) * 8] = 2;
        return bytes;
    };
    const Bytes idle(dist_words(true) * 8);
    const PlannedMap map = aggregated(Aggregation::dist, dist_words(true) * 8);
    const auto d = std::get<Distribution>(scalar(map, cpu(-7, 3) + idle + cpu(2, 9)));
    EXPECT_EQ(d.count, 4U);
    EXPECT_EQ(d.sum, 7);
    EXPECT_EQ(d.least, -7);
    EXPECT_EQ(d.greatest, 9);
    EXPECT_EQ(d.buckets[5], 4U);
    EXPECT_EQ(std::get<Distribution>(scalar(map, idle)), Distribution{});
}

TEST(DecodeMap, ScalarsNeverSetAreLeftOut) {
    const PlannedMap map = aggregated(Aggregation::count, 8);
    const auto entries = [&](const Bytes& value) {
        const RawEntry raw{Bytes(4), value};
        const auto content = decode_map(map, {&raw, 1});
        EXPECT_TRUE(content);
        return content->entries.size();
    };
    EXPECT_EQ(entries(marked(map, words({0, 0}), 0)), 0U);
    EXPECT_EQ(entries(marked(map, words({0, 0}))), 1U) << "a sum may be zero";
}

// More than lie in one piece of memory, and more CPUs than one.
TEST(DecodeMap, ManyEntriesAreMadeOneByOne) {
    const PlannedMap map = map_of(MapShape::per_cpu_hash, aggregation_type(Aggregation::count), 8, {integer_type()});
    std::vector<RawEntry> raw;
    for (int64_t i = 0; i < 100'000; i++) raw.push_back({words({i}), words({i, 2 * i, 0})});
    const auto content = decode_map(map, raw);
    ASSERT_TRUE(content) << content.error().what;
    ASSERT_EQ(content->entries.size(), raw.size());
    for (const size_t i : {0U, 1U, 15'419U, 15'420U, 65'536U, 99'999U}) {
        const MapEntry entry = content->entries[i];
        EXPECT_EQ(std::get<int64_t>(entry.key.at(0).data), static_cast<int64_t>(i));
        EXPECT_EQ(std::get<int64_t>(entry.value.data), static_cast<int64_t>(3 * i));
    }
    raw.push_back({words({1, 2}), words({1, 1, 1})});
    EXPECT_EQ(decode_map(map, raw).error().what, "cannot read map @x: a key of 16 bytes follows keys of 8");
}

TEST(DecodeMap, ChangesComeBeforeAndFinishesOnlyForReaders) {
    const PlannedMap map = map_of(MapShape::hash, integer_type(), 8, {integer_type()});
    const RawEntry raw{words({1}), words({40})};
    auto content = decode_map(map, {&raw, 1});
    ASSERT_TRUE(content);
    const auto number = [](const MapEntry& entry) { return std::get<int64_t>(entry.value.data); };
    content->entries.change([](MapEntry& entry) { entry.value.data = std::get<int64_t>(entry.value.data) / 4; });
    content->entries.finish([](MapEntry& entry) { entry.value.data = std::get<int64_t>(entry.value.data) + 1; });
    EXPECT_EQ(number(content->entries.plain(0)), 10);
    EXPECT_EQ(number(content->entries[0]), 11);
    EXPECT_EQ(number(content->entries.all().at(0)), 11);
}

TEST(DecodeMap, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal(aggregated(Aggregation::avg, 16), {Bytes(4), words({1, 1, 1, 1})}),
              "cannot read map @x: values per CPU of 32 bytes, 48 expected");
    EXPECT_EQ(refusal(aggregated(Aggregation::avg, 16), {Bytes(4), {}}),
              "cannot read map @x: a value of 0 bytes, 24 expected");
    EXPECT_EQ(refusal(aggregated(Aggregation::hist, 8), {Bytes(4), words({1})}),
              "cannot read map @x: a value of 16 bytes, 536 expected");
    EXPECT_EQ(
        refusal(map_of(MapShape::hash, integer_type(), 8, {integer_type(), integer_type()}), {words({1}), words({1})}),
        "cannot read map @x: a key of 8 bytes, 16 expected");
    EXPECT_EQ(refusal(map_of(MapShape::per_cpu_array, string_type(8), 8), {Bytes(4), words({1, 1, 1, 1})}),
              "cannot read map @x: a string cannot be kept per CPU");
    EXPECT_EQ(refusal(map_of(MapShape::array, integer_type(3), 8), {Bytes(4), words({1})}),
              "cannot read map @x: the plan puts i24 where it cannot be");
    EXPECT_EQ(refusal(map_of(MapShape::array, nothing(), 8), {Bytes(4), words({1})}),
              "cannot read map @x: the plan puts nothing where it cannot be");
}

Plan plan_with(std::vector<EventField> fields, uint32_t size) {
    Plan plan;
    plan.events.push_back({EventKind::exit, "", 0, 0, 1, {}, 8});
    plan.events.push_back({EventKind::text, "%d %s", 0, 0, 1, std::move(fields), size});
    return plan;
}

TEST(DecodeEvent, Fields) {
    const Plan plan = plan_with({{integer_type(4), 8}, {string_type(4), 12}, {integer_type(), 16}}, 24);
    const auto event = decode_event(plan, words({1}) + Bytes{0xff, 0xff, 0xff, 0xff, 'a', 'b', 0, 'c'} + words({7}));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->index, 1U);
    ASSERT_EQ(event->values.size(), 3U);
    EXPECT_EQ(std::get<int64_t>(event->values[0].data), -1);
    EXPECT_EQ(std::get<std::string>(event->values[1].data), "ab");
    EXPECT_EQ(std::get<int64_t>(event->values[2].data), 7);
}

TEST(DecodeEvent, AHistogramsTimeIsAnInteger) {
    Plan plan = plan_with({{integer_type(), 8}, {aggregation_type(Aggregation::count), 16}}, 24);
    plan.events[1].kind = EventKind::histogram;
    const auto event = decode_event(plan, words({1, 7, 9}));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->values.at(0).data, Data(int64_t{7}));
    EXPECT_EQ(event->values.at(1).data, Data(int64_t{9}));
}

TEST(DecodeEvent, RefusesWhatDoesNotFit) {
    const auto refused = [](const Plan& plan, Bytes record) { return decode_event(plan, record).error().what; };
    const Plan plan = plan_with({{integer_type(), 8}}, 16);
    EXPECT_EQ(refused(plan, Bytes(7)), "an event of 7 bytes, 8 expected");
    EXPECT_EQ(refused(plan, words({2})), "event 2 of a plan that has 2");
    EXPECT_EQ(refused(plan, words({1}) + Bytes(7)), "an event of 15 bytes, 16 expected");
    EXPECT_EQ(refused(plan_with({{integer_type(), 12}}, 16), words({1, 1})),
              "cannot read event 1: an event of 16 bytes, 20 expected");
    EXPECT_EQ(refused(plan_with({{integer_type(), 0xffffffff}}, 16), words({1, 1})),
              "cannot read event 1: an event of 16 bytes, 4294967303 expected");
}

Plan plan_with_percentile(std::vector<Type> key, uint32_t key_size) {
    Plan plan;
    const Type dist = aggregation_type(Aggregation::dist);
    const EventField field{integer_type(), 8, PlannedPercentile{0, whole_share / 2}};
    plan.maps.push_back({"@d", "at_d", MapShape::hash, std::move(key), key_size, dist, 0, 1});
    plan.events.push_back({EventKind::value, "", 0, 0, 1, {field}, 8 + key_size});
    return plan;
}

TEST(DecodeEvent, APercentileIsMissingAndItsKeyIsThere) {
    const Plan plan = plan_with_percentile({integer_type(), integer_type()}, 16);
    const Bytes record = words({0, 5, 6});
    const auto event = decode_event(plan, record);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->values.at(0).data, Data(Missing{}));
    const auto key = percentile_key(plan, plan.events[0].fields[0], record);
    ASSERT_TRUE(key);
    EXPECT_EQ(Bytes(key->begin(), key->end()), words({5, 6}));
}

TEST(DecodeEvent, ThePercentileOfAScalarNeedsNoKey) {
    const Plan plan = plan_with_percentile({}, 4);
    const auto key = percentile_key(plan, plan.events[0].fields[0], words({0}));
    ASSERT_TRUE(key);
    EXPECT_TRUE(key->empty());
}

TEST(DecodeEvent, RefusesAPercentileWithoutItsKeyOrMap) {
    Plan plan = plan_with_percentile({integer_type()}, 8);
    const auto refused = [&] { return percentile_key(plan, plan.events[0].fields[0], words({0})).error().what; };
    EXPECT_EQ(refused(), "an event of 8 bytes, 16 expected");
    plan.maps.clear();
    EXPECT_EQ(refused(), "a percentile of map 0 of a plan that has 0");
}

TEST(DecodeMap, StacksAsKeysAndValues) {
    const PlannedMap map = map_of(MapShape::hash, stack_type(), stack_size, {integer_type(), stack_type()});
    const RawEntry raw{words({5, 7, 1234}), words({9, 0})};
    const auto content = decode_map(map, {&raw, 1});
    ASSERT_TRUE(content) << content.error().what;
    EXPECT_EQ(std::get<Stack>(content->entries[0].key.at(1).data), (Stack{7, 1234, {}}));
    EXPECT_EQ(std::get<Stack>(content->entries[0].value.data), (Stack{9, 0, {}}));
    EXPECT_EQ(refusal(map, {words({5, 7}), words({9, 0})}), "cannot read map @x: a key of 16 bytes, 24 expected");
    Type odd = stack_type();
    odd.size = 8;
    EXPECT_EQ(refusal(map_of(MapShape::hash, odd, 8, {integer_type()}), {words({5}), words({9})}),
              "cannot read map @x: the plan puts stack where it cannot be");
}

}  // namespace
}  // namespace lt
