// Diagnostics of the parser, as the user reads them: parameters.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Diagnose, ParameterWithoutName) {
    EXPECT_EQ(mistakes("param = 10ms\nk:g { @ = }"),
              R"(
-e:1:1: error: a parameter needs a name
    param = 10ms
    ^~~~~
hint: for example `param slow = 10ms "report only what is slower"`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterBeforeNextItem) {
    EXPECT_EQ(mistakes("param\nk:g { @ = }"),
              R"(
-e:1:1: error: a parameter needs a name
    param
    ^~~~~
hint: for example `param slow = 10ms "report only what is slower"`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterWithoutAssign) {
    EXPECT_EQ(mistakes("param slow 10ms"),
              R"(
-e:1:12: error: expected `=` after a parameter's name, found `10ms`
    param slow 10ms
               ^~~~
hint: for example `param slow = 10ms "report only what is slower"`
)" + 1);
}

TEST(Diagnose, ParameterWithoutValue) {
    EXPECT_EQ(mistakes("param a\nparam b =\nspan c = k:f { }"),
              R"(
-e:1:8: error: a parameter needs a value
    param a
           ^
hint: for example `param slow = 10ms "report only what is slower"`
-e:2:10: error: a parameter needs a value
    param b =
             ^
hint: for example `param slow = 10ms "report only what is slower"`
-e:3:6: error: only a span can have a name
    span c = k:f { }
         ^
hint: write the block of a span in `< ... >`
)" + 1);
}

TEST(Diagnose, ParameterWithoutValueBeforeSemicolon) {
    EXPECT_EQ(mistakes("param slow = ;"),
              R"(
-e:1:13: error: a parameter needs a value
    param slow = ;
                ^
hint: for example `param slow = 10ms "report only what is slower"`
)" + 1);
}

TEST(Diagnose, ParameterOfName) {
    EXPECT_EQ(mistakes("param slow = pid"),
              R"(
-e:1:14: error: the value of a parameter must be a number, a duration, a string, true or false
    param slow = pid
                 ^~~
hint: for example `param slow = 10ms "report only what is slower"`
)" + 1);
}

TEST(Diagnose, ParameterOfExpression) {
    EXPECT_EQ(mistakes("param slow = 10 * 2\nk:g { @ = }"),
              R"(
-e:1:17: error: unexpected `*` after a parameter
    param slow = 10 * 2
                    ^
hint: write one number, duration, string, true or false, optionally followed by a text for the help
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterInParentheses) {
    EXPECT_EQ(mistakes("param slow = (10)\nk:g { @ = }"),
              R"(
-e:1:14: error: the value of a parameter must be a number, a duration, a string, true or false
    param slow = (10)
                 ^
hint: for example `param slow = 10ms "report only what is slower"`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterOfMinusString) {
    EXPECT_EQ(mistakes("param slow = -\"a\""),
              R"(
-e:1:15: error: the value of a parameter must be a number, a duration, a string, true or false
    param slow = -"a"
                  ^~~
hint: for example `param slow = 10ms "report only what is slower"`
)" + 1);
}

TEST(Diagnose, ParameterWithBadNumber) {
    EXPECT_EQ(mistakes("param slow = 10sec\nk:g { @ = }"),
              R"(
-e:1:14: error: `10sec` is not a number
    param slow = 10sec
                 ^~~~~
hint: write a number, or a duration in ns, us, ms, s, m, h or d
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterWithTwoHelps) {
    EXPECT_EQ(mistakes("param slow = 10ms \"a\" \"b\""),
              R"(
-e:1:23: error: unexpected `"b"` after a parameter
    param slow = 10ms "a" "b"
                          ^~~
hint: write one number, duration, string, true or false, optionally followed by a text for the help
)" + 1);
}

TEST(Diagnose, ParameterThenMore) {
    EXPECT_EQ(mistakes("k:f < > param slow = 10ms 5"),
              R"(
-e:1:27: error: unexpected `5` after a parameter
    k:f < > param slow = 10ms 5
                              ^
hint: write one number, duration, string, true or false, optionally followed by a text for the help
)" + 1);
}

}  // namespace
}  // namespace lt
