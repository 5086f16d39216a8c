// The list of the kernel's symbols, whole, hidden and damaged.
#include "runtime/kernel/kallsyms.h"

#include <gtest/gtest.h>

#include "runtime/border/kernel.h"

namespace lt {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view listing =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000010 t __pfx_twin\n"
    "ffffffff81000020 t twin\n"
    "ffffffff81000060 W weak_one\n"
    "ffffffff81000060 T alias_of_weak\n"
    "ffffffff81000100 t x.isra.0\n"
    "ffffffff81000180 t x.cold\n"
    "ffffffff81000200 t twin\n"
    "ffffffff82000000 D jiffies\n"
    "ffffffffc0400000 t ext4_read\t[ext4]\n"
    "ffffffffc0400040 t twin\t[ext4]\n"
    "ffffffffc0500000 t bpf_prog_1\t[bpf]\n";

TEST(Kallsyms, FindsFunctionsOnly) {
    const Kallsyms symbols(listing);
    ASSERT_EQ(symbols.find("weak_one").size(), 1u);
    EXPECT_EQ(symbols.find("weak_one")[0].address, 0xffffffff81000060u);
    EXPECT_TRUE(symbols.find("jiffies").empty());
    EXPECT_TRUE(symbols.find("bpf_prog_1").empty());
    EXPECT_TRUE(symbols.find("no_such").empty());
    EXPECT_TRUE(symbols.find("").empty());
}

TEST(Kallsyms, KeepsAllOfOneName) {
    const Kallsyms symbols(listing);
    ASSERT_EQ(symbols.find("twin").size(), 3u);
    EXPECT_EQ(symbols.find("twin")[0].address, 0xffffffff81000020u);
    EXPECT_EQ(symbols.find("twin")[2].module, "ext4");
    ASSERT_EQ(symbols.find("twin", "ext4").size(), 1u);
    EXPECT_EQ(symbols.find("twin", "ext4")[0].address, 0xffffffffc0400040u);
    EXPECT_TRUE(symbols.find("twin", "xfs").empty());
    EXPECT_EQ(symbols.find("twin", "vmlinux").size(), 2u);
    EXPECT_EQ(symbols.find("twin", "ex*").size(), 1u);
}

TEST(Kallsyms, SizesReachToTheNext) {
    const std::vector<NamedCode> twins = Kallsyms(listing).named_code("twin");
    ASSERT_EQ(twins.size(), 3u);
    EXPECT_EQ(twins[0].size, 0x40u);
    EXPECT_EQ(twins[2].module, "ext4");
    const std::vector<NamedCode> hidden = Kallsyms("0000000000000000 T a\n0000000000000000 T b\n").named_code("a");
    ASSERT_EQ(hidden.size(), 1u);
    EXPECT_EQ(hidden[0].size, 0u);
}

std::string name_at(const Kallsyms& symbols, uint64_t address) {
    const auto symbol = symbols.at(address);
    return symbol ? std::string(symbol->name) : "";
}

TEST(Kallsyms, AddressesLieInTheFunctionBefore) {
    const Kallsyms symbols(listing);
    EXPECT_EQ(name_at(symbols, 0xffffffff81000020), "twin");
    EXPECT_EQ(name_at(symbols, 0xffffffff8100005f), "twin");
    EXPECT_EQ(name_at(symbols, 0xffffffff81000070), "weak_one") << "the first of two at one address";
    EXPECT_EQ(name_at(symbols, 0xffffffff80ffffff), "") << "before all";
    EXPECT_EQ(name_at(symbols, 0xffffffff82000000), "") << "far behind the last function";
    ASSERT_TRUE(symbols.at(0xffffffffc0400044));
    EXPECT_EQ(symbols.at(0xffffffffc0400044)->module, "ext4");
    EXPECT_EQ(symbols.at(0xffffffffc0400044)->address, 0xffffffffc0400040u);
    EXPECT_EQ(symbols.at(0xffffffff81000020)->size, 0x40u) << "up to the next one";
    EXPECT_EQ(name_at(symbols, 0xffffffffc0500001), "bpf_prog_1") << "of a BPF program";
    EXPECT_FALSE(Kallsyms("").at(5));
}

TEST(Kallsyms, CodeMadeForProbesEndsWithItsPage) {
    const Kallsyms symbols("ffffffffc0400000 t kprobe_insn_page\t[__builtin__kprobes]\n");
    EXPECT_EQ(name_at(symbols, 0xffffffffc0400fff), "kprobe_insn_page");
    EXPECT_EQ(name_at(symbols, 0xffffffffc0401000), "");
    EXPECT_TRUE(symbols.at(0xffffffffc0400001)->generated);
}

TEST(Kallsyms, ListsWithoutParts) {
    const Kallsyms symbols(listing);
    EXPECT_EQ(symbols.names("tw*"), Names{"twin"});
    EXPECT_EQ(symbols.names("x*"), Names{"x.isra.0"});
    EXPECT_EQ(symbols.names("*", "ext?"), (Names{"ext4_read", "twin"}));
    EXPECT_EQ(symbols.names("*t*", "vmlinux"), (Names{"_stext", "twin"}));
    EXPECT_TRUE(symbols.names("*", "xfs").empty());
    EXPECT_EQ(symbols.names("*"), (Names{"_stext", "alias_of_weak", "ext4_read", "twin", "weak_one", "x.isra.0"}));
}

TEST(Kallsyms, HiddenAddresses) {
    const Kallsyms symbols("0000000000000000 T a\n0000000000000000 T b\n");
    ASSERT_EQ(symbols.find("b").size(), 1u);
    EXPECT_EQ(symbols.find("b")[0].address, 0u);
    EXPECT_FALSE(symbols.at(0));
    EXPECT_FALSE(symbols.at(5));
}

TEST(Kallsyms, DamagedLinesAreSkipped) {
    const Kallsyms symbols("\n \nffff\nffff T\nffff T \nzzzz T a\n10 T good\n20 T last");
    EXPECT_EQ(symbols.names("*"), (Names{"good", "last"}));
    EXPECT_TRUE(Kallsyms("").names("*").empty());
}

}  // namespace
}  // namespace lt
