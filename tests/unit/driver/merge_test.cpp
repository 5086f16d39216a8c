// lt merge: the sum of the JSON of many runs is the JSON of one run over all values, for every aggregation that adds
// up.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "driver/merge/add_value.h"
#include "driver/merge/key_text.h"
#include "driver/merge/run_file.h"
#include "driver/merge/total.h"
#include "runtime/print/json_value.h"
#include "runtime/print/show.h"
#include "runtime/values/distribution.h"
#include "runtime/values/hist.h"
#include "stdlib/bpf/dist.h"

namespace lt {
namespace {

Type collected(Aggregation a, View view = View::plain, bool is_signed = true, std::vector<int64_t> buckets = {}) {
    Type type = aggregation_type(a, view);
    type.is_signed = is_signed;
    if (buckets.empty()) return type;
    Shape shape;
    shape.buckets = std::move(buckets);
    type.shape = std::move(shape);
    return type;
}

// As the programs do.
void collect(Value& into, int64_t value) {
    const Type& type = into.type;
    if (auto* d = std::get_if<Distribution>(&into.data)) {
        d->count++;
        d->sum += value;
        d->least = std::min(d->least, value);
        d->greatest = std::max(d->greatest, value);
        d->buckets[static_cast<size_t>(lt_dist_bucket(value))]++;
    } else if (auto* h = std::get_if<Histogram>(&into.data)) {
        size_t bucket = 0;
        while (bucket_range(type, bucket).greatest.value_or(INT64_MAX) < value) bucket++;
        h->buckets[bucket]++;
    } else if (auto* average = std::get_if<Average>(&into.data)) {
        average->count++;
        average->sum += value;
    } else if (auto* extreme = std::get_if<Extreme>(&into.data)) {
        const bool is_min = type.aggregation == Aggregation::min;
        if (!extreme->seen || (is_min ? value < extreme->value : value > extreme->value)) extreme->value = value;
        extreme->seen = true;
    } else if (auto* causes = std::get_if<Causes>(&into.data)) {
        causes->count++;
        causes->times[static_cast<uint64_t>(value) % causes->times.size()] += value & 0xffff;
    } else {
        std::get<int64_t>(into.data) += type.aggregation == Aggregation::count ? 1 : value;
    }
}

struct Collection {
    std::string name;
    Type type;
    std::vector<Type> key;
};

std::vector<Collection> collections() {
    const Type text = string_type(16), number = integer_type(), duration = integer_type(8, true, View::duration);
    return {{"@dist", collected(Aggregation::dist, View::duration), {text, number}},
            {"@scalar", collected(Aggregation::dist), {}},
            {"@hist", collected(Aggregation::hist), {text}},
            {"@ns", collected(Aggregation::hist, View::duration), {}},
            {"@fine", collected(Aggregation::hist, View::plain, true, {3}), {number}},
            {"@linear", collected(Aggregation::lhist, View::plain, true, {0, 1000, 10}), {}},
            {"@n", collected(Aggregation::count, View::plain, false), {text, duration}},
            {"@sum", collected(Aggregation::sum), {}},
            {"@min", collected(Aggregation::min), {number}},
            {"@max", collected(Aggregation::max, View::duration), {}},
            {"@stats", collected(Aggregation::stats, View::duration), {text}},
            {"@why", collected(Aggregation::why, View::duration), {}}};
}

// Values collected by a run, by map and key.
using Collected = std::vector<std::map<std::string, MapEntry>>;

Value key_value(const Type& type, uint64_t number) {
    if (type.kind == Kind::string) return {type, std::string(number % 2 ? "a,b" : "c\\") + std::to_string(number)};
    return {type, static_cast<int64_t>(number) - 1};
}

void collect(Collected& into, std::mt19937_64& random) {
    const std::vector<Collection> all = collections();
    into.resize(all.size());
    for (size_t i = 0; i < all.size(); i++) {
        std::vector<Value> key;
        for (const Type& part : all[i].key) key.push_back(key_value(part, random() % 3));
        std::string name;
        for (const Value& part : key) name += show(part, false) + '\0';
        MapEntry& entry = into[i].try_emplace(name, MapEntry{key, nothing_collected(all[i].type)}).first->second;
        const auto size = static_cast<int64_t>(random() >> (20 + random() % 44));
        collect(entry.value, random() % 8 == 0 ? -size : size);
    }
}

void collect(Collected& into, uint64_t seed, int values) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < values; i++) collect(into, random);
}

// What the run prints at its end.
void print(const Collected& values, const std::vector<std::string>& hosts, Printer& printer) {
    const std::vector<Collection> all = collections();
    RunFact run{"0.1", hosts, "slow.lt", "0123", {"--slow=1ms"}, {}};
    for (size_t i = 0; i < all.size(); i++) {
        std::vector<MapEntry> entries;
        for (const auto& [name, entry] : values[i]) entries.push_back(entry);
        run.maps.push_back({all[i].name, all[i].key, all[i].type, entries.size()});
        printer.map({all[i].name, Entries(std::move(entries)), 0, true, all[i].type});
    }
    printer.run(run);
}

