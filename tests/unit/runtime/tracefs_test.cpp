// Format files of tracepoints and lists of functions.
#include "runtime/kernel/tracefs.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

Field one(const std::string& line, std::string_view category = "sched") {
    Result<std::vector<Field>> fields = parse_format("\tfield:" + line + "\n", category);
    if (!fields || fields->size() != 1) return {};
    return (*fields)[0];
}

TEST(TracepointFormat, Integers) {
    const Field pid = one("pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;");
    EXPECT_EQ(pid.name, "prev_pid");
    EXPECT_EQ(pid.c_type, "pid_t");
    EXPECT_EQ(pid.type, integer_type(4, true));
    EXPECT_EQ(pid.offset, 24u);
    EXPECT_EQ(one("unsigned long x;\toffset:8;\tsize:8;\tsigned:0;").type, integer_type(8, false));
    EXPECT_EQ(one("bool success;\toffset:8;\tsize:1;\tsigned:0;").type, integer_type(1, false, View::boolean));
}

TEST(TracepointFormat, Strings) {
    const Field comm = one("char comm[16];\toffset:8;\tsize:16;\tsigned:0;");
    EXPECT_EQ(comm.name, "comm");
    EXPECT_EQ(comm.type, string_type(16));
    EXPECT_EQ(comm.c_type, "char[16]");
    EXPECT_EQ(one("char comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:0;").type, string_type(16));
    const Field name = one("__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;");
    EXPECT_EQ(name.name, "name");
    EXPECT_EQ(name.type, string_type(64));
    EXPECT_TRUE(name.data_location);
    EXPECT_FALSE(name.relative);
    const Field relative = one("__rel_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;");
    EXPECT_EQ(relative.name, "name");
    EXPECT_EQ(relative.type, string_type(64));
    EXPECT_TRUE(relative.data_location && relative.relative);
}

TEST(TracepointFormat, WhatHasNoValue) {
    EXPECT_EQ(one("unsigned long args[N];\toffset:16;\tsize:48;\tsigned:0;").type, nothing());
    EXPECT_EQ(one("struct pair args[6];\toffset:16;\tsize:48;\tsigned:0;").type, nothing());
    EXPECT_EQ(one("u8 addr[5];\toffset:16;\tsize:8;\tsigned:0;").type, nothing());
    EXPECT_EQ(one("__data_loc u32[] list;\toffset:16;\tsize:4;\tsigned:0;").type, nothing());
    EXPECT_EQ(one("__rel_loc u32[] list;\toffset:16;\tsize:4;\tsigned:0;").type, nothing());
    EXPECT_EQ(one("struct pair p;\toffset:16;\tsize:8;\tsigned:0;").type, nothing());
}

TEST(TracepointFormat, Arrays) {
    EXPECT_EQ(one("unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;").type,
              array_type(integer_type(8, false), 6));
    EXPECT_EQ(one("__s8 addr[8];\toffset:16;\tsize:8;\tsigned:1;").type, array_type(integer_type(1, true), 8));
}

TEST(TracepointFormat, Pointers) {
    const Field filename = one("const char * filename;\toffset:24;\tsize:8;\tsigned:0;");
    EXPECT_EQ(filename.name, "filename");
    EXPECT_EQ(filename.c_type, "const char *");
    EXPECT_EQ(filename.type, integer_type(8, false, View::hex));
    EXPECT_TRUE(one("const char * filename;\toffset:24;\tsize:8;\tsigned:0;", "syscalls").type.user_memory);
    EXPECT_EQ(one("void *ptr;\toffset:8;\tsize:8;\tsigned:0;").name, "ptr");
}

TEST(TracepointFormat, ParametersOfSystemCallsAreWhatTheKernelTakes) {
    EXPECT_EQ(one("int dfd;\toffset:16;\tsize:8;\tsigned:0;", "syscalls").type, integer_type(4, true));
    EXPECT_EQ(one("umode_t mode;\toffset:16;\tsize:8;\tsigned:0;", "syscalls").type, integer_type(2, false));
    EXPECT_EQ(one("size_t count;\toffset:16;\tsize:8;\tsigned:0;", "syscalls").type, integer_type(8, false));
    EXPECT_EQ(one("long ret;\toffset:16;\tsize:8;\tsigned:1;", "syscalls").type, integer_type(8, true));
}

TEST(TracepointFormat, CommonFieldsAreLeftOut) {
    const auto fields = parse_format(
        "name: x\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"field:%d\", REC->a\n",
        "x");
    ASSERT_TRUE(fields);
    ASSERT_EQ(fields->size(), 1u);
    EXPECT_EQ((*fields)[0].name, "a");
}

TEST(TracepointFormat, DamagedFilesAreRefused) {
    EXPECT_FALSE(parse_format("", "x"));
    EXPECT_FALSE(parse_format("field:int a", "x"));
    EXPECT_FALSE(parse_format("field:int a;\toffset:x;\tsize:4;\tsigned:1;", "x"));
    EXPECT_FALSE(parse_format("field:int a;\toffset:99999999999;\tsize:4;\tsigned:1;", "x"));
    EXPECT_TRUE(parse_format("field:;\toffset:0;\tsize:0;\tsigned:0;", "x"));
    EXPECT_TRUE(parse_format("field:];\toffset:0;\tsize:0;\tsigned:0;", "x"));
}

TEST(FunctionList, NamesWithAndWithoutModules) {
    const FunctionList list("vfs_read\next4_sync [ext4]\n\nlast");
    EXPECT_TRUE(list.has("vfs_read"));
    EXPECT_TRUE(list.has("ext4_sync"));
    EXPECT_TRUE(list.has("last"));
    EXPECT_FALSE(list.has("vfs"));
    EXPECT_FALSE(list.has(""));
    EXPECT_TRUE(FunctionList("").empty());
}

}  // namespace
}  // namespace lt
