// Lists of functions that were compiled at run time, whole and damaged.
#include "runtime/programs/perf_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lt {
namespace {

std::string name_at(const PerfMap& map, uint64_t address) {
    const auto* function = map.at(address);
    return function == nullptr ? "" : fmt::format("{}+{:#x}", function->name, address - function->begin);
}

TEST(PerfMap, NamesWhatLiesInside) {
    const PerfMap map("1000 20 first\n0x2000 0x10 second with spaces\n");
    EXPECT_EQ(name_at(map, 0x1000), "first+0x0");
    EXPECT_EQ(name_at(map, 0x101f), "first+0x1f");
    EXPECT_EQ(name_at(map, 0x1020), "");
    EXPECT_EQ(name_at(map, 0x2004), "second with spaces+0x4");
    EXPECT_EQ(name_at(map, 0), "");
}

TEST(PerfMap, TheLaterOneCounts) {
    const PerfMap map("1000 20 old\n1010 20 new\n");
    EXPECT_EQ(name_at(map, 0x1008), "old+0x8");
    EXPECT_EQ(name_at(map, 0x1018), "new+0x8");
}

TEST(PerfMap, FunctionsInsideOfOthers) {
    const PerfMap map(
        "1000 100 outer\n1040 10 inner\n2000 10 hidden\n1ff0 30 over\n1050 10 beside\n3000 10 a\n3010 10 b\n");
    EXPECT_EQ(name_at(map, 0xfff), "");
    EXPECT_EQ(name_at(map, 0x103f), "outer+0x3f");
    EXPECT_EQ(name_at(map, 0x1040), "inner+0x0");
    EXPECT_EQ(name_at(map, 0x104f), "inner+0xf");
    EXPECT_EQ(name_at(map, 0x1050), "beside+0x0");
    EXPECT_EQ(name_at(map, 0x1060), "outer+0x60");
    EXPECT_EQ(name_at(map, 0x10ff), "outer+0xff");
    EXPECT_EQ(name_at(map, 0x1100), "");
    EXPECT_EQ(name_at(map, 0x2008), "over+0x18");
    EXPECT_EQ(name_at(map, 0x2020), "");
    EXPECT_EQ(name_at(map, 0x300f), "a+0xf");
    EXPECT_EQ(name_at(map, 0x3010), "b+0x0");
    EXPECT_EQ(name_at(map, 0x3020), "");
}

// As a search through all lines finds them.
TEST(PerfMap, AnyOverlaps) {
    std::mt19937 random(1);
    std::string text;
    std::vector<std::pair<uint64_t, uint64_t>> lines;
    for (size_t i = 0; i < 300; i++) {
        lines.emplace_back(random() % 1000, 1 + random() % 100);
        text += fmt::format("{:x} {:x} {}\n", lines[i].first, lines[i].second, i);
    }
    const PerfMap map(text);
    for (uint64_t address = 0; address < 1200; address++) {
        std::string expected;
        for (size_t i = 0; i < lines.size(); i++)
            if (address >= lines[i].first && address - lines[i].first < lines[i].second)
                expected = fmt::format("{}+{:#x}", i, address - lines[i].first);
        EXPECT_EQ(name_at(map, address), expected) << address;
    }
}

TEST(PerfMap, DamagedLinesAreSkipped) {
    const PerfMap map("\n \n1000\n1000 \n1000 zz x\n1000 0 empty\n1000 10 \nffffffffffffffff 2 over\n3000 10 cut");
    EXPECT_EQ(name_at(map, 0x1000), "");
    EXPECT_EQ(name_at(map, UINT64_MAX), "");
    EXPECT_EQ(name_at(map, 0x3001), "cut+0x1");
}

// Anybody's process can have a list that is nothing but lines.
TEST(PerfMap, TooManyFunctionsAreNone) {
    std::string text;
    for (size_t i = 0; i < PerfMap::most_functions; i++) text += "1 1 a\n";
    PerfMap map(text);
    EXPECT_EQ(name_at(map, 1), "a+0x0");
    EXPECT_GE(map.bytes(), PerfMap::most_functions * sizeof(PerfMap::Function));
    map = PerfMap("");
    map = PerfMap(text += "1 1 b\n");
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.bytes(), 0u);
}

// The list of this process, as itself would write it; a link in its place could lead anywhere.
TEST(PerfMap, OnlyFromAFileOfItsOwn) {
    const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    const auto pid = static_cast<uint32_t>(getpid());
    std::ofstream(path) << "1000 20 mine\n";
    EXPECT_EQ(read_perf_map(pid), "1000 20 mine\n");
    std::filesystem::rename(path, path + ".elsewhere");
    std::filesystem::create_symlink(path + ".elsewhere", path);
    EXPECT_FALSE(read_perf_map(pid));
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".elsewhere");
    EXPECT_FALSE(read_perf_map(pid));
}

}  // namespace
}  // namespace lt
