// Functions of ELF files: the fake kernel's program (LT_FAKE_KERNELS is the folder), and the same one damaged.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/programs/elf_file.h"
#include "runtime/system/kernel_binaries.h"

namespace lt {
namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class ElfTest : public testing::Test {
  protected:
    void SetUp() override { bin_ = LT_FAKE_KERNELS "/stock/bin/"; }
    Result<ElfFile> open(const std::string& name) { return ElfFile::open(bin_ + name, name); }
    std::string bin_;
};

TEST_F(ElfTest, Functions) {
    Result<ElfFile> file = open("program");
    ASSERT_TRUE(file);
    Result<UserFunction> add = file->function("add");
    ASSERT_TRUE(add);
    EXPECT_EQ(add->path, "program");
    EXPECT_EQ(add->offset, 0x1000u);
    EXPECT_GT(add->size, 0u);
    EXPECT_EQ(file->function("work")->offset, 0x1100u);
    EXPECT_EQ(file->functions("*"),
              (std::vector<std::string>{"_start", "add", "factorial", "handle_request", "main", "readline", "work"}));
}

TEST_F(ElfTest, MemoryOfItsSymbols) {
    const Result<ElfFile> file = open("program");
    ASSERT_TRUE(file);
    const size_t functions = file->functions("*").size();
    EXPECT_GT(file->table_bytes(), functions * 64);
    EXPECT_LT(file->table_bytes(), size_t{64} << 10);
}

// As when a program is linked anew while it is looked at.
TEST_F(ElfTest, CutWhileOpen) {
    const std::string path = testing::TempDir() + "/cut-while-open";
    std::filesystem::copy_file(bin_ + "program", path, std::filesystem::copy_options::overwrite_existing);
    const Result<ElfFile> file = ElfFile::open(path, "program");
    ASSERT_TRUE(file);
    std::filesystem::resize_file(path, 0);
    EXPECT_EQ(file->functions("w*"), (std::vector<std::string>{"work"}));
    EXPECT_EQ(file->function("work")->offset, 0x1100u);
    EXPECT_FALSE(file->symbol("no_such_data", 0x1100));
    std::filesystem::remove(path);
}

// Each section that is read is copied, so a small file with many large ones could take all memory.
TEST_F(ElfTest, SectionsThatOverlapAreRefused) {
    const std::string path = testing::TempDir() + "/overlapping";
    std::string bytes = contents(bin_ + "program");
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    Elf64_Shdr notes{};
    notes.sh_type = SHT_NOTE;
    notes.sh_size = size_t{8} << 20;
    std::string sections = bytes.substr(header.e_shoff, size_t{header.e_shnum} * sizeof notes);
    for (int i = 0; i < 8; i++, header.e_shnum++) sections.append(reinterpret_cast<const char*>(&notes), sizeof notes);
    header.e_shoff = bytes.size();
    std::memcpy(bytes.data(), &header, sizeof header);
    std::ofstream(path, std::ios::binary) << bytes << sections;
    std::filesystem::resize_file(path, notes.sh_size);
    EXPECT_EQ(ElfFile::open(path, "program").error().what, "program is damaged: its sections overlap");
    std::filesystem::remove(path);
}

// Whoever can write to a large file could end lt by making it short.
TEST_F(ElfTest, LargeFilesOfOthersCutWhileOpen) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a file to another user";
    const std::string path = testing::TempDir() + "/large-cut-while-open";
    std::filesystem::copy_file(bin_ + "program", path, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, size_t{300} << 20);
    ASSERT_EQ(::chown(path.c_str(), 1, 1), 0);
    const Result<ElfFile> file = ElfFile::open(path, "program");
    ASSERT_TRUE(file);
    std::filesystem::resize_file(path, 1);
    EXPECT_EQ(file->function("work")->offset, 0x1100u);
    EXPECT_EQ(file->functions("a*"), std::vector<std::string>{"add"});
    EXPECT_TRUE(file->markers().empty());
    std::filesystem::remove(path);
}

TEST_F(ElfTest, FilesThatAreNearlyAllHoleAreNotRead) {
    const std::string path = testing::TempDir() + "/hole";
    std::filesystem::copy_file(bin_ + "program", path, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, size_t{2} << 30);
    EXPECT_EQ(ElfFile::open(path, "program").error().what, "program: is more than 1 GiB, nearly all of it a hole");
    EXPECT_FALSE(is_native_elf(path));
    std::filesystem::remove(path);
}

TEST_F(ElfTest, Addresses) {
    Result<ElfFile> file = open("program");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->at_address(0x401104)->offset, 0x1104u);
    EXPECT_EQ(file->at_address(0x401104)->name, "work+0x4");
    EXPECT_EQ(file->at_address(0x401100)->name, "work");
    EXPECT_FALSE(file->at_address(0x10));
    EXPECT_FALSE(file->at_address(UINT64_MAX));
}

std::string name_at(const ElfFile& file, uint64_t offset, bool after) {
    const auto inside = file.name_at_offset(offset, after);
    return inside ? fmt::format("{}+{:#x}", inside->symbol, inside->offset) : "";
}

