// Diagnostics of the parser, as the user reads them: arrows, keys, names and time limits of spans.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Diagnose, ArrowWithoutCloser) {
    EXPECT_EQ(mistakes("t:a:b[tid] -> < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:15: error: expected the event that closes the span after `->`, found `<`
    t:a:b[tid] -> < @ = 1 >
                  ^
hint: for example `t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, ArrowAtTheEnd) {
    EXPECT_EQ(mistakes("t:a:b ->"),
              R"(
-e:1:9: error: expected the event that closes the span after `->`, found the end of the text
    t:a:b ->
            ^
hint: for example `t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, ArrowThenComma) {
    EXPECT_EQ(mistakes("t:a:b -> , t:c:d < >"),
              R"(
-e:1:10: error: expected the event that closes the span after `->`, found `,`
    t:a:b -> , t:c:d < >
             ^
hint: for example `t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, CommaWithoutCloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d, < >"),
              R"(
-e:1:17: error: expected a probe, found `<`
    t:a:b -> t:c:d, < >
                    ^
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, ArrowWithoutOpening) {
    EXPECT_EQ(mistakes("-> t:c:d < >"),
              R"(
-e:1:1: error: expected a probe, found `->`
    -> t:c:d < >
    ^~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, ArrowTwice) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d -> t:e:f < >"),
              R"(
-e:1:16: error: a span has only one `->`
    t:a:b -> t:c:d -> t:e:f < >
                   ^~
hint: write `,` between several closing events
)" + 1);
}

TEST(Diagnose, PredicateOfACloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d /pid/, t:e:f /tid/ < >"),
              R"(
-e:1:16: error: a closing event cannot have a predicate
    t:a:b -> t:c:d /pid/, t:e:f /tid/ < >
                   ^~~~~
hint: write it after the last event: it is checked when the span opens
)" + 1);
}

TEST(Diagnose, PredicateBetweenProbes) {
    EXPECT_EQ(mistakes("k:a /pid/, k:b { }"),
              R"(
-e:1:5: error: write the predicate after the last probe: it applies to all of them
    k:a /pid/, k:b { }
        ^~~~~
hint: write a separate item for each probe with a different predicate
)" + 1);
}

TEST(Diagnose, ArrowBeforeBraces) {
    EXPECT_EQ(mistakes("t:a:b[args.x] -> t:c:d { @ = 1 }"),
              R"(
-e:1:24: error: write the block of a span in `< ... >`
    t:a:b[args.x] -> t:c:d { @ = 1 }
                           ^
hint: write `<` instead of `{` and `>` instead of `}`
)" + 1);
}

TEST(Diagnose, KeyWithoutArrow) {
    EXPECT_EQ(mistakes("t:a:b[args.x, pid] < >"),
              R"(
-e:1:7: error: a key needs `->` and the event that closes the span
    t:a:b[args.x, pid] < >
          ^~~~~~~~~~~
hint: add `-> t:...[key]` after it
)" + 1);
}

TEST(Diagnose, NameOfValueAsKeyWithoutArrow) {
    EXPECT_EQ(mistakes("t:a:b[tid] < >"),
              R"(
-e:1:7: error: a key needs `->` and the event that closes the span
    t:a:b[tid] < >
          ^~~
hint: add `-> t:...[key]` after it
)" + 1);
}

TEST(Diagnose, BlankBeforeKeyWithoutArrow) {
    EXPECT_EQ(mistakes("k:vfs_ [rw] < >"),
              R"(
-e:1:9: error: a key needs `->` and the event that closes the span
    k:vfs_ [rw] < >
            ^~
hint: add `-> t:...[key]` after it
)" + 1);
}

TEST(Diagnose, KeyOfLaterProbeWithoutArrow) {
    EXPECT_EQ(mistakes("k:f, t:a:b[args.x] < >"),
              R"(
-e:1:12: error: a key needs `->` and the event that closes the span
    k:f, t:a:b[args.x] < >
               ^~~~~~
hint: add `-> t:...[key]` after it
)" + 1);
}

TEST(Diagnose, KeyBeforeBraces) {
    EXPECT_EQ(mistakes("k:f, t:a:b[args.x] { }"),
              R"(
-e:1:12: error: only the events of a span can have keys
    k:f, t:a:b[args.x] { }
               ^~~~~~
hint: write a span as `t:...[key] -> t:...[key] < ... >`
)" + 1);
}

TEST(Diagnose, KeyTwice) {
    EXPECT_EQ(mistakes("t:a:b[args.x][args.y] -> t:c:d < >"),
              R"(
-e:1:14: error: an event has only one key
    t:a:b[args.x][args.y] -> t:c:d < >
                 ^
hint: write several values in one key: `[a, b]`
)" + 1);
}

TEST(Diagnose, EmptyKey) {
    EXPECT_EQ(mistakes("t:a:b[] -> t:c:d < >"),
              R"(
-e:1:7: error: expected an expression, found `]`
    t:a:b[] -> t:c:d < >
          ^
)" + 1);
}

TEST(Diagnose, UnclosedKeyOfProbe) {
    EXPECT_EQ(mistakes("t:a:b[args.x -> t:c:d[args.y] < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:6: error: this `[` is never closed
    t:a:b[args.x -> t:c:d[args.y] < @ = 1 >
         ^
hint: write `]` after the last key
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, UnclosedKeyOfCloser) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d[tid < @ = 1 >"),
              R"(
-e:1:15: error: this `[` is never closed
    t:a:b -> t:c:d[tid < @ = 1 >
                  ^
hint: write `]` after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyBeforePredicate) {
    EXPECT_EQ(mistakes("t:a:b -> t:c:d[tid /pid == 1/ < @ = 1 >"),
              R"(
-e:1:15: error: this `[` is never closed
    t:a:b -> t:c:d[tid /pid == 1/ < @ = 1 >
                  ^
hint: write `]` after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyBeforeBraces) {
    EXPECT_EQ(mistakes("t:a:b[args.x { }"),
              R"(
-e:1:6: error: this `[` is never closed
    t:a:b[args.x { }
         ^
hint: write `]` after the last key
)" + 1);
}

TEST(Diagnose, UnclosedKeyAtTheEnd) {
    EXPECT_EQ(mistakes("t:a:b[tid"),
              R"(
-e:1:6: error: this `[` is never closed
    t:a:b[tid
         ^
hint: write `]` after the last key
)" + 1);
}

TEST(Diagnose, UnopenedKey) {
    EXPECT_EQ(mistakes("t:a:b args.x] -> t:c:d < >"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    t:a:b args.x] -> t:c:d < >
    ^~~~~
hint: write `,` between two probes
)" + 1);
}

TEST(Diagnose, KeyClosedByAnother) {
    EXPECT_EQ(mistakes("t:a:b[args.x) -> t:c:d < >"),
              R"(
-e:1:13: error: this `)` closes nothing
    t:a:b[args.x) -> t:c:d < >
                ^
hint: remove the `)`
)" + 1);
}

TEST(Diagnose, NamedAction) {
    EXPECT_EQ(mistakes("span slow = k:f { }"),
              R"(
-e:1:6: error: only a span can have a name
    span slow = k:f { }
         ^~~~
hint: write the block of a span in `< ... >`
)" + 1);
}

TEST(Diagnose, SpanWithoutName) {
    EXPECT_EQ(mistakes("span = k:f < >"),
              R"(
-e:1:1: error: a span needs a name after `span`
    span = k:f < >
    ^~~~
hint: for example `span slow_read = k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, SpanWithoutNameBeforeNextItem) {
    EXPECT_EQ(mistakes("span\nk:g { @ = }"),
              R"(
-e:1:1: error: a span needs a name after `span`
    span
    ^~~~
hint: for example `span slow_read = k:vfs_read < @ = hist(latency) >`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, SpanNameWithoutAssign) {
    EXPECT_EQ(mistakes("span slow k:f < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:11: error: expected `=` after a span's name, found `k`
    span slow k:f < @ = 1 >
              ^
hint: for example `span slow_read = k:vfs_read < @ = hist(latency) >`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, SpanNameAtTheEnd) {
    EXPECT_EQ(mistakes("span slow"),
              R"(
-e:1:10: error: expected `=` after a span's name, found the end of the text
    span slow
             ^
hint: for example `span slow_read = k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, SpanNameWithoutProbe) {
    EXPECT_EQ(mistakes("span slow = < >"),
              R"(
-e:1:13: error: expected a probe, found `<`
    span slow = < >
                ^
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, NamedSpanWithoutBlock) {
    EXPECT_EQ(mistakes("span slow = k:f"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    span slow = k:f
    ^~~~~~~~~~~~~~~
hint: for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, ComparisonInNamedSpan) {
    EXPECT_EQ(mistakes("span slow = k:f < @x = a > b >"),
              R"(
-e:1:26: error: this `>` closes the span's block
    span slow = k:f < @x = a > b >
                             ^
-e:1:17: note: the block begins here
    span slow = k:f < @x = a > b >
                    ^
hint: put a comparison or shift in a span's block in parentheses: `(a > b)`
)" + 1);
}

TEST(Diagnose, WorstBeforeBraces) {
    EXPECT_EQ(mistakes("k:f > worst { }"),
              R"(
-e:1:13: error: a threshold needs the block of a span after it: `< ... >`
    k:f > worst { }
                ^
hint: for example `k:vfs_read > 10ms < @ = hist(latency) >`
)" + 1);
}

TEST(Diagnose, WorstInExpression) {
    EXPECT_EQ(mistakes("k:f > worst * 2 < >"),
              R"(
-e:1:13: error: expected `<`, found `*`
    k:f > worst * 2 < >
                ^
)" + 1);
}

TEST(Diagnose, TimeoutOfAction) {
    EXPECT_EQ(mistakes("k:f { } timeout 1s { }"),
              R"(
-e:1:9: error: `timeout` belongs after the block of a span
    k:f { } timeout 1s { }
            ^~~~~~~
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, TimeoutOfNothing) {
    EXPECT_EQ(mistakes("timeout 1s { @ = 1 }"),
              R"(
-e:1:1: error: `timeout` belongs after the block of a span
    timeout 1s { @ = 1 }
    ^~~~~~~
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, TimeoutOfParameter) {
    EXPECT_EQ(mistakes("k:f < >\nparam x = 1\ntimeout 1s { @ = 1 }"),
              R"(
-e:3:1: error: `timeout` belongs after the block of a span
    timeout 1s { @ = 1 }
    ^~~~~~~
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, TimeoutTwice) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s { } timeout 2s { }"),
              R"(
-e:1:24: error: a span has only one timeout
    k:f < > timeout 1s { } timeout 2s { }
                           ^~~~~~~
hint: remove this one
)" + 1);
}

TEST(Diagnose, TimeoutWithoutTime) {
    EXPECT_EQ(mistakes("k:f < > timeout { @ = ; }\nk:g { @ = }"),
              R"(
-e:1:17: error: expected the duration of a timeout, found `{`
    k:f < > timeout { @ = ; }
                    ^
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutWithoutBlock) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s\nk:g { @ = }"),
              R"(
-e:1:9: error: a timeout needs a block: `{ ... }`
    k:f < > timeout 1s
            ^~~~~~~~~~
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutAtTheEnd) {
    EXPECT_EQ(mistakes("k:f < > timeout"),
              R"(
-e:1:16: error: expected the duration of a timeout, found the end of the text
    k:f < > timeout
                   ^
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, TimeoutWithBlockOfSpan) {
    EXPECT_EQ(mistakes("k:f < > timeout 1s < @ = 1 >\nk:g { @ = }"),
              R"(
-e:1:9: error: a timeout needs a block: `{ ... }`
    k:f < > timeout 1s < @ = 1 >
            ^~~~~~~~~~
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

TEST(Diagnose, TimeoutBeforeSpan) {
    EXPECT_EQ(mistakes("k:f timeout 1s < >"),
              R"(
-e:1:1: error: a probe needs a block: `{ ... }` or `< ... >`
    k:f timeout 1s < >
    ^~~
hint: write `timeout` after the `>` of the span
)" + 1);
}

TEST(Diagnose, TimeoutInSpan) {
    EXPECT_EQ(mistakes("k:f < @ = 1; timeout 1s { } >"),
              R"(
-e:1:14: error: `timeout` belongs after the `>` of a span
    k:f < @ = 1; timeout 1s { } >
                 ^~~~~~~
-e:1:5: note: this `<` is not closed yet
    k:f < @ = 1; timeout 1s { } >
        ^
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, SpanNotClosedBeforeTimeout) {
    EXPECT_EQ(mistakes("k:f < @ = 1 timeout 1s { }"),
              R"(
-e:1:13: error: `timeout` belongs after the `>` of a span
    k:f < @ = 1 timeout 1s { }
                ^~~~~~~
-e:1:5: note: this `<` is not closed yet
    k:f < @ = 1 timeout 1s { }
        ^
hint: for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`
)" + 1);
}

TEST(Diagnose, TimeoutOfBrokenSpanIsNotBlamed) {
    EXPECT_EQ(mistakes("k:f < @ = ; > timeout 1s { }\nk:g { @ = }"),
              R"(
-e:1:11: error: expected an expression, found `;`
    k:f < @ = ; > timeout 1s { }
              ^
-e:2:11: error: expected an expression, found `}`
    k:g { @ = }
              ^
)" + 1);
}

}  // namespace
}  // namespace lt
