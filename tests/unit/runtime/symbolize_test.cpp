// Names for the addresses of this process, and the mappings they are found by.
#include "runtime/names/symbolize.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/names/stacks.h"
#include "runtime/os/mounts.h"
#include "runtime/print/show.h"

extern "C" __attribute__((noinline)) int lt_test_named_function(int n) { return n + 1; }

namespace lt {
namespace {

uint64_t address_of(int (*function)(int)) { return reinterpret_cast<uint64_t>(function); }

TEST(CodeMappings, OnlyWhatCanBeRun) {
    const auto all = code_mappings(
        "5581a000-5581c000 r--p 00000000 08:01 1234    /usr/bin/cat\n"
        "5581c000-5581f000 r-xp 00002000 08:01 1234    /usr/bin/a name (deleted)\n"
        "7ffe1000-7ffe3000 r-xp 00000000 00:00 0       [vdso]\n"
        "7fff1000-7fff3000 rwxp 00000000 00:00 0\n");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].begin, 0x5581c000u);
    EXPECT_EQ(all[0].end, 0x5581f000u);
    EXPECT_EQ(all[0].offset, 0x2000u);
    EXPECT_EQ(all[0].device, "08:01");
    EXPECT_EQ(all[0].inode, 1234u);
    EXPECT_EQ(all[0].name, "/usr/bin/a name (deleted)");
    EXPECT_EQ(all[1].name, "[vdso]");
    EXPECT_EQ(all[2].name, "");
}

TEST(CodeMappings, DamagedLinesAreSkipped) {
    EXPECT_TRUE(
        code_mappings("\n \n5581c000 r-xp 0 08:01 1 /x\nzz-5581f000 r-xp 0 0 0 /x\n1-2 r-xp\n1-2 r-xp 0 0 y /x\n")
            .empty());
}

TEST(Symbolizer, FunctionsOfThisProcess) {
    const uint64_t function = address_of(lt_test_named_function);
    Symbolizer symbolizer;
    const auto frames = symbolizer.process(static_cast<uint32_t>(getpid()),
                                           std::vector<uint64_t>{function, function + 1, 16, UINT64_MAX, 17});
    ASSERT_EQ(frames.size(), 3u) << "what is no address ends the stack";
    EXPECT_EQ(frame_text(frames[0]).substr(0, 28), "lt_test_named_function+0x0 (");
    EXPECT_EQ(frame_text(frames[1]).substr(0, 28), "lt_test_named_function+0x1 (");
    EXPECT_EQ(frame_text(frames[2]), "0x10 [unknown]");
}

TEST(KernelNames, TextsOfTheKernel) {
    const auto name = parse_kernel_name("ext4_sync_file+0x1a/0x320 [ext4]");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->function, "ext4_sync_file");
    EXPECT_EQ(name->module, "ext4");
    EXPECT_EQ(name->offset, 0x1au);
    EXPECT_EQ(name->size, 0x320u);
    EXPECT_EQ(parse_kernel_name("schedule+0x0/0xc0")->module, "");
    EXPECT_EQ(parse_kernel_name("bpf_prog_0123456789abcdef_probe_0+0x5/0x80")->module, "bpf");
    EXPECT_EQ(parse_kernel_name("bpf_trampoline_6442453466+0x5/0x80")->module, "bpf");
    EXPECT_EQ(parse_kernel_name("bpf_prog_array_copy+0x5/0x80")->module, "");
    for (const char* text :
         {"bpf_trampoline_link_prog+0x5/0x80", "bpf_trampoline_add+0x5/0x80", "bpf_trampoline_+0x5/0x80",
          "bpf_prog_0123456789abcde+0x5/0x80", "bpf_prog_0123456789abcde_x+0x5/0x80"})
        EXPECT_EQ(parse_kernel_name(text)->module, "") << text;
    for (const char* text : {"", "0xffffffff81000000", "+0x1/0x2", "f+0x/0x2", "f+0x1/0x", "f+0x1", "f+0xyz/0x2"})
        EXPECT_FALSE(parse_kernel_name(text)) << text;
}

// The kernel's list and its own search for an address, for some of all functions.
TEST(KernelNames, AreThoseOfTheList) {
    const auto names = KernelNames::open();
    const Result<std::string> text = read_text("/proc/kallsyms");
    const Kallsyms list(text ? std::string_view(*text) : std::string_view());
    const auto functions = list.names("*");
    if (!names || functions.empty() || list.find(functions[0])[0].address == 0) GTEST_SKIP() << "needs root";
    size_t compared = 0;
    for (size_t i = 0; i < functions.size(); i += functions.size() / 500 + 1) {
        for (const Symbol& symbol : list.find(functions[i])) {
            const auto listed = list.at(symbol.address + 1);
            const auto named = names->at(symbol.address + 1);
            if (!listed || !named) continue;  // a mark at the end of a section
            EXPECT_EQ(named->function, listed->name);
            EXPECT_EQ(named->module, listed->module);
            EXPECT_EQ(named->offset, symbol.address + 1 - listed->address);
            compared++;
        }
    }
    EXPECT_GT(compared, 100u);
    EXPECT_FALSE(names->at(16));
}

// An address for which the kernel has no name is not in the function before it.
TEST(KernelNames, EndWithTheirFunctions) {
    const auto names = KernelNames::open();
    const Result<std::string> text = read_text("/proc/kallsyms");
    const Kallsyms list(text ? std::string_view(*text) : std::string_view());
    const auto functions = list.names("*");
    if (!names || functions.empty() || list.find(functions[0])[0].address == 0) GTEST_SKIP() << "needs root";
    Symbolizer symbolizer;
    size_t compared = 0;
    for (size_t i = 0; i < functions.size(); i += functions.size() / 500 + 1) {
        for (const Symbol& symbol : list.find(functions[i])) {
            const uint64_t behind = symbol.address + 0x8000;
            const auto listed = list.at(behind);
            if (!listed || listed->generated || names->at(behind)) continue;
            compared++;
            EXPECT_EQ(symbolizer.kernel_offset(behind), "") << listed->name;
        }
    }
    EXPECT_NE(compared, 0U);
}

// What was read while it was there is still known.
TEST(Symbolizer, AProcessThatHasEnded) {
    const std::vector<uint64_t> stack{address_of(lt_test_named_function)};
    Symbolizer before, after;
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    ASSERT_GT(child, 0);
    const auto pid = static_cast<uint32_t>(child);
    const auto named = before.process(pid, stack);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(before.process(pid, stack), named);
    EXPECT_EQ(frame_text(named[0]).substr(0, 22), "lt_test_named_function");
    EXPECT_NE(frame_text(after.process(pid, stack)[0]).find("[unknown]"), std::string::npos);
}

TEST(Stacks, FramesEndAtAZero) {
    EXPECT_EQ(stack_addresses(std::vector<uint64_t>{1, 5, 6, 0, 7}), (std::vector<uint64_t>{5, 6}));
    EXPECT_EQ(stack_addresses(std::vector<uint64_t>{1, 5, 6}), (std::vector<uint64_t>{5, 6}));
}

TEST(Stacks, WhatStandsForNoFrames) {
    Stacks stacks(-1);
    EXPECT_TRUE(stacks.frames({stack_none, 0}).empty());
    EXPECT_TRUE(stacks.frames({stack_lost, 5}).empty());
    EXPECT_TRUE(stacks.frames({7, 0}).empty());
}

}  // namespace
}  // namespace lt