std::string json_of(const Collected& values, const std::vector<std::string>& hosts) {
    TextSink sink;
    print(values, hosts, *json_printer(sink));
    return sink.text;
}

class Merge : public testing::Test {
  protected:
    Merge() { std::filesystem::create_directories(folder_); }
    ~Merge() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = folder_ / name;
        std::ofstream(path) << text;
        return path;
    }
    std::string folder() const { return folder_; }
    // Reads and adds the file; the error, without the folder.
    std::string add(Total& total, const std::string& path) const {
        const Result<RunFile> file = read_run_file(path);
        Status added = file ? total.add(*file) : Status(file.error());
        if (added) return "";
        std::string what = added.error().what;
        const size_t at = what.find(folder_.string() + "/");
        return at == what.npos ? what : what.erase(at, folder_.string().size() + 1);
    }
    static std::string printed(const Total& total, bool as_json) {
        TextSink sink;
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> none(std::fopen("/dev/null", "w"), &std::fclose);
        const auto printer = as_json ? json_printer(sink) : text_printer(sink);
        total.print(*printer, none.get());
        return sink.text;
    }

  private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("lt-merge-test-" + std::to_string(getpid()));
};

TEST_F(Merge, OfManyRunsIsOneRunOverAllValues) {
    Collected all;
    Total total(false);
    std::vector<std::string> hosts;
    for (uint64_t run = 0; run < 20; run++) {
        Collected one;
        collect(one, run, 300);
        collect(all, run, 300);
        hosts.push_back("host" + std::to_string(run));
        EXPECT_EQ(add(total, write(hosts.back(), json_of(one, {hosts.back()}))), "");
    }
    EXPECT_EQ(printed(total, true), json_of(all, hosts));
    TextSink text;
    print(all, hosts, *text_printer(text));
    EXPECT_EQ(printed(total, false), text.text);
}

TEST_F(Merge, OfMergesIsTheSame) {
    std::vector<std::string> files;
    for (uint64_t run = 0; run < 4; run++) {
        Collected one;
        collect(one, run, 100);
        files.push_back(write("host" + std::to_string(run), json_of(one, {"host" + std::to_string(run)})));
    }
    Total all(false), left(false), right(false), both(false);
    for (const std::string& file : files) EXPECT_EQ(add(all, file), "");
    for (size_t i = 0; i < files.size(); i++) EXPECT_EQ(add(i < 2 ? left : right, files[i]), "");
    EXPECT_EQ(add(both, write("left", printed(left, true))), "");
    EXPECT_EQ(add(both, write("right", printed(right, true))), "");
    EXPECT_EQ(printed(both, true), printed(all, true));
}

TEST_F(Merge, OfOneRunIsThatRun) {
    Collected one;
    collect(one, 5, 1000);
    Total total(false);
    EXPECT_EQ(add(total, write("one", json_of(one, {"one"}))), "");
    EXPECT_EQ(printed(total, true), json_of(one, {"one"}));
}

// Every prefix of a file, and the file with a byte changed, is refused or is read as something; it never crashes.
TEST_F(Merge, RefusesEveryPrefix) {
    Collected one;
    collect(one, 3, 5);
    const std::string whole = json_of(one, {"one"});
    for (size_t size = 0; size + 1 < whole.size(); size += 101) {
        Total total(false);
        EXPECT_NE(add(total, write("part", whole.substr(0, size))), "") << size;
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 300; i++) {
        std::string damaged = whole;
        damaged[random() % damaged.size()] = static_cast<char>(random());
        Total total(true);
        add(total, write("damaged", damaged));
    }
}

TEST_F(Merge, RefusesSumsThatDoNotFit) {
    const std::vector<ResultFact> maps{{"@sum", {}, collected(Aggregation::sum), 1}};
    TextSink sink;
    const auto printer = json_printer(sink);
    const int64_t half = int64_t{1} << 62;
    printer->map({"@sum", {MapEntry{{}, {maps[0].value, half}}}, 0, true, maps[0].value});
    printer->run({"0.1", {"a"}, "x.lt", "1", {}, maps});
    Total total(false);
    EXPECT_EQ(add(total, write("a", sink.text)), "");
    EXPECT_EQ(add(total, write("b", sink.text)), "b:1: @sum: the sum does not fit into 64 bits");
}