TEST_F(ElfTest, NamesAtOffsets) {
    Result<ElfFile> file = open("program");
    ASSERT_TRUE(file);
    EXPECT_EQ(name_at(*file, 0x1104, false), "work+0x4");
    EXPECT_EQ(name_at(*file, 0x1100, false), "work+0x0");
    EXPECT_EQ(name_at(*file, 0x1014, false), "") << "behind the end of add";
    EXPECT_EQ(name_at(*file, 0x1014, true), "add+0x14") << "a call was the last instruction of add";
    EXPECT_EQ(name_at(*file, 0x1100, true), "") << "nothing is before work";
    EXPECT_EQ(name_at(*file, 0x10, false), "");
    EXPECT_EQ(name_at(*file, UINT64_MAX, true), "");
    EXPECT_EQ(file->address_at_offset(0x1104), 0x401104u);
    EXPECT_FALSE(file->address_at_offset(UINT64_MAX));
    Result<ElfFile> stripped = open("stripped");
    ASSERT_TRUE(stripped);
    EXPECT_EQ(name_at(*stripped, 0x1104, false), "");
}

TEST_F(ElfTest, WhatIsNotThere) {
    Result<ElfFile> file = open("program");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->function("nope").error().what, "program has no function nope");
    Result<ElfFile> stripped = open("stripped");
    ASSERT_TRUE(stripped);
    EXPECT_EQ(stripped->function("add").error().what, "stripped names no functions: it is stripped");
    EXPECT_EQ(open("absent").error().what, "absent: open: No such file or directory");
    EXPECT_EQ(open("").error().what, ": is a directory");
    EXPECT_EQ(ElfFile::open(bin_ + "../release", "text").error().what, "text is not an ELF file");
}

TEST_F(ElfTest, PipesAreNotWaitedFor) {
    const std::string path = testing::TempDir() + "pipe.elf";
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_FALSE(is_native_elf(path));
    EXPECT_EQ(ElfFile::open(path, "pipe").error().what, "pipe: is not a regular file");
    std::filesystem::remove(path);
}

TEST_F(ElfTest, DamagedFilesDoNotCrash) {
    const std::string whole = contents(bin_ + "program");
    const std::string path = testing::TempDir() + "damaged.elf";
    const auto try_it = [&](const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
        Result<ElfFile> file = ElfFile::open(path, "damaged");
        if (!file) return;
        (void)file->function("add");
        (void)file->functions("*");
        (void)file->at_address(0x401104);
        (void)name_at(*file, 0x1104, true);
    };
    for (size_t size = 0; size < whole.size(); size += size < 512 ? 13 : 977) try_it(whole.substr(0, size));
    // The headers byte by byte, the rest in steps; to a high bit, a low bit and all of them.
    for (const char mask : {'\x80', '\x01', '\xff'}) {
        for (size_t at = 0; at < whole.size(); at += at < 0x120 || at + 0x400 > whole.size() ? 5 : 211) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ mask);
            try_it(damaged);
        }
    }
    std::filesystem::remove(path);
}

TEST_F(ElfTest, AnotherMachine) {
    std::string bytes = contents(bin_ + "program");
    bytes[18] = 2;  // e_machine: SPARC
    const std::string path = testing::TempDir() + "other.elf";
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(ElfFile::open(path, "other").error().what, "other is an ELF file for another kind of machine");
    EXPECT_FALSE(is_native_elf(path));
    EXPECT_TRUE(is_native_elf(bin_ + "program"));
    std::filesystem::remove(path);
}

// ---- the loader's cache

template <class T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

std::string cache_of(const std::vector<std::pair<std::string, std::string>>& libraries) {
    std::string strings, table, out = "glibc-ld.so.cache1.1";
    const auto begin = static_cast<uint32_t>(48 + 24 * libraries.size());
    for (const auto& [name, path] : libraries) {
        append<int32_t>(table, 0x303);
        append(table, static_cast<uint32_t>(begin + strings.size()));
        append(table, static_cast<uint32_t>(begin + strings.size() + name.size() + 1));
        append<uint32_t>(table, 0);
        append<uint64_t>(table, 0);
        strings += name + '\0' + path + '\0';
    }
    append(out, static_cast<uint32_t>(libraries.size()));
    append(out, static_cast<uint32_t>(strings.size()));
    out.append(20, '\0');
    return out + table + strings;
}

bool not_32_bit(const std::string& path) { return path.find("32") == std::string::npos; }

TEST(LoaderCache, ByNameAndByStem) {
    const std::string cache = cache_of(
        {{"libc++.so.1", "/b/libc++.so.1"}, {"libc.so.6", "/lib32/libc.so.6"}, {"libc.so.6", "/lib/libc.so.6"}});
    EXPECT_EQ(find_in_cache(cache, "libc.so.6", not_32_bit), "/lib/libc.so.6");
    EXPECT_EQ(find_in_cache(cache, "libc", not_32_bit), "/lib/libc.so.6");
    EXPECT_EQ(find_in_cache("old table" + cache, "libc", not_32_bit), "/lib/libc.so.6");
    EXPECT_EQ(find_in_cache(cache, "lib", not_32_bit), std::nullopt);
    EXPECT_EQ(find_in_cache("", "libc", not_32_bit), std::nullopt);
}

TEST(LoaderCache, DamagedCachesDoNotCrash) {
    const std::string cache = cache_of({{"libc.so.6", "/lib/libc.so.6"}});
    for (size_t size = 0; size < cache.size(); size++) (void)find_in_cache(cache.substr(0, size), "libc", not_32_bit);
    for (size_t at = 20; at < cache.size(); at++) {
        std::string damaged = cache;
        damaged[at] = '\xff';
        (void)find_in_cache(damaged, "libc", not_32_bit);
    }
}

}  // namespace
}  // namespace lt
