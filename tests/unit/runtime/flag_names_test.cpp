// Names of flags from the format of a tracepoint, as two kernels write it.
#include "runtime/kernel/flag_names.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

constexpr std::string_view of_6_1 =
    "print fmt: \"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", {(unsigned long)(((( "
    "gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)) & ~(( gfp_t)0x40u)), \"GFP_NOIO\"}, {(unsigned long)(( gfp_t)0x40u), "
    "\"__GFP_IO\"}, {(unsigned long)(unknown), \"__GFP_UNKNOWN\"} ) : \"none\", REC->node";
constexpr std::string_view of_6_18 =
    "__print_flags(REC->gfp_flags, \"|\", {( unsigned long)(( gfp_t)((((1UL))) << (10)) | (( gfp_t)0)), \"A\"}, {( "
    "unsigned long)(( gfp_t)((((1UL))) << (6))), \"B\"}, { 0, ((void *)0) } ) : \"none\", (1 ? \"true\" : \"false\")";

TEST(FlagNames, OfFormats) {
    EXPECT_EQ(flag_names(of_6_1), (std::vector<FlagName>{{0xc00, "GFP_NOIO"}, {0x40, "__GFP_IO"}}));
    EXPECT_EQ(flag_names(of_6_18), (std::vector<FlagName>{{0x400, "A"}, {0x40, "B"}}));
    EXPECT_TRUE(flag_names("print fmt: \"%d\", REC->x").empty());
    EXPECT_TRUE(flag_names("__print_flags(REC->x, \"|\", {").empty());
    EXPECT_TRUE(flag_names("__print_flags(REC->x, \"|\", {((((1, \"A\"}").empty());
    EXPECT_TRUE(flag_names("__print_flags(x, \"|\", {" + std::string(100000, '(') + "1, \"A\"}").empty());
}

TEST(FlagNames, Texts) {
    const std::vector<FlagName> names = {{0xc00, "GFP_NOIO"}, {0x400, "ONE"}, {0x40, "IO"}};
    EXPECT_EQ(flags_text(0, names), "none");
    EXPECT_EQ(flags_text(0xc40, names), "GFP_NOIO|IO");
    EXPECT_EQ(flags_text(0x401, names), "ONE|0x1");
    EXPECT_EQ(flags_text(0x10, {}), "0x10");
}

}  // namespace
}  // namespace lt
