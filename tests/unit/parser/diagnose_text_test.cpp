// Diagnostics of the parser, as the user reads them: characters and words, C in a script, and limits.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Diagnose, BadNumbers) {
    EXPECT_EQ(mistakes("k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }"),
              R"(
-e:1:9: error: `12abc` is not a number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
            ^~~~~
hint: write a number, or a duration in ns, us, ms, s, m, h or d
-e:1:16: error: `0x` is not a hexadecimal number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                   ^~
hint: write digits 0 to 9 and a to f after `0x`
-e:1:20: error: `99999999999999999999` does not fit into 64 bits
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                       ^~~~~~~~~~~~~~~~~~~~
hint: the largest number is 18446744073709551615
-e:1:42: error: `1e20` does not fit into 64 bits
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                             ^~~~
hint: the largest number is 18446744073709551615
-e:1:48: error: `1.5` is not a whole number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                   ^~~
hint: only durations have fractions, for example `1.5ms`
-e:1:53: error: `08` is not an octal number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                        ^~
hint: a number that begins with 0 can only have digits 0 to 7
-e:1:57: error: `300000d` is too long: the limit for a duration is 106751 days
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                            ^~~~~~~
hint: write a shorter duration
-e:1:66: error: `0.5ns` is not a whole number of nanoseconds
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                                     ^~~~~
hint: the smallest unit of a duration is a nanosecond
)" + 1);
}

TEST(Diagnose, SingleQuotes) {
    EXPECT_EQ(mistakes("k:f { printf('abc') }"),
              R"(
-e:1:14: error: a string needs double quotes
    k:f { printf('abc') }
                 ^~~~~
hint: write `"abc"`
)" + 1);
}

TEST(Diagnose, TypographicQuotes) {
    EXPECT_EQ(mistakes("k:f { printf(“abc”) }"),
              R"(
-e:1:14: error: unexpected `“`
    k:f { printf(“abc”) }
                 ^
hint: write `"`
)" + 1);
}

TEST(Diagnose, LetterOutsideOfAscii) {
    EXPECT_EQ(mistakes("k:f { @x = é }"),
              R"(
-e:1:12: error: `é` is only allowed in strings and comments
    k:f { @x = é }
               ^
)" + 1);
}

TEST(Diagnose, ControlByte) {
    EXPECT_EQ(mistakes("k:f { @x = \x01 }"),
              R"(
-e:1:12: error: unexpected byte 0x01
    k:f { @x = \x01 }
               ^~~~
hint: remove it
)" + 1);
}

TEST(Diagnose, BadEscapes) {
    EXPECT_EQ(mistakes("k:f { f(\"a\\q\\xzz\\777\") }"),
              R"(
-e:1:11: error: `\q` is not an escape
    k:f { f("a\q\xzz\777") }
              ^~
hint: use `\n \t \r \\ \"`, `\0` to `\377` or `\x0` to `\xff`; write `\\` for a backslash
-e:1:13: error: `\x` is not an escape
    k:f { f("a\q\xzz\777") }
                ^~
hint: use `\n \t \r \\ \"`, `\0` to `\377` or `\x0` to `\xff`; write `\\` for a backslash
-e:1:17: error: `\777` is not an escape
    k:f { f("a\q\xzz\777") }
                    ^~~~
hint: use `\n \t \r \\ \"`, `\0` to `\377` or `\x0` to `\xff`; write `\\` for a backslash
)" + 1);
}

