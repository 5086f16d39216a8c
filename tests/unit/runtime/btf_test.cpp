// Types of functions, from the BTF that the compiler makes of tests/kernel/functions.c. The environment names the
// folder of the fake kernels that the build makes.
#include "runtime/btf/btf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/btf.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "runtime/btf/btf_scan.h"
#include "runtime/os/file_bytes.h"

namespace lt {
namespace {

class BtfTest : public testing::Test {
  protected:
    void SetUp() override { path_ = LT_FAKE_KERNELS "/stock/btf"; }
    Prototype function(std::string_view name) {
        Result<Btf> types = Btf::load(path_);
        if (!types) return {};
        return types->function(name).value_or(Prototype{});
    }
    std::string path_;
};

TEST_F(BtfTest, Parameters) {
    const Prototype p = function("vfs_read");
    ASSERT_EQ(p.parameters.size(), 4u);
    EXPECT_EQ(p.parameters[0].name, "file");
    EXPECT_EQ(p.parameters[0].c_type, "struct file *");
    ASSERT_NE(pointee(p.parameters[0].type), nullptr);
    EXPECT_EQ(pointee(p.parameters[0].type)->shape->name, "struct file");
    EXPECT_EQ(type_text(p.parameters[0].type), "struct file *");
    EXPECT_EQ(p.parameters[2].c_type, "size_t");
    EXPECT_EQ(p.parameters[2].type, integer_type(8, false));
    EXPECT_EQ(p.parameters[3].c_type, "loff_t *");
    EXPECT_EQ(p.parameters[3].offset, 3u);
    EXPECT_EQ(p.result, integer_type(8, true));
}

TEST_F(BtfTest, CTypes) {
    EXPECT_EQ(function("ksys_write").parameters[1].c_type, "const char *");
    EXPECT_EQ(function("vfs_unlink").parameters[3].c_type, "struct inode **");
    EXPECT_EQ(function("do_nanosleep").parameters[1].c_type, "enum hrtimer_mode");
    EXPECT_EQ(function("do_nanosleep").parameters[1].type.size, 4u);
    EXPECT_EQ(function("kfree").parameters[0].c_type, "const void *");
}

TEST_F(BtfTest, NoResult) { EXPECT_EQ(function("kfree").result, nothing()); }

TEST_F(BtfTest, UserMemory) {
    const Prototype p = function("strncpy_from_user");
    EXPECT_FALSE(p.parameters[0].type.user_memory);
    EXPECT_TRUE(p.parameters[1].type.user_memory);
    EXPECT_EQ(p.parameters[1].c_type, "const char __user *");
}

TEST_F(BtfTest, FindsTheSameByOnePassAndByIndex) {
    Result<Btf> types = Btf::load(path_);
    ASSERT_TRUE(types);
    const uint32_t first = types->function_id("vfs_read");
    EXPECT_NE(first, 0u);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(types->function_id("vfs_read"), first);
        EXPECT_EQ(types->function_id("no_such"), 0u);
    }
}

TEST_F(BtfTest, ScanFindsWhatTheParserFinds) {
    Result<Btf> types = Btf::load(path_);
    ASSERT_TRUE(types);
    for (const char* name : {"vfs_read", "kfree", "do_nanosleep", "vfs_rea", "vfs_reads", "no_such", ""})
        EXPECT_EQ(function_in_btf(path_, name), types->function_id(name)) << name;
    EXPECT_EQ(function_in_btf("/nowhere/btf", "vfs_read"), 0u);
}

TEST_F(BtfTest, ScanOfDamagedBytesEnds) {
    std::ifstream in(path_, std::ios::binary);
    const std::vector<char> whole{std::istreambuf_iterator<char>(in), {}};
    const std::vector<uint8_t> good(whole.begin(), whole.end());
    const uint32_t number = function_in_btf(good, "vfs_read");
    ASSERT_NE(number, 0u);
    for (size_t size = 0; size < good.size(); size += 31)
        EXPECT_EQ(function_in_btf(std::span(good).first(size), "vfs_read"), 0u);
    for (size_t at = 0; at < good.size(); at += 97) {
        std::vector<uint8_t> damaged = good;
        damaged[at] ^= 0x5a;
        (void)function_in_btf(damaged, "vfs_read");
    }
}

TEST_F(BtfTest, DamagedFilesDoNotCrash) {
    std::ifstream in(path_, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    ASSERT_FALSE(whole.empty());
    const std::string path = testing::TempDir() + "damaged.btf";
    for (size_t at = 0; at < whole.size(); at += 97) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
        std::ofstream(path, std::ios::binary) << damaged;
        Result<Btf> types = Btf::load(path);
        if (types) (void)types->function("vfs_read");
    }
    std::filesystem::remove(path);
    EXPECT_FALSE(Btf::load("/nowhere/btf"));
}

TEST_F(BtfTest, Members) {
    Result<Btf> types = Btf::load(path_);
    ASSERT_TRUE(types);
    const std::optional<Type> task = find_type(types->file(), "struct task_struct");
    ASSERT_TRUE(task);
    EXPECT_EQ(task->size, 96u);
    std::string text;
    for (const Member& m : members_of(types->file(), task->shape->number)) {
        text += fmt::format("{} {} at {}", type_text(m.type), m.name, m.offset);
        text += m.bit_size != 0 ? fmt::format(", bits {}+{}\n", m.bit_offset, m.bit_size) : "\n";
    }
    EXPECT_EQ(text, R"(
u32 __state at 0
i32 pid at 4
i32 tgid at 8
string[16] comm at 12
i32 prio at 28
u32 in_execve at 32, bits 0+1
u32 in_iowait at 32, bits 1+1
u32 depth at 32, bits 2+6
i32 balance at 32, bits 8+4
u32<enumeration> kind at 36
struct load_weight load at 40
struct mm_struct * mm at 56
u64 mm_word at 56
u32[4] limits at 64
struct task_struct * parent at 80
struct task_struct * real_parent at 80
struct task_struct * group_leader at 80
nothing average at 88
)" + 1);
}

TEST_F(BtfTest, Constants) {
    Result<Btf> types = Btf::load(path_);
    ASSERT_TRUE(types);
    const auto idle = find_constant(types->file(), "TASK_IDLE");
    ASSERT_TRUE(idle);
    EXPECT_EQ(idle->value, 4);
    EXPECT_EQ(idle->type.shape->name, "enum task_kind");
    EXPECT_FALSE(find_constant(types->file(), "TASK_NONE"));
    EXPECT_FALSE(find_constant(types->file(), "TASK_IDL"));
    EXPECT_FALSE(find_constant(types->file(), "TASK_IDLES"));
    EXPECT_FALSE(find_type(types->file(), "struct nothing"));
}

TEST_F(BtfTest, NumbersOfSeveralKindsInOnePass) {
    const FileBytes file = *FileBytes::open(path_);
    const BtfName function{BTF_KIND_FUNC, "vfs_read"}, event{BTF_KIND_TYPEDEF, "btf_trace_sched_switch"};
    const BtfName other_kind{BTF_KIND_TYPEDEF, "vfs_read"}, none{BTF_KIND_FUNC, "vfs_rea"};
    std::map<BtfName, uint32_t> numbers{{function, 7}, {event, 7}, {other_kind, 7}, {none, 7}};
    number_types(file.bytes(), numbers);
    EXPECT_EQ(numbers[function], Btf::load(path_)->function_id("vfs_read"));
    EXPECT_NE(numbers[event], 0u);
    EXPECT_EQ(numbers[other_kind], 0u);
    EXPECT_EQ(numbers[none], 0u);
}

}  // namespace
}  // namespace lt
