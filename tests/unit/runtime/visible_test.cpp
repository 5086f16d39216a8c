// What is printed of strings that are not lt's own: no byte of it commands a terminal or ends a line.
#include "base/visible.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

TEST(Visible, EscapesAllThatATerminalObeys) {
    EXPECT_EQ(visible("plain text"), "plain text");
    EXPECT_EQ(visible("\x1b[31m\r\n\t\x07\x7f"), "\\x1b[31m\\x0d\\x0a\\x09\\x07\\x7f");
    EXPECT_EQ(visible("\xc2\x9b"
                      "31m \x9b"),
              "\\xc2\\x9b31m \\x9b");
    EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
    for (int c = 0; c < 256; c++)
        for (const char letter : visible(std::string(1, static_cast<char>(c)))) {
            const auto shown = static_cast<unsigned char>(letter);
            EXPECT_TRUE(shown >= 0x20 && shown != 0x7f && !(shown >= 0x80 && shown < 0xa0)) << c;
        }
}

TEST(Visible, KeepsTextOfOtherLanguages) {
    EXPECT_EQ(visible("äöü 漢字 🎉"), "äöü 漢字 🎉");
    EXPECT_EQ(visible("\xff\xfe"), "\xff\xfe");
}

TEST(Visible, MakesTextThatIsUtf8) {
    EXPECT_EQ(utf8_text("plain ä\x1b"), "plain ä\x1b");
    EXPECT_EQ(utf8_text("a\xff\xc3"), "a\\xff\\xc3");
}

TEST(Visible, IsCutBetweenCharacters) {
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdefg", 6), "abc...");
    EXPECT_EQ(shortened("äöüäöü", 6), "äöüäöü");
    EXPECT_EQ(shortened("äöüäöüä", 6), "äöü...");
    EXPECT_EQ(shortened("äöüä", 3, ".."), "ä..");
    EXPECT_EQ(shortened("abcd", 2, ".."), "");
}

TEST(Visible, CountsColumnsOfATerminal) {
    EXPECT_EQ(columns_in(""), 0U);
    EXPECT_EQ(columns_in("größe"), 5U);
    EXPECT_EQ(columns_in("日本語.txt"), 10U);
    EXPECT_EQ(columns_in("😀⌚"), 4U);
    EXPECT_EQ(columns_in("e\xcc\x81t"), 2U) << "an accent";
    EXPECT_EQ(columns_in("か\xe3\x82\x99"), 2U) << "a voicing mark, between wide characters";
    EXPECT_EQ(columns_in("❤\xef\xb8\x8f"), 1U) << "a variation selector";
    EXPECT_EQ(columns_in("a\xff\x80"), 3U);
    EXPECT_EQ(at_left("語", 4), "語  ");
    EXPECT_EQ(at_right("語", 4), "  語");
    EXPECT_EQ(at_left("語語", 3), "語語");
}

TEST(Visible, KeepsWhatItIsTold) {
    EXPECT_EQ(visible("a\tb\nc", Keep::tabs), "a\tb\\x0ac");
    EXPECT_EQ(visible("a\tb\nc\r", Keep::lines), "a\tb\nc\\x0d");
    EXPECT_EQ(visible("\x1b[1;31merror:\x1b[0m \x1b[2J\n", Keep::messages), "\x1b[1;31merror:\x1b[0m \\x1b[2J\n");
    EXPECT_EQ(visible("\x1b[1mbold\x1b[2J\t\n", Keep::colors), "\x1b[1mbold\\x1b[2J\\x09\\x0a");
}

TEST(Utf8Length, IsThatOfWholeCharacters) {
    EXPECT_EQ(utf8_length("a"), 1U);
    EXPECT_EQ(utf8_length("ä"), 2U);
    EXPECT_EQ(utf8_length("漢"), 3U);
    EXPECT_EQ(utf8_length("🎉"), 4U);
    EXPECT_EQ(utf8_length(""), 0U);
    EXPECT_EQ(utf8_length("\xe6\xbc"), 0U) << "cut off";
    EXPECT_EQ(utf8_length("\x80"), 0U);
    EXPECT_EQ(utf8_length("\xc0\xaf"), 0U) << "longer than needed";
    EXPECT_EQ(utf8_length("\xe0\x80\xaf"), 0U);
    EXPECT_EQ(utf8_length("\xed\xa0\x80"), 0U) << "a surrogate";
    EXPECT_EQ(utf8_length("\xf4\x90\x80\x80"), 0U) << "beyond U+10FFFF";
}

}  // namespace
}  // namespace lt