TEST(Diagnose, ShellComment) {
    EXPECT_EQ(mistakes("# why\nk:f { @ = }"),
              R"(
-e:1:1: error: `#` does not begin a comment
    # why
    ^
hint: write `//` before a comment
-e:2:11: error: expected an expression, found `}`
    k:f { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ExpectedExpression) {
    EXPECT_EQ(mistakes("k:f { @x = 1 + ; }"),
              R"(
-e:1:16: error: expected an expression, found `;`
    k:f { @x = 1 + ; }
                   ^
)" + 1);
}

TEST(Diagnose, ExpectedComma) {
    EXPECT_EQ(mistakes("k:f { @x = f(1 2) }"),
              R"(
-e:1:16: error: expected `)` or `,`, found `2`
    k:f { @x = f(1 2) }
                   ^
)" + 1);
}

TEST(Diagnose, ExpectedBlock) {
    EXPECT_EQ(mistakes("k:f { if (x) exit() }"),
              R"(
-e:1:14: error: expected `{`, found `exit`
    k:f { if (x) exit() }
                 ^~~~
)" + 1);
}

TEST(Diagnose, ElseWithoutIf) {
    EXPECT_EQ(mistakes("k:f { else { } }"),
              R"(
-e:1:7: error: expected a statement or `}`, found `else`
    k:f { else { } }
          ^~~~
)" + 1);
}

TEST(Diagnose, ExpectedColon) {
    EXPECT_EQ(mistakes("k:f { @x = a ? b; }"),
              R"(
-e:1:17: error: expected `:`, found `;`
    k:f { @x = a ? b; }
                    ^
)" + 1);
}

TEST(Diagnose, ExpectedName) {
    EXPECT_EQ(mistakes("k:f { @x = args. }"),
              R"(
-e:1:18: error: expected a name, found `}`
    k:f { @x = args. }
                     ^
)" + 1);
}

TEST(Diagnose, MistakesOfSeveralItems) {
    EXPECT_EQ(mistakes("k:f { @x = ; }\nk:g { @y = 1 }\nk:h < @z = * >"),
              R"(
-e:1:12: error: expected an expression, found `;`
    k:f { @x = ; }
               ^
-e:3:14: error: expected an expression, found `>`
    k:h < @z = * >
                 ^
)" + 1);
}

TEST(C, MistakeBehindIt) {
    EXPECT_EQ(mistakes("#define X \\\n  2\nstruct foo { int x; };\nk:f { @ = }"),
              R"(
-e:4:11: error: expected an expression, found `}`
    k:f { @ = }
              ^
)" + 1);
}

TEST(C, OpenDefinition) {
    EXPECT_EQ(mistakes("struct foo { int x;\nk:f { @ = 1; }"),
              R"(
-e:1:12: error: this `{` is never closed
    struct foo { int x;
               ^
hint: write `};` after the last member
)" + 1);
}

TEST(C, DefinitionWithoutEnd) {
    EXPECT_EQ(mistakes("struct foo k:f"),
              R"(
-e:1:1: error: this definition does not end
    struct foo k:f
    ^~~~~~
hint: write `;` after it
)" + 1);
}

TEST(Limits, DeepNestingIsRefused) {
    constexpr size_t many = 20'000;
    const std::string too_deep = "1: this is nested too deeply";
    EXPECT_EQ(summary("k:f { @ = " + repeated("(", many)), too_deep);
    EXPECT_EQ(summary("k:f { @ = " + repeated("(", many) + "1" + repeated(")", many) + "; }"), too_deep);
    EXPECT_EQ(summary("k:f { @ = " + repeated("!", 5 * many) + "1; }"), too_deep);
    EXPECT_EQ(summary("k:f { @ = 1" + repeated("+1", many) + "; }"), too_deep);
    EXPECT_EQ(summary("k:f { @ = " + repeated("1?", many) + "1; }"), too_deep);
    EXPECT_EQ(summary("k:f { @ = " + repeated("1?1:", many) + "1; }"), too_deep);
    EXPECT_EQ(summary("k:f { @ = a" + repeated(".b", many) + "; }"), too_deep);
    EXPECT_EQ(summary("k:f { if 1 {} " + repeated("else if 1 {} ", many) + "}"), too_deep);
    EXPECT_EQ(summary("k:f { " + repeated("if 1 {", many) + repeated("}", many) + "}"), too_deep);
}

TEST(Limits, ReasonableNestingIsAccepted) {
    EXPECT_EQ(summary("k:f { @ = " + repeated("(", 200) + "1" + repeated(")", 200) + "; }"), "none");
    EXPECT_EQ(summary("k:f { @ = 1" + repeated("+1", 200) + "; }"), "none");
}

TEST(Limits, NotEveryMistakeIsSaid) {
    EXPECT_EQ(summary(repeated("k:f { @ = }\n", 1000)), "21: expected an expression, found `}`");
}

TEST(Limits, NulBytesAreRefused) {
    EXPECT_EQ(summary(std::string("k:f\0 { }", 8)), "1: a NUL byte: this is not a text file");
}

TEST(Limits, LongTextsAreRefused) {
    EXPECT_EQ(summary(std::string((16U << 20) + 1, ' ')), "1: -e is longer than 16 MiB");
}

}  // namespace
}  // namespace lt
