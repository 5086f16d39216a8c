// Diagnostics of the parser, as the user reads them: brackets, blocks and statements.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Diagnose, UnclosedSpan) {
    EXPECT_EQ(mistakes("k:f < @x = 1"),
              R"(
-e:1:5: error: this `<` is never closed
    k:f < @x = 1
        ^
hint: write `>` after the last statement
)" + 1);
}

TEST(Diagnose, UnclosedBlock) {
    EXPECT_EQ(mistakes("k:f { if (a) { @x = 1; }"),
              R"(
-e:1:5: error: this `{` is never closed
    k:f { if (a) { @x = 1; }
        ^
hint: write `}` after the last statement
)" + 1);
}

TEST(Diagnose, UnclosedParenthesis) {
    EXPECT_EQ(mistakes("k:f { @x = hist(1"),
              R"(
-e:1:16: error: this `(` is never closed
    k:f { @x = hist(1
                   ^
hint: write `)` after the last argument or operand
)" + 1);
}

TEST(Diagnose, UnclosedKey) {
    EXPECT_EQ(mistakes("k:f { @x[1 = 2; }"),
              R"(
-e:1:9: error: this `[` is never closed
    k:f { @x[1 = 2; }
            ^
hint: write `]` after the last key
)" + 1);
}

TEST(Diagnose, UnclosedPredicate) {
    EXPECT_EQ(mistakes("k:f /pid == 1 { }"),
              R"(
-e:1:5: error: this `/` is never closed
    k:f /pid == 1 { }
        ^
hint: write `/` after the condition, before the block
)" + 1);
}

TEST(Diagnose, UnclosedString) {
    EXPECT_EQ(mistakes("k:f { \"abc }"),
              R"(
-e:1:7: error: this string is never closed
    k:f { "abc }
          ^
hint: write `"` where the string ends
)" + 1);
}

TEST(Diagnose, UnclosedComment) {
    EXPECT_EQ(mistakes("k:f { /* abc }"),
              R"(
-e:1:7: error: this comment is never closed
    k:f { /* abc }
          ^~
hint: write `*/` where the comment ends
)" + 1);
}

TEST(Diagnose, UnclosedBlockBeforeNextItem) {
    EXPECT_EQ(mistakes("k:f { @x = 1\nk:g { }"),
              R"(
-e:1:5: error: this `{` is never closed
    k:f { @x = 1
        ^
hint: write `}` after the last statement
)" + 1);
}

TEST(Diagnose, SpanClosedByBrace) {
    EXPECT_EQ(mistakes("k:f < @x = 1 }"),
              R"(
-e:1:5: error: this `<` is never closed
    k:f < @x = 1 }
        ^
-e:1:14: note: `}` is here, but `>` is expected
    k:f < @x = 1 }
                 ^
hint: write `>` after the last statement
)" + 1);
}

TEST(Diagnose, BracketClosedByAnother) {
    EXPECT_EQ(mistakes("k:f { f(1 }"),
              R"(
-e:1:8: error: this `(` is never closed
    k:f { f(1 }
           ^
-e:1:11: note: `}` is here, but `)` is expected
    k:f { f(1 }
              ^
hint: write `)` after the last argument or operand
)" + 1);
}

TEST(Diagnose, ParenthesisOpenAtSemicolon) {
    EXPECT_EQ(mistakes("k:f < @x = (1; >\nk:g < @x = >"),
              R"(
-e:1:12: error: this `(` is never closed
    k:f < @x = (1; >
               ^
hint: write `)` after the last argument or operand
-e:2:12: error: expected an expression, found `>`
    k:g < @x = >
               ^
)" + 1);
}

TEST(Diagnose, NoBlock) {
    EXPECT_EQ(mistakes("k:f"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    k:f
    ^~~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, NoBlockAfterPredicate) {
    EXPECT_EQ(mistakes("k:f /pid == 1/"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    k:f /pid == 1/
    ^~~~~~~~~~~~~~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, NoBlockBeforeNextItem) {
    EXPECT_EQ(mistakes("k:f\nk:g { @x = ; }"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    k:f
    ^~~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
-e:2:12: error: expected an expression, found `;`
    k:g { @x = ; }
               ^
)" + 1);
}

TEST(Diagnose, NoCommaBetweenProbes) {
    EXPECT_EQ(mistakes("k:f k:g { }"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    k:f k:g { }
    ^~~
hint: write `,` between two probes
)" + 1);
}

TEST(Diagnose, PredicateWithoutBlank) {
    EXPECT_EQ(mistakes("u:a:f/pid == 1/ { }"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    u:a:f/pid == 1/ { }
    ^~~~~~~~~
hint: write a space before the `/` of a predicate
)" + 1);
}

TEST(Diagnose, ThresholdBeforeBraces) {
    EXPECT_EQ(mistakes("k:f > 10ms { }"),
              R"(
-e:1:12: error: a threshold needs the block of a span after it: `< ... >`
    k:f > 10ms { }
               ^
hint: for example `k:vfs_read > 10ms < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, StrayGreater) {
    EXPECT_EQ(mistakes("> k:f { }"),
              R"(
-e:1:1: error: expected a probe, found `>`
    > k:f { }
    ^
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, StrayBrace) {
    EXPECT_EQ(mistakes("}"),
              R"(
-e:1:1: error: this `}` closes nothing
    }
    ^
hint: remove the `}`
)" + 1);
}

TEST(Diagnose, StrayParenthesis) {
    EXPECT_EQ(mistakes("k:f { @x = 1); }"),
              R"(
-e:1:13: error: this `)` closes nothing
    k:f { @x = 1); }
                ^
hint: remove the `)`
)" + 1);
}

TEST(Diagnose, StatementOutsideOfProbes) {
    EXPECT_EQ(mistakes("@x = 1;\nk:f { }"),
              R"(
-e:1:1: error: expected a probe, found `@x`
    @x = 1;
    ^~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, CommaTwice) {
    EXPECT_EQ(mistakes("k:f, , k:g { }"),
              R"(
-e:1:6: error: expected a probe, found `,`
    k:f, , k:g { }
         ^
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, MissingSemicolon) {
    EXPECT_EQ(mistakes("k:f { @x = 1\n @y = 2 }"),
              R"(
-e:1:13: error: missing `;` between two statements
    k:f { @x = 1
                ^
hint: write `;` here
)" + 1);
}

TEST(Diagnose, CallWithoutParentheses) {
    EXPECT_EQ(mistakes("k:f { printf \"x\" }"),
              R"(
-e:1:14: error: unexpected `"x"` after `printf`
    k:f { printf "x" }
                 ^~~
hint: to call a function, write `printf(...)`; between two statements, write `;`
)" + 1);
}

TEST(Diagnose, AssignmentInCondition) {
    EXPECT_EQ(mistakes("k:f { if (@x = 1) { } }"),
              R"(
-e:1:14: error: an assignment with `=` is not a value
    k:f { if (@x = 1) { } }
                 ^
hint: to compare, write `==`
)" + 1);
}

TEST(Diagnose, ValueAsFunction) {
    EXPECT_EQ(mistakes("k:f < @x = latency() >"), "");  // a value may be written as a call
}

TEST(Diagnose, AssignmentToValue) {
    EXPECT_EQ(mistakes("k:f { 1 = 2 }"),
              R"(
-e:1:7: error: only a map or a local can be assigned to
    k:f { 1 = 2 }
          ^
hint: write `@name = ...` or `$name = ...`
)" + 1);
}

TEST(Diagnose, ValueAlone) {
    EXPECT_EQ(mistakes("k:f { @x == 1; @y; 3 }"),
              R"(
-e:1:7: error: a value alone has no effect
    k:f { @x == 1; @y; 3 }
          ^~~~~~~
hint: to assign, write `=`
-e:1:16: error: a value alone has no effect
    k:f { @x == 1; @y; 3 }
                   ^~
hint: to print a map, write `print(@y)`
-e:1:20: error: a value alone has no effect
    k:f { @x == 1; @y; 3 }
                       ^
hint: assign it, as in `@x = ...`, or pass it to a function
)" + 1);
}

TEST(Diagnose, ComparisonInSpan) {
    EXPECT_EQ(mistakes("k:f < @x = a > b >"),
              R"(
-e:1:14: error: this `>` closes the span's block
    k:f < @x = a > b >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a > b >
        ^
hint: put a comparison or shift in a span's block in parentheses: `(a > b)`
)" + 1);
}

TEST(Diagnose, ComparisonInSpanThenMore) {
    EXPECT_EQ(mistakes("k:f < @x = a > b; @y = 3 >\nk:g { @ = }"),
              R"(
-e:1:14: error: this `>` closes the span's block
    k:f < @x = a > b; @y = 3 >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a > b; @y = 3 >
        ^
hint: put a comparison or shift in a span's block in parentheses: `(a > b)`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ShiftInSpan) {
    EXPECT_EQ(mistakes("k:f < @x = a >> 2 >"),
              R"(
-e:1:14: error: this `>` closes the span's block
    k:f < @x = a >> 2 >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a >> 2 >
        ^
hint: put a comparison or shift in a span's block in parentheses: `(a > b)`
)" + 1);
}

TEST(Diagnose, ConditionInSpan) {
    EXPECT_EQ(mistakes("k:f < if a > 3 { } >"),
              R"(
-e:1:12: error: this `>` closes the span's block
    k:f < if a > 3 { } >
               ^
-e:1:5: note: the block begins here
    k:f < if a > 3 { } >
        ^
hint: put a comparison or shift in a span's block in parentheses: `(a > b)`
)" + 1);
}

}  // namespace
}  // namespace lt
