// Arguments of USDT markers, as compilers write them.
#include "arch/marker_argument.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

using Where = MarkerArgument::Where;

TEST(MarkerArgument, Constant) {
    const auto all = marker_arguments("-4@$-17 8@$0x10");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].where, Where::constant);
    EXPECT_EQ(all[0].number, -17);
    EXPECT_EQ(all[0].size, 4U);
    EXPECT_TRUE(all[0].is_signed);
    EXPECT_EQ(all[1].number, 16);
    EXPECT_FALSE(all[1].is_signed);
}

TEST(MarkerArgument, Registers) {
    const auto all = marker_arguments("8@%rdi -1@%dil 1@%ah 2@%r15w 4@%r9d");
    ASSERT_EQ(all.size(), 5U);
    for (const MarkerArgument& a : all) EXPECT_EQ(a.where, Where::in_register);
    EXPECT_EQ(all[0].base->offset, 112U);
    EXPECT_EQ(all[1].base->offset, 112U);
    EXPECT_EQ(all[2].base->offset, 81U);
    EXPECT_EQ(all[3].base->offset, 0U);
    EXPECT_EQ(all[4].base->offset, 64U);
}

TEST(MarkerArgument, Memory) {
    const auto all = marker_arguments("8@-16(%rbp) -4@(%rsp,%rax,8) 1@0x20(,%rcx,2)");
    ASSERT_EQ(all.size(), 3U);
    for (const MarkerArgument& a : all) EXPECT_EQ(a.where, Where::memory);
    EXPECT_EQ(all[0].number, -16);
    EXPECT_EQ(all[0].base->offset, 32U);
    EXPECT_FALSE(all[0].index);
    EXPECT_EQ(all[1].base->offset, 152U);
    EXPECT_EQ(all[1].index->offset, 80U);
    EXPECT_EQ(all[1].scale, 8U);
    EXPECT_FALSE(all[2].base);
    EXPECT_EQ(all[2].number, 32);
}

TEST(MarkerArgument, Unknown) {
    for (const char* text :
         {"8f@%xmm0", "-8@numbers(,%rdx,8)", "4@counter(%rip)", "3@%eax", "8@", "%rdi", "8@%cs", "8@()"})
        for (const MarkerArgument& a : marker_arguments(text)) EXPECT_EQ(a.where, Where::unknown) << text;
    EXPECT_TRUE(marker_arguments("").empty());
}

}  // namespace
}  // namespace lt