TEST_F(Merge, LeavesOutWhatWasDividedWhenItWasPrinted) {
    std::vector<ResultFact> maps{{"@sum", {}, collected(Aggregation::sum), 1}};
    maps[0].divisor = 1000;
    TextSink sink;
    const auto printer = json_printer(sink);
    printer->map({"@sum", {MapEntry{{}, {maps[0].value, int64_t{5}}}}, 0, true, maps[0].value});
    printer->run({"0.1", {"a"}, "x.lt", "1", {}, maps});
    Total total(false);
    EXPECT_EQ(add(total, write("a", sink.text)), "");
    EXPECT_NE(printed(total, true).find("\"not_merged\""), std::string::npos);
}

// Stacks of two processes can have one text. Sums of them are one entry, which is the whole; of variables there is no
// sum, and a number after a key means nothing in another run.
TEST_F(Merge, TakesMapsWithKeysOfOneText) {
    Type stack = stack_type();
    stack.view = View::hex;
    const std::vector<ResultFact> maps{{"@sum", {stack}, collected(Aggregation::sum), 2},
                                       {"@last", {stack}, integer_type(), 2}};
    const std::vector<Value> one{{stack, Stack{1, 7, {{0, "f", 1}}}}}, other{{stack, Stack{1, 8, {{0, "f", 1}}}}};
    TextSink sink;
    const auto printer = json_printer(sink);
    for (const ResultFact& map : maps)
        printer->map({map.name,
                      {MapEntry{one, {map.value, int64_t{5}}}, MapEntry{other, {map.value, int64_t{6}}}},
                      0,
                      true,
                      map.value});
    printer->run({"0.1", {"a"}, "x.lt", "1", {}, maps});
    Total total(false, false, true);
    EXPECT_EQ(add(total, write("a", sink.text)), "");
    const std::string text = printed(total, true);
    EXPECT_NE(text.find(R"({"@sum": {"f+0x1": 11}})"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("not_merged", "data": {"map": "@last")"), std::string::npos) << text;
}

// Its bound does not fit into a signed number, and earlier versions wrote one less.
TEST(MergeValues, TheLastBucketOfUnsignedValues) {
    const Type type = collected(Aggregation::hist, View::plain, false);
    Value sum = nothing_collected(type);
    for (const std::string_view text :
         {R"([{"min": 9223372036854775808, "count": 2}])", R"([{"min": 9223372036854775807, "count": 1}])"})
        EXPECT_EQ(add_value(sum, *parse_line(text)), std::nullopt) << text;
    std::string out;
    append_json(out, sum);
    EXPECT_EQ(out, R"([{"min": 9223372036854775808, "count": 3}])");
}

TEST(MergeFiles, HaveTitlesThatDiffer) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(file_titles(Texts{"/x/web1.json", "out/web2.json"}), (Texts{"web1", "web2"}));
    EXPECT_EQ(file_titles(Texts{"a/x.json", "b/x.json", "y.json"}), (Texts{"a/x", "b/x", "y"}));
    EXPECT_EQ(file_titles(Texts{"1/a/x.json", "2/a/x.json", "x.json"}), (Texts{"1/a/x", "2/a/x", "x"}));
    EXPECT_EQ(file_titles(Texts{"a/x.json", "./a/x.json"}), (Texts{"x", "x"})) << "one file";
    EXPECT_EQ(file_titles(Texts{"a/x.json", "a/x"}), (Texts{"a/x.json", "a/x"}));
}

TEST(MergeKeys, AreThePartsOfTheirText) {
    const std::vector<Type> types{*key_part_type("text"), *key_part_type("integer")};
    const auto key = key_of_text("a\\,b\\\\,-3", types);
    ASSERT_TRUE(key);
    EXPECT_EQ(std::get<std::string>((*key)[0].data), "a,b\\");
    EXPECT_EQ(std::get<int64_t>((*key)[1].data), -3);
    EXPECT_FALSE(key_of_text("a,b", types));
    EXPECT_FALSE(key_of_text("a", types));
    EXPECT_EQ(std::get<std::string>((*key_of_text("a,b\\", {types[0]}))[0].data), "a,b\\");
    const auto huge = key_of_text("18446744073709551615", {*key_part_type("unsigned")});
    EXPECT_EQ(std::get<int64_t>((*huge)[0].data), -1);
}

TEST(MergeKeys, StacksArePrintedAsTheyWere) {
    for (const std::string text : {"vfs_read+0x12\n__x64_sys_read+0x0 [ext4]\n0xffffffff81000010 [unknown]",
                                   "ns::f(int, char)+0x1a (/usr/bin/a b) at a.c:12\ninner (inlined)\n0x12 (/lib/x.so)",
                                   "(no stack)", "(stack not kept)", "(stack not found)"}) {
        std::string out;
        for (const std::string& row : stack_rows(stack_of_text(text))) out += (out.empty() ? "" : "\n") + row;
        EXPECT_EQ(out, text);
    }
}

}  // namespace
}  // namespace lt
