#include "driver/view/screen.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace lt {
namespace {

TEST(Screen, lines_are_cut_at_columns) {
    EXPECT_EQ(cut("abcdef", 4), "abcd");
    EXPECT_EQ(cut("a\tb", 4), "a b");
    EXPECT_EQ(cut("größe", 4), "größ");
    // a wide character takes two columns, and is not cut in half
    EXPECT_EQ(cut("日本語.txt", 7), "日本語.");
    EXPECT_EQ(cut("日本語.txt", 5), "日本");
    EXPECT_EQ(cut("😀😀", 3), "😀");
    EXPECT_EQ(cut("|██▌@ 한", 6), "|██▌@ ");
    EXPECT_EQ(cut("a\xff\xffz", 3), "a\xff\xff");
    EXPECT_EQ(cut("日", 1), "");
    EXPECT_EQ(cut("", 3), "");
}

// Names of files and of what is traced must not control the terminal.
TEST(Screen, messages_and_help_are_visible) {
    Screen screen;
    std::fputs("cannot read \033]0;title\007x\n", screen.messages());
    screen.aside("a\033[2Jfile  other\n");
    testing::internal::CaptureStdout();
    screen.show();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "cannot read \\x1b]0;title\\x07x\na\\x1b[2Jfile  other\n");
}

}  // namespace
}  // namespace lt
