#include "driver/view/screen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace lt {
namespace {

TEST(Screen, lines_are_cut_at_columns) {
    EXPECT_EQ(cut("abcdef", 4), "abc…");
    EXPECT_EQ(cut("abcd", 4), "abcd");
    EXPECT_EQ(cut("p99 28ms", 7), "p99 28…") << "not 28m, which is another value";
    EXPECT_EQ(cut("a\tb", 4), "a b");
    EXPECT_EQ(cut("größe", 4), "grö…");
    // a wide character takes two columns, and is not cut in half
    EXPECT_EQ(cut("日本語.txt", 7), "日本語…");
    EXPECT_EQ(cut("日本語.txt", 5), "日本…");
    EXPECT_EQ(cut("😀😀", 3), "😀…");
    EXPECT_EQ(cut("😀😀", 4), "😀😀");
    EXPECT_EQ(cut("⌚✅⭐", 5), "⌚✅…");
    EXPECT_EQ(cut("|██▌@ 한", 6), "|██▌@…");
    EXPECT_EQ(cut("a\xff\xffz", 3), "a\xff…");
    EXPECT_EQ(cut("日", 1), "…");
    EXPECT_EQ(cut("e\xcc\x81"
                  "ab",
                  3),
              "e\xcc\x81"
              "ab");
    EXPECT_EQ(cut("e\xcc\x81"
                  "abc",
                  3),
              "e\xcc\x81"
              "a…");
    EXPECT_EQ(cut("日", 0), "");
    EXPECT_EQ(cut("", 3), "");
}

TEST(Screen, lines_of_a_narrower_terminal_take_more_rows) {
    EXPECT_EQ(rows_at({}, 80), 0U);
    EXPECT_EQ(rows_at({79, 0, 5}, 80), 3U);
    EXPECT_EQ(rows_at({79, 0, 5}, 79), 3U);
    EXPECT_EQ(rows_at({79, 0, 5}, 78), 4U);
    EXPECT_EQ(rows_at({79, 40, 41}, 40), 5U);
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

std::string shown_by(Screen& screen) {
    testing::internal::CaptureStdout();
    screen.show();
    return testing::internal::GetCapturedStdout();
}

TEST(Screen, keeps_the_end_of_what_waits) {
    constexpr size_t most = 100;
    Screen screen(most);
    for (int i = 0; i < 1000; i++) screen.write(fmt::format("line {:03}\n", i));
    const std::string text = shown_by(screen);
    const auto lines = std::ranges::count(text, '\n') - 1;
    EXPECT_TRUE(text.starts_with(fmt::format("lt: {} lines left out here: ", 1000 - lines))) << text;
    EXPECT_TRUE(text.find(fmt::format("\nline {:03}\n", 1000 - lines)) != std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("line 999\n")) << text;
    EXPECT_GE(text.size(), most / 2);
    EXPECT_EQ(shown_by(screen), "");
    screen.write("again\n");
    EXPECT_EQ(shown_by(screen), "again\n");
}

}  // namespace
}  // namespace lt
