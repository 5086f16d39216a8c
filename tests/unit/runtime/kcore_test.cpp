// Core files written by the test, whole and damaged; and the list of CPUs, the other text that breakpoints need.
#include "runtime/kernel/kcore.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "runtime/os/cpus.h"

namespace lt {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t text = 0xffffffff81000000;
constexpr size_t contents = 0x200;  // offset in the file, where the bytes 0, 1, 2, ... lie

struct Core {
    Elf64_Ehdr header{};
    Elf64_Phdr segments[3]{};
};

Core good_core() {
    Core c;
    std::memcpy(c.header.e_ident, ELFMAG, SELFMAG);
    c.header.e_ident[EI_CLASS] = ELFCLASS64;
    c.header.e_ident[EI_DATA] = ELFDATA2LSB;
    c.header.e_type = ET_CORE;
    c.header.e_phoff = offsetof(Core, segments);
    c.header.e_phentsize = sizeof(Elf64_Phdr);
    c.header.e_phnum = 3;
    c.segments[0] = {.p_type = PT_NOTE,
                     .p_flags = 0,
                     .p_offset = 0,
                     .p_vaddr = text,
                     .p_paddr = 0,
                     .p_filesz = 64,
                     .p_memsz = 64,
                     .p_align = 0};
    c.segments[1] = c.segments[2] = c.segments[0];
    c.segments[1].p_type = c.segments[2].p_type = PT_LOAD;
    c.segments[1].p_vaddr = 0x1000;
    c.segments[2].p_offset = contents;
    return c;
}

class Kcore : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "kcore.XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string path() const { return (directory_ / "kcore").string(); }

    void write(const Core& core, size_t bytes = 64) const {
        std::ofstream out(path(), std::ios::binary);
        out.write(reinterpret_cast<const char*>(&core), sizeof core);
        out.seekp(contents);
        for (size_t i = 0; i < bytes; i++) out.put(static_cast<char>(i));
    }

    void expect_error(uint64_t address, size_t size, const std::string& what) const {
        auto got = read_kernel_memory(address, size, path());
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().what, path() + ": " + what);
    }

  private:
    std::filesystem::path directory_;
};

TEST_F(Kcore, ReadsFromTheSegmentThatCovers) {
    write(good_core());
    auto got = read_kernel_memory(text + 3, 4, path());
    ASSERT_TRUE(got) << got.error().what;
    EXPECT_EQ(*got, (Bytes{3, 4, 5, 6}));
    auto last = read_kernel_memory(text + 60, 4, path());
    ASSERT_TRUE(last) << last.error().what;
    EXPECT_EQ(*last, (Bytes{60, 61, 62, 63}));
}

TEST_F(Kcore, AddressThatNoSegmentCovers) {
    write(good_core());
    expect_error(text + 61, 4, "no segment covers 0xffffffff8100003d to 0xffffffff81000041");
    expect_error(0x10, 1, "no segment covers 0x10 to 0x11");
    expect_error(text, SIZE_MAX, "no segment covers 0xffffffff81000000 to 0xffffffff80ffffff");
}

TEST_F(Kcore, NoSuchFile) {
    auto got = read_kernel_memory(text, 1, path());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ENOENT);
    EXPECT_NE(got.error().hint, "");
}

TEST_F(Kcore, NotACoreFile) {
    const char* refused = "not a 64-bit little-endian ELF core file";
    Core c = good_core();
    c.header.e_ident[0] = 0;
    write(c);
    expect_error(text, 1, refused);
    c = good_core();
    c.header.e_ident[EI_CLASS] = ELFCLASS32;
    write(c);
    expect_error(text, 1, refused);
    c = good_core();
    c.header.e_type = ET_EXEC;
    write(c);
    expect_error(text, 1, refused);
}

TEST_F(Kcore, ProgramHeadersOfAnUnknownForm) {
    Core c = good_core();
    c.header.e_phentsize = 8;
    write(c);
    expect_error(text, 1, "program headers in an unknown format");
    c = good_core();
    c.header.e_phnum = PN_XNUM;
    write(c);
    expect_error(text, 1, "program headers in an unknown format");
}

TEST_F(Kcore, ShorterThanItSays) {
    const std::string shorter = "the file is shorter than its headers say";
    write(good_core(), 8);
    expect_error(text, 16, "16 bytes at 0xffffffff81000000: " + shorter);
    Core c = good_core();
    c.header.e_phoff = 0x100000;
    write(c);
    expect_error(text, 1, "program headers: " + shorter);
    std::filesystem::resize_file(path(), 10);
    expect_error(text, 1, shorter);
}

TEST_F(Kcore, NumbersThatOverflow) {
    Core c = good_core();
    c.segments[2].p_offset = UINT64_MAX - 1;
    write(c);
    expect_error(text, 1, "a segment beyond the maximum file size");
    c = good_core();
    c.segments[2].p_filesz = UINT64_MAX;
    c.segments[2].p_offset = INT64_MAX - 4;
    write(c);
    expect_error(text + 2, 4, "a segment beyond the maximum file size");
    c = good_core();
    c.header.e_phoff = UINT64_MAX;
    write(c);
    auto got = read_kernel_memory(text, 1, path());
    EXPECT_FALSE(got);
}

// The size that a segment claims must never be allocated.
TEST_F(Kcore, HugeSegmentThatIsNotThere) {
    Core c = good_core();
    c.segments[2].p_filesz = UINT64_MAX / 4;
    write(c, 8);
    expect_error(text, 16, "16 bytes at 0xffffffff81000000: the file is shorter than its headers say");
}

TEST(CpuList, RangesAndSingles) {
    auto got = parse_cpu_list("0-3,5\n");
    ASSERT_TRUE(got) << got.error().what;
    EXPECT_EQ(*got, (std::vector{0, 1, 2, 3, 5}));
    auto one = parse_cpu_list("0");
    ASSERT_TRUE(one) << one.error().what;
    EXPECT_EQ(*one, (std::vector{0}));
}

TEST(CpuList, Malformed) {
    for (const char* list : {"", "-1", "3-", "3-1", "0,,1", "a", "0-1x", "2,1", "0-1,1", "0-99999999", "0 1"}) {
        auto got = parse_cpu_list(list);
        EXPECT_FALSE(got) << list;
    }
    auto got = parse_cpu_list("3-1\n");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().what, "not a list of CPUs: \"3-1\\n\"");
}

TEST(CpuWatch, FindsCpusThatComeOnline) {
    CpuWatch watch({0, 1, 2, 3});
    watch.look_at({0, 1, 2, 3});
    EXPECT_TRUE(watch.unwatched().empty());
    watch.look_at({0, 2});
    EXPECT_TRUE(watch.unwatched().empty());
    watch.look_at({0, 2, 4, 5});
    EXPECT_EQ(watch.unwatched(), (std::set{4, 5}));
    watch.look_at({0, 1, 2});  // 1 was away, 4 and 5 were there
    EXPECT_EQ(watch.unwatched(), (std::set{1, 4, 5}));
}

TEST(CpuList, OfThisMachine) {
    auto got = online_cpus();
    ASSERT_TRUE(got) << got.error().what;
    EXPECT_FALSE(got->empty());
}

}  // namespace
}  // namespace lt
