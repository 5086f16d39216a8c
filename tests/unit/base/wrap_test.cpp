#include "base/wrap.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

TEST(Wrap, BreaksAtBlanksBelowAColumn) {
    EXPECT_EQ(wrapped("one two three", 20, 2), "one two three");
    EXPECT_EQ(wrapped("one two three", 0, 2), "one two three");
    EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
    EXPECT_EQ(wrapped("  one two three", 8, 4), "  one\n    two\n    three");
}

TEST(Wrap, KeepsWordsThatAreTooLong) {
    EXPECT_EQ(wrapped("a sentence", 4, 1), "a\n sentence");
    EXPECT_EQ(wrapped("sentence", 4, 1), "sentence");
}

TEST(Wrap, CountsCharacters) { EXPECT_EQ(wrapped("\xC3\xA4\xC3\xB6 \xC3\xBC", 4, 0), "\xC3\xA4\xC3\xB6 \xC3\xBC"); }

TEST(Wrap, AlignsWithTheLastColumn) {
    EXPECT_EQ(wrapped_text("  list   Lists the traces\nnext\n", 20), "  list   Lists the\n         traces\nnext\n");
    EXPECT_EQ(wrapped_text("Kinds of probe: one two", 20), "Kinds of probe: one\ntwo");
}

}  // namespace
}  // namespace lt
