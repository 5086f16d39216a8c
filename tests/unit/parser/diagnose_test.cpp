// Every diagnostic of the parser, as the user reads it.
#include <gtest/gtest.h>

#include "parser/parse.h"

namespace lt {
namespace {

// All diagnostics of a program, drawn.
std::string mistakes(std::string text) {
    const Source source{"-e", std::move(text)};
    Diags diags;
    parse(source, diags);
    std::string out;
    for (const Diag& diag : diags.all()) out += draw(source, diag, false);
    return out;
}

// How many diagnostics a program has, and the first message.
std::string summary(std::string text) {
    const Source source{"-e", std::move(text)};
    Diags diags;
    parse(source, diags);
    if (diags.all().empty()) return "none";
    return std::to_string(diags.all().size()) + ": " + diags.all().front().message;
}

TEST(Diagnose, UnclosedSpan) {
    EXPECT_EQ(mistakes("k:f < @x = 1"),
              R"(
-e:1:5: error: this '<' is never closed
    k:f < @x = 1
        ^
hint: write '>' after the last statement
)" + 1);
}

TEST(Diagnose, UnclosedBlock) {
    EXPECT_EQ(mistakes("k:f { if (a) { @x = 1; }"),
              R"(
-e:1:5: error: this '{' is never closed
    k:f { if (a) { @x = 1; }
        ^
hint: write '}' after the last statement
)" + 1);
}

TEST(Diagnose, UnclosedParenthesis) {
    EXPECT_EQ(mistakes("k:f { @x = hist(1"),
              R"(
-e:1:16: error: this '(' is never closed
    k:f { @x = hist(1
                   ^
hint: write ')' after the last argument or operand
)" + 1);
}

TEST(Diagnose, UnclosedKey) {
    EXPECT_EQ(mistakes("k:f { @x[1 = 2; }"),
              R"(
-e:1:9: error: this '[' is never closed
    k:f { @x[1 = 2; }
            ^
hint: write ']' after the last key
)" + 1);
}

TEST(Diagnose, UnclosedPredicate) {
    EXPECT_EQ(mistakes("k:f /pid == 1 { }"),
              R"(
-e:1:5: error: this '/' is never closed
    k:f /pid == 1 { }
        ^
hint: write '/' after the condition, before the block
)" + 1);
}

TEST(Diagnose, UnclosedString) {
    EXPECT_EQ(mistakes("k:f { \"abc }"),
              R"(
-e:1:7: error: this string is never closed
    k:f { "abc }
          ^
hint: write '"' where the string ends
)" + 1);
}

TEST(Diagnose, UnclosedComment) {
    EXPECT_EQ(mistakes("k:f { /* abc }"),
              R"(
-e:1:7: error: this comment is never closed
    k:f { /* abc }
          ^~
hint: write '*/' where the comment ends
)" + 1);
}

TEST(Diagnose, UnclosedBlockBeforeNextItem) {
    EXPECT_EQ(mistakes("k:f { @x = 1\nk:g { }"),
              R"(
-e:1:5: error: this '{' is never closed
    k:f { @x = 1
        ^
hint: write '}' after the last statement
)" + 1);
}

TEST(Diagnose, SpanClosedByBrace) {
    EXPECT_EQ(mistakes("k:f < @x = 1 }"),
              R"(
-e:1:5: error: this '<' is never closed
    k:f < @x = 1 }
        ^
-e:1:14: note: '}' stands where '>' is missing
    k:f < @x = 1 }
                 ^
hint: write '>' after the last statement
)" + 1);
}

TEST(Diagnose, BracketClosedByAnother) {
    EXPECT_EQ(mistakes("k:f { f(1 }"),
              R"(
-e:1:8: error: this '(' is never closed
    k:f { f(1 }
           ^
-e:1:11: note: '}' stands where ')' is missing
    k:f { f(1 }
              ^
hint: write ')' after the last argument or operand
)" + 1);
}

TEST(Diagnose, ParenthesisOpenAtSemicolon) {
    EXPECT_EQ(mistakes("k:f < @x = (1; >\nk:g < @x = >"),
              R"(
-e:1:12: error: this '(' is never closed
    k:f < @x = (1; >
               ^
hint: write ')' after the last argument or operand
-e:2:12: error: expected an expression, found '>'
    k:g < @x = >
               ^
)" + 1);
}

TEST(Diagnose, NoBlock) {
    EXPECT_EQ(mistakes("k:f"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f
    ^~~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, NoBlockAfterPredicate) {
    EXPECT_EQ(mistakes("k:f /pid == 1/"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f /pid == 1/
    ^~~~~~~~~~~~~~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, NoBlockBeforeNextItem) {
    EXPECT_EQ(mistakes("k:f\nk:g { @x = ; }"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f
    ^~~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
-e:2:12: error: expected an expression, found ';'
    k:g { @x = ; }
               ^
)" + 1);
}

TEST(Diagnose, NoCommaBetweenProbes) {
    EXPECT_EQ(mistakes("k:f k:g { }"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f k:g { }
    ^~~
hint: write ',' between two probes
)" + 1);
}

TEST(Diagnose, PredicateWithoutBlank) {
    EXPECT_EQ(mistakes("k:f/pid == 1/ { }"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f/pid == 1/ { }
    ^~~~~~~
hint: write a blank before the '/' of a predicate
)" + 1);
}

TEST(Diagnose, ThresholdBeforeBraces) {
    EXPECT_EQ(mistakes("k:f > 10ms { }"),
              R"(
-e:1:12: error: after a threshold stands the block of a span: < ... >
    k:f > 10ms { }
               ^
hint: for example k:vfs_read > 10ms < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, StrayGreater) {
    EXPECT_EQ(mistakes("> k:f { }"),
              R"(
-e:1:1: error: expected a probe, found '>'
    > k:f { }
    ^
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, StrayBrace) {
    EXPECT_EQ(mistakes("}"),
              R"(
-e:1:1: error: this '}' closes nothing
    }
    ^
hint: remove the '}'
)" + 1);
}

TEST(Diagnose, StrayParenthesis) {
    EXPECT_EQ(mistakes("k:f { @x = 1); }"),
              R"(
-e:1:13: error: this ')' closes nothing
    k:f { @x = 1); }
                ^
hint: remove the ')'
)" + 1);
}

TEST(Diagnose, StatementOutsideOfProbes) {
    EXPECT_EQ(mistakes("@x = 1;\nk:f { }"),
              R"(
-e:1:1: error: expected a probe, found '@x'
    @x = 1;
    ^~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, CommaTwice) {
    EXPECT_EQ(mistakes("k:f, , k:g { }"),
              R"(
-e:1:6: error: expected a probe, found ','
    k:f, , k:g { }
         ^
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, MissingSemicolon) {
    EXPECT_EQ(mistakes("k:f { @x = 1\n @y = 2 }"),
              R"(
-e:1:13: error: two statements without a ';' between them
    k:f { @x = 1
                ^
hint: write ';' here
)" + 1);
}

TEST(Diagnose, CallWithoutParentheses) {
    EXPECT_EQ(mistakes("k:f { printf \"x\" }"),
              R"(
-e:1:14: error: unexpected '"x"' after 'printf'
    k:f { printf "x" }
                 ^~~
hint: to call a function, write printf(...); between two statements, write ';'
)" + 1);
}

TEST(Diagnose, AssignmentInCondition) {
    EXPECT_EQ(mistakes("k:f { if (@x = 1) { } }"),
              R"(
-e:1:14: error: '=' assigns, and an assignment is not a value
    k:f { if (@x = 1) { } }
                 ^
hint: to compare, write '=='
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
hint: write @name = ... or $name = ...
)" + 1);
}

TEST(Diagnose, ValueAlone) {
    EXPECT_EQ(mistakes("k:f { @x == 1; @y; 3 }"),
              R"(
-e:1:7: error: a value alone does nothing
    k:f { @x == 1; @y; 3 }
          ^~~~~~~
hint: to assign, write '='
-e:1:16: error: a value alone does nothing
    k:f { @x == 1; @y; 3 }
                   ^~
hint: to print a map, write print(@y)
-e:1:20: error: a value alone does nothing
    k:f { @x == 1; @y; 3 }
                       ^
hint: assign it, as in @x = ..., or call a function with it
)" + 1);
}

TEST(Diagnose, ComparisonInSpan) {
    EXPECT_EQ(mistakes("k:f < @x = a > b >"),
              R"(
-e:1:14: error: this '>' closes the span's block
    k:f < @x = a > b >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a > b >
        ^
hint: a comparison or shift in a span's block stands in parentheses: (a > b)
)" + 1);
}

TEST(Diagnose, ComparisonInSpanThenMore) {
    EXPECT_EQ(mistakes("k:f < @x = a > b; @y = 3 >\nk:g { @ = }"),
              R"(
-e:1:14: error: this '>' closes the span's block
    k:f < @x = a > b; @y = 3 >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a > b; @y = 3 >
        ^
hint: a comparison or shift in a span's block stands in parentheses: (a > b)
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ShiftInSpan) {
    EXPECT_EQ(mistakes("k:f < @x = a >> 2 >"),
              R"(
-e:1:14: error: this '>' closes the span's block
    k:f < @x = a >> 2 >
                 ^
-e:1:5: note: the block begins here
    k:f < @x = a >> 2 >
        ^
hint: a comparison or shift in a span's block stands in parentheses: (a > b)
)" + 1);
}

TEST(Diagnose, ConditionInSpan) {
    EXPECT_EQ(mistakes("k:f < if a > 3 { } >"),
              R"(
-e:1:12: error: this '>' closes the span's block
    k:f < if a > 3 { } >
               ^
-e:1:5: note: the block begins here
    k:f < if a > 3 { } >
        ^
hint: a comparison or shift in a span's block stands in parentheses: (a > b)
)" + 1);
}

TEST(Diagnose, BadNumbers) {
    EXPECT_EQ(mistakes("k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }"),
              R"(
-e:1:9: error: '12abc' is not a number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
            ^~~~~
hint: the units of durations are ns, us, ms, s, m, h and d
-e:1:16: error: '0x' is not a hexadecimal number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                   ^~
hint: write digits 0 to 9 and a to f after 0x
-e:1:20: error: 99999999999999999999 does not fit 64 bits
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                       ^~~~~~~~~~~~~~~~~~~~
hint: the largest number is 18446744073709551615
-e:1:42: error: 1e20 does not fit 64 bits
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                             ^~~~
hint: the largest number is 18446744073709551615
-e:1:48: error: '1.5' is not a whole number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                   ^~~
hint: only durations have fractions, as in 1.5ms
-e:1:53: error: '08' is not an octal number
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                        ^~
hint: a number that begins with 0 has digits 0 to 7 only
-e:1:57: error: '300000d' is too long: a duration is at most 106751 days
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                            ^~~~~~~
hint: write a shorter duration
-e:1:66: error: '0.5ns' is not a whole number of nanoseconds
    k:f { f(12abc, 0x, 99999999999999999999, 1e20, 1.5, 08, 300000d, 0.5ns) }
                                                                     ^~~~~
hint: durations are counted in nanoseconds
)" + 1);
}

TEST(Diagnose, SingleQuotes) {
    EXPECT_EQ(mistakes("k:f { printf('abc') }"),
              R"(
-e:1:14: error: a string stands in double quotes
    k:f { printf('abc') }
                 ^~~~~
hint: write "abc"
)" + 1);
}

TEST(Diagnose, TypographicQuotes) {
    EXPECT_EQ(mistakes("k:f { printf(“abc”) }"),
              R"(
-e:1:14: error: unexpected '“'
    k:f { printf(“abc”) }
                 ^
hint: write '"'
)" + 1);
}

TEST(Diagnose, LetterOutsideOfAscii) {
    EXPECT_EQ(mistakes("k:f { @x = é }"),
              R"(
-e:1:12: error: 'é' can stand only in strings and comments
    k:f { @x = é }
               ^
)" + 1);
}

TEST(Diagnose, ControlByte) {
    EXPECT_EQ(mistakes("k:f { @x = \x01 }"),
              R"(
-e:1:12: error: unexpected byte 0x01
    k:f { @x =  }
               ^
hint: remove it
)" + 1);
}

TEST(Diagnose, BadEscapes) {
    EXPECT_EQ(mistakes("k:f { f(\"a\\q\\xzz\\777\") }"),
              R"(
-e:1:11: error: '\q' is not an escape
    k:f { f("a\q\xzz\777") }
              ^~
hint: the escapes are \n \t \r \\ \" \0 to \377 and \x0 to \xff; write \\ for a backslash
-e:1:13: error: '\x' is not an escape
    k:f { f("a\q\xzz\777") }
                ^~
hint: the escapes are \n \t \r \\ \" \0 to \377 and \x0 to \xff; write \\ for a backslash
-e:1:17: error: '\777' is not an escape
    k:f { f("a\q\xzz\777") }
                    ^~~~
hint: the escapes are \n \t \r \\ \" \0 to \377 and \x0 to \xff; write \\ for a backslash
)" + 1);
}

TEST(Diagnose, ShellComment) {
    EXPECT_EQ(mistakes("# why\nk:f { @ = }"),
              R"(
-e:1:1: error: '#' does not begin a comment
    # why
    ^
hint: write '//' before a comment
-e:2:11: error: expected an expression, found '}'
    k:f { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ExpectedExpression) {
    EXPECT_EQ(mistakes("k:f { @x = 1 + ; }"),
              R"(
-e:1:16: error: expected an expression, found ';'
    k:f { @x = 1 + ; }
                   ^
)" + 1);
}

TEST(Diagnose, ExpectedComma) {
    EXPECT_EQ(mistakes("k:f { @x = f(1 2) }"),
              R"(
-e:1:16: error: expected ')' or ',', found '2'
    k:f { @x = f(1 2) }
                   ^
)" + 1);
}

TEST(Diagnose, ExpectedBlock) {
    EXPECT_EQ(mistakes("k:f { if (x) exit() }"),
              R"(
-e:1:14: error: expected '{', found 'exit'
    k:f { if (x) exit() }
                 ^~~~
)" + 1);
}

TEST(Diagnose, ElseWithoutIf) {
    EXPECT_EQ(mistakes("k:f { else { } }"),
              R"(
-e:1:7: error: expected a statement or '}', found 'else'
    k:f { else { } }
          ^~~~
)" + 1);
}

TEST(Diagnose, ExpectedColon) {
    EXPECT_EQ(mistakes("k:f { @x = a ? b; }"),
              R"(
-e:1:17: error: expected ':', found ';'
    k:f { @x = a ? b; }
                    ^
)" + 1);
}

TEST(Diagnose, ExpectedName) {
    EXPECT_EQ(mistakes("k:f { @x = args. }"),
              R"(
-e:1:18: error: expected a name, found '}'
    k:f { @x = args. }
                     ^
)" + 1);
}

TEST(Diagnose, MistakesOfSeveralItems) {
    EXPECT_EQ(mistakes("k:f { @x = ; }\nk:g { @y = 1 }\nk:h < @z = * >"),
              R"(
-e:1:12: error: expected an expression, found ';'
    k:f { @x = ; }
               ^
-e:3:14: error: expected an expression, found '>'
    k:h < @z = * >
                 ^
)" + 1);
}

TEST(Diagnose, ArrowWithoutCloser) {
    EXPECT_EQ(mistakes("t:a:b[tid] -> < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:15: error: after '->' stands the event that closes the span, not '<'
    t:a:b[tid] -> < @ = 1 >
                  ^
hint: for example t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ArrowAtTheEnd) {
    EXPECT_EQ(mistakes("t:a:b ->"),
              R"(
-e:1:9: error: after '->' stands the event that closes the span, not the end of the text
    t:a:b ->
            ^
hint: for example t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, ArrowThenComma) {
    EXPECT_EQ(mistakes("t:a:b -> , t:c:d < >"),
              R"(
-e:1:10: error: after '->' stands the event that closes the span, not ','
    t:a:b -> , t:c:d < >
             ^
hint: for example t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, CommaWithoutCloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d, < >"),
              R"(
-e:1:17: error: expected a probe, found '<'
    t:a:b -> t:c:d, < >
                    ^
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, ArrowWithoutOpening) {
    EXPECT_EQ(mistakes("-> t:c:d < >"),
              R"(
-e:1:1: error: expected a probe, found '->'
    -> t:c:d < >
    ^~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, ArrowTwice) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d -> t:e:f < >"),
              R"(
-e:1:16: error: a span has one '->'
    t:a:b -> t:c:d -> t:e:f < >
                   ^~
hint: write ',' between several closing events
)" + 1);
}

TEST(Diagnose, PredicateOfACloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d /pid/, t:e:f /tid/ < >"),
              R"(
-e:1:16: error: a closing event has no predicate
    t:a:b -> t:c:d /pid/, t:e:f /tid/ < >
                   ^~~~~
hint: write it behind the last event: it is asked when the span opens
)" + 1);
}

TEST(Diagnose, PredicateBetweenProbes) {
    EXPECT_EQ(mistakes("k:a /pid/, k:b { }"),
              R"(
-e:1:5: error: a predicate stands behind the last probe and is for all of them
    k:a /pid/, k:b { }
        ^~~~~
hint: write an item of its own for each probe that has another predicate
)" + 1);
}

TEST(Diagnose, ArrowBeforeBraces) {
    EXPECT_EQ(mistakes("t:a:b[args.x] -> t:c:d { @ = 1 }"),
              R"(
-e:1:24: error: the block of a span stands in < ... >
    t:a:b[args.x] -> t:c:d { @ = 1 }
                           ^
hint: write '<' instead of '{' and '>' instead of '}'
)" + 1);
}

TEST(Diagnose, KeyWithoutArrow) {
    EXPECT_EQ(mistakes("t:a:b[args.x, pid] < >"),
              R"(
-e:1:7: error: a key needs '->' and the event that closes the span
    t:a:b[args.x, pid] < >
          ^~~~~~~~~~~
hint: add '-> t:...[key]' after it
)" + 1);
}

TEST(Diagnose, NameOfValueAsKeyWithoutArrow) {
    EXPECT_EQ(mistakes("t:a:b[tid] < >"),
              R"(
-e:1:7: error: a key needs '->' and the event that closes the span
    t:a:b[tid] < >
          ^~~
hint: add '-> t:...[key]' after it
)" + 1);
}

TEST(Diagnose, BlankBeforeKeyWithoutArrow) {
    EXPECT_EQ(mistakes("k:vfs_ [rw] < >"),
              R"(
-e:1:9: error: a key needs '->' and the event that closes the span
    k:vfs_ [rw] < >
            ^~
hint: add '-> t:...[key]' after it
)" + 1);
}

TEST(Diagnose, KeyOfLaterProbeWithoutArrow) {
    EXPECT_EQ(mistakes("k:f, t:a:b[args.x] < >"),
              R"(
-e:1:12: error: a key needs '->' and the event that closes the span
    k:f, t:a:b[args.x] < >
               ^~~~~~
hint: add '-> t:...[key]' after it
)" + 1);
}

TEST(Diagnose, KeyBeforeBraces) {
    EXPECT_EQ(mistakes("k:f, t:a:b[args.x] { }"),
              R"(
-e:1:12: error: only the events of a span have keys
    k:f, t:a:b[args.x] { }
               ^~~~~~
hint: a span is written t:...[key] -> t:...[key] < ... >
)" + 1);
}

TEST(Diagnose, KeyTwice) {
    EXPECT_EQ(mistakes("t:a:b[args.x][args.y] -> t:c:d < >"),
              R"(
-e:1:14: error: an event has one key
    t:a:b[args.x][args.y] -> t:c:d < >
                 ^
hint: write several values in one key: [a, b]
)" + 1);
}

TEST(Diagnose, EmptyKey) {
    EXPECT_EQ(mistakes("t:a:b[] -> t:c:d < >"),
              R"(
-e:1:7: error: expected an expression, found ']'
    t:a:b[] -> t:c:d < >
          ^
)" + 1);
}

TEST(Diagnose, UnclosedKeyOfProbe) {
    EXPECT_EQ(mistakes("t:a:b[args.x -> t:c:d[args.y] < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:6: error: this '[' is never closed
    t:a:b[args.x -> t:c:d[args.y] < @ = 1 >
         ^
hint: write ']' after the last key
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, UnclosedKeyOfCloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d[tid < @ = 1 >"),
              R"(
-e:1:15: error: this '[' is never closed
    t:a:b -> t:c:d[tid < @ = 1 >
                  ^
hint: write ']' after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyBeforePredicate) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d[tid /pid == 1/ < @ = 1 >"),
              R"(
-e:1:15: error: this '[' is never closed
    t:a:b -> t:c:d[tid /pid == 1/ < @ = 1 >
                  ^
hint: write ']' after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyBeforeBraces) {
    EXPECT_EQ(mistakes("t:a:b[args.x { }"),
              R"(
-e:1:6: error: this '[' is never closed
    t:a:b[args.x { }
         ^
hint: write ']' after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyAtTheEnd) {
    EXPECT_EQ(mistakes("t:a:b[tid"),
              R"(
-e:1:6: error: this '[' is never closed
    t:a:b[tid
         ^
hint: write ']' after the last key
)" + 1);
}

TEST(Diagnose, UnopenedKey) {
    EXPECT_EQ(mistakes("t:a:b args.x] -> t:c:d < >"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    t:a:b args.x] -> t:c:d < >
    ^~~~~
hint: write ',' between two probes
)" + 1);
}

TEST(Diagnose, KeyClosedByAnother) {
    EXPECT_EQ(mistakes("t:a:b[args.x) -> t:c:d < >"),
              R"(
-e:1:13: error: this ')' closes nothing
    t:a:b[args.x) -> t:c:d < >
                ^
hint: remove the ')'
)" + 1);
}

TEST(Diagnose, NamedAction) {
    EXPECT_EQ(mistakes("span slow = k:f { }"),
              R"(
-e:1:6: error: only a span has a name
    span slow = k:f { }
         ^~~~
hint: the block of a span stands in < ... >
)" + 1);
}

TEST(Diagnose, SpanWithoutName) {
    EXPECT_EQ(mistakes("span = k:f < >"),
              R"(
-e:1:1: error: after 'span' stands the name of the span
    span = k:f < >
    ^~~~
hint: for example span slow_read = k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, SpanWithoutNameBeforeNextItem) {
    EXPECT_EQ(mistakes("span\nk:g { @ = }"),
              R"(
-e:1:1: error: after 'span' stands the name of the span
    span
    ^~~~
hint: for example span slow_read = k:vfs_read < @ = hist(latency) >
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, SpanNameWithoutAssign) {
    EXPECT_EQ(mistakes("span slow k:f < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:11: error: expected '=' after the name of a span, found 'k'
    span slow k:f < @ = 1 >
              ^
hint: for example span slow_read = k:vfs_read < @ = hist(latency) >
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, SpanNameAtTheEnd) {
    EXPECT_EQ(mistakes("span slow"),
              R"(
-e:1:10: error: expected '=' after the name of a span, found the end of the text
    span slow
             ^
hint: for example span slow_read = k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, SpanNameWithoutProbe) {
    EXPECT_EQ(mistakes("span slow = < >"),
              R"(
-e:1:13: error: expected a probe, found '<'
    span slow = < >
                ^
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, NamedSpanWithoutBlock) {
    EXPECT_EQ(mistakes("span slow = k:f"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    span slow = k:f
    ^~~~~~~~~~~~~~~
hint: for example k:vfs_read { @ = count(); } or k:vfs_read < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, ComparisonInNamedSpan) {
    EXPECT_EQ(mistakes("span slow = k:f < @x = a > b >"),
              R"(
-e:1:26: error: this '>' closes the span's block
    span slow = k:f < @x = a > b >
                             ^
-e:1:17: note: the block begins here
    span slow = k:f < @x = a > b >
                    ^
hint: a comparison or shift in a span's block stands in parentheses: (a > b)
)" + 1);
}

TEST(Diagnose, WorstBeforeBraces) {
    EXPECT_EQ(mistakes("k:f > worst { }"),
              R"(
-e:1:13: error: after a threshold stands the block of a span: < ... >
    k:f > worst { }
                ^
hint: for example k:vfs_read > 10ms < @ = hist(latency) >
)" + 1);
}

TEST(Diagnose, WorstInExpression) {
    EXPECT_EQ(mistakes("k:f > worst * 2 < >"),
              R"(
-e:1:13: error: expected '<', found '*'
    k:f > worst * 2 < >
                ^
)" + 1);
}

TEST(Diagnose, TimeoutOfAction) {
    EXPECT_EQ(mistakes("k:f { } timeout 1s { }"),
              R"(
-e:1:9: error: 'timeout' stands after the block of a span
    k:f { } timeout 1s { }
            ^~~~~~~
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, TimeoutOfNothing) {
    EXPECT_EQ(mistakes("timeout 1s { @ = 1 }"),
              R"(
-e:1:1: error: 'timeout' stands after the block of a span
    timeout 1s { @ = 1 }
    ^~~~~~~
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, TimeoutOfParameter) {
    EXPECT_EQ(mistakes("k:f < >\nparam x = 1\ntimeout 1s { @ = 1 }"),
              R"(
-e:3:1: error: 'timeout' stands after the block of a span
    timeout 1s { @ = 1 }
    ^~~~~~~
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, TimeoutTwice) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s { } timeout 2s { }"),
              R"(
-e:1:24: error: a span has one timeout
    k:f < > timeout 1s { } timeout 2s { }
                           ^~~~~~~
hint: remove this one
)" + 1);
}

TEST(Diagnose, TimeoutWithoutTime) {
    EXPECT_EQ(mistakes("k:f < > timeout { @ = ; }\nk:g { @ = }"),
              R"(
-e:1:17: error: expected the time of a timeout, found '{'
    k:f < > timeout { @ = ; }
                    ^
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutWithoutBlock) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s\nk:g { @ = }"),
              R"(
-e:1:9: error: a timeout needs a block: { ... }
    k:f < > timeout 1s
            ^~~~~~~~~~
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutAtTheEnd) {
    EXPECT_EQ(mistakes("k:f < > timeout"),
              R"(
-e:1:16: error: expected the time of a timeout, found the end of the text
    k:f < > timeout
                   ^
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, TimeoutWithBlockOfSpan) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:9: error: a timeout needs a block: { ... }
    k:f < > timeout 1s < @ = 1 >
            ^~~~~~~~~~
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutBeforeSpan) {
    EXPECT_EQ(mistakes("k:f timeout 1s < >"),
              R"(
-e:1:1: error: a probe needs a block: { ... } or < ... >
    k:f timeout 1s < >
    ^~~
hint: write 'timeout' after the '>' of the span
)" + 1);
}

TEST(Diagnose, TimeoutInSpan) {
    EXPECT_EQ(mistakes("k:f < @ = 1; timeout 1s { } >"),
              R"(
-e:1:14: error: 'timeout' stands after the '>' of a span
    k:f < @ = 1; timeout 1s { } >
                 ^~~~~~~
-e:1:5: note: this '<' is not closed yet
    k:f < @ = 1; timeout 1s { } >
        ^
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, SpanNotClosedBeforeTimeout) {
    EXPECT_EQ(mistakes("k:f < @ = 1 timeout 1s { }"),
              R"(
-e:1:13: error: 'timeout' stands after the '>' of a span
    k:f < @ = 1 timeout 1s { }
                ^~~~~~~
-e:1:5: note: this '<' is not closed yet
    k:f < @ = 1 timeout 1s { }
        ^
hint: for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }
)" + 1);
}

TEST(Diagnose, TimeoutOfBrokenSpanIsNotBlamed) {
    EXPECT_EQ(mistakes("k:f < @ = ; > timeout 1s { }\nk:g { @ = }"),
              R"(
-e:1:11: error: expected an expression, found ';'
    k:f < @ = ; > timeout 1s { }
              ^
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterWithoutName) {
    EXPECT_EQ(mistakes("param = 10ms\nk:g { @ = }"),
              R"(
-e:1:1: error: a parameter needs a name
    param = 10ms
    ^~~~~
hint: for example param slow = 10ms "report only what is slower"
-e:2:11: error: expected an expression, found '}'
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
hint: for example param slow = 10ms "report only what is slower"
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterWithoutAssign) {
    EXPECT_EQ(mistakes("param slow 10ms"),
              R"(
-e:1:12: error: expected '=' after the name of a parameter, found '10ms'
    param slow 10ms
               ^~~~
hint: for example param slow = 10ms "report only what is slower"
)" + 1);
}

TEST(Diagnose, ParameterWithoutValue) {
    EXPECT_EQ(mistakes("param a\nparam b =\nspan c = k:f { }"),
              R"(
-e:1:8: error: a parameter needs a value
    param a
           ^
hint: for example param slow = 10ms "report only what is slower"
-e:2:10: error: a parameter needs a value
    param b =
             ^
hint: for example param slow = 10ms "report only what is slower"
-e:3:6: error: only a span has a name
    span c = k:f { }
         ^
hint: the block of a span stands in < ... >
)" + 1);
}

TEST(Diagnose, ParameterWithoutValueBeforeSemicolon) {
    EXPECT_EQ(mistakes("param slow = ;"),
              R"(
-e:1:13: error: a parameter needs a value
    param slow = ;
                ^
hint: for example param slow = 10ms "report only what is slower"
)" + 1);
}

TEST(Diagnose, ParameterOfName) {
    EXPECT_EQ(mistakes("param slow = pid"),
              R"(
-e:1:14: error: the value of a parameter is a number, a duration or a string
    param slow = pid
                 ^~~
hint: for example param slow = 10ms "report only what is slower"
)" + 1);
}

TEST(Diagnose, ParameterOfExpression) {
    EXPECT_EQ(mistakes("param slow = 10 * 2\nk:g { @ = }"),
              R"(
-e:1:17: error: unexpected '*' after a parameter
    param slow = 10 * 2
                    ^
hint: the value is one number, duration or string, and a text for the help may follow it
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterInParentheses) {
    EXPECT_EQ(mistakes("param slow = (10)\nk:g { @ = }"),
              R"(
-e:1:14: error: the value of a parameter is a number, a duration or a string
    param slow = (10)
                 ^
hint: for example param slow = 10ms "report only what is slower"
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterOfMinusString) {
    EXPECT_EQ(mistakes("param slow = -\"a\""),
              R"(
-e:1:15: error: the value of a parameter is a number, a duration or a string
    param slow = -"a"
                  ^~~
hint: for example param slow = 10ms "report only what is slower"
)" + 1);
}

TEST(Diagnose, ParameterWithBadNumber) {
    EXPECT_EQ(mistakes("param slow = 10sec\nk:g { @ = }"),
              R"(
-e:1:14: error: '10sec' is not a number
    param slow = 10sec
                 ^~~~~
hint: the units of durations are ns, us, ms, s, m, h and d
-e:2:11: error: expected an expression, found '}'
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ParameterWithTwoHelps) {
    EXPECT_EQ(mistakes("param slow = 10ms \"a\" \"b\""),
              R"(
-e:1:23: error: unexpected '"b"' after a parameter
    param slow = 10ms "a" "b"
                          ^~~
hint: the value is one number, duration or string, and a text for the help may follow it
)" + 1);
}

TEST(Diagnose, ParameterThenMore) {
    EXPECT_EQ(mistakes("k:f < > param slow = 10ms 5"),
              R"(
-e:1:27: error: unexpected '5' after a parameter
    k:f < > param slow = 10ms 5
                              ^
hint: the value is one number, duration or string, and a text for the help may follow it
)" + 1);
}

TEST(C, MistakeBehindIt) {
    EXPECT_EQ(mistakes("#define X \\\n  2\nstruct foo { int x; };\nk:f { @ = }"),
              R"(
-e:4:11: error: expected an expression, found '}'
    k:f { @ = }
              ^
)" + 1);
}

TEST(C, OpenDefinition) {
    EXPECT_EQ(mistakes("struct foo { int x;\nk:f { @ = 1; }"),
              R"(
-e:1:12: error: this '{' is never closed
    struct foo { int x;
               ^
hint: write '};' after the last member
)" + 1);
}

TEST(C, DefinitionWithoutEnd) {
    EXPECT_EQ(mistakes("struct foo k:f"),
              R"(
-e:1:1: error: this definition has no end
    struct foo k:f
    ^~~~~~
hint: write ';' behind it
)" + 1);
}

std::string repeated(std::string_view what, size_t times) {
    std::string out;
    for (size_t i = 0; i < times; i++) out += what;
    return out;
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
    EXPECT_EQ(summary(repeated("k:f { @ = }\n", 1000)), "21: expected an expression, found '}'");
}

TEST(Limits, NulBytesAreRefused) {
    EXPECT_EQ(summary(std::string("k:f\0 { }", 8)), "1: a NUL byte: this is not a text");
}

TEST(Limits, LongTextsAreRefused) {
    EXPECT_EQ(summary(std::string((16U << 20) + 1, ' ')), "1: -e is longer than 16 MiB");
}

}  // namespace
}  // namespace lt
