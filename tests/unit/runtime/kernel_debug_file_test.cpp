#include <gtest/gtest.h>

#include <string>

#include "runtime/programs/debug_file.h"

namespace lt {
namespace {

using namespace std::string_literals;

const std::string of_linker = "\x04\0\0\0\x02\0\0\0\x01\0\0\0Xen\0ab\0\0"s;
const std::string of_build = "\x04\0\0\0\x03\0\0\0\x03\0\0\0GNU\0\x12\xab\x03"s;

TEST(KernelDebugFile, the_build_is_one_of_several_notes) {
    EXPECT_EQ(build_id_in_notes(of_linker + of_build + "\0"s), "12ab03");
    EXPECT_EQ(build_id_in_notes(of_build), "12ab03");
    EXPECT_EQ(build_id_in_notes(of_linker), "");
    EXPECT_EQ(build_id_in_notes(""), "");
}

TEST(KernelDebugFile, notes_that_are_cut_off_have_no_build) {
    const std::string notes = of_linker + of_build;
    for (size_t size = 0; size + 1 < notes.size(); size++) EXPECT_EQ(build_id_in_notes(notes.substr(0, size)), "");
    EXPECT_EQ(build_id_in_notes("\xff\xff\xff\xff\xff\xff\xff\xff\x03\0\0\0GNU\0"s), "");
}

TEST(KernelDebugFile, without_one_the_package_is_named) {
    const auto found = find_kernel_debug_file({{"/nowhere"}}, "6.1.0-9-amd64", "12ab");
    ASSERT_FALSE(found);
    EXPECT_EQ(
        found.error().hint,
        "install it: in Debian the package linux-image-6.1.0-9-amd64-dbg, or name its folder with `--debuginfo DIR`");
}

}  // namespace
}  // namespace lt
