// Parameters, spans, keys and time limits as the trees they make.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Parse, Parameters) {
    EXPECT_EQ(tree("param slow = 10ms \"report only operations slower than this\"\nparam who = \"\" ; param n = -5 "
                   "param late = -1.5ms;\nk:f { }"),
              R"(
param slow "report only operations slower than this"
  duration 10000000ns
param who
  string ""
param n
  unary -
    integer 5
param late
  unary -
    duration 1500000ns
action k:f
  body
)" + 1);
}

TEST(Parse, NamedSpan) {
    EXPECT_EQ(tree("span req = sc:read, sc:write > slow < print(req) >"),
              R"(
span req = sc:read, sc:write
  threshold
    name slow
  body
    evaluate
      call print
        name req
)" + 1);
}

TEST(Parse, SpanOfSeveralLines) {
    EXPECT_EQ(tree("span\n  req\n= sc:read\n< >"),
              R"(
span req = sc:read
  body
)" + 1);
}

TEST(Parse, ParameterNamedLikeKeywordOfItems) {
    EXPECT_EQ(tree("param timeout = 1s\nspan param = k:f > timeout < > timeout timeout { }"),
              R"(
param timeout
  duration 1000000000ns
span param = k:f
  threshold
    name timeout
  body
  timeout
    name timeout
    body
)" + 1);
}

TEST(Parse, KeyedSpan) {
    EXPECT_EQ(tree("t:block:block_rq_issue[args.dev, args.sector] -> t:block:block_rq_complete[args.dev, "
                   "args.sector]\n    < @[args.rwbs] = dist(latency) >"),
              R"(
span
  open t:block:block_rq_issue
    member dev
      name args
    member sector
      name args
  close t:block:block_rq_complete
    member dev
      name args
    member sector
      name args
  body
    assign =
      map @[]
        member rwbs
          name args
      call dist
        name latency
)" + 1);
}

TEST(Parse, KeysMayBeLeftOut) {
    EXPECT_EQ(tree("k:f -> k:g, t:a:b /pid/ > 1ms < >"),
              R"(
span
  open k:f
  close k:g
  close t:a:b
  predicate
    name pid
  threshold
    duration 1000000ns
  body
)" + 1);
}

TEST(Parse, SeveralClosersWithKeys) {
    EXPECT_EQ(tree("span req = t:a:b[args.x] -> t:c:d[args.y] , t:e:f [args.z]/args.x / 2 > 1/ < @ = probe >"),
              R"(
span req
  open t:a:b
    member x
      name args
  close t:c:d
    member y
      name args
  close t:e:f
    member z
      name args
  predicate
    binary >
      binary /
        member x
          name args
        integer 2
      integer 1
  body
    assign =
      map @
      name probe
)" + 1);
}

TEST(Parse, ArrowsAndKeysWithoutBlanks) {
    EXPECT_EQ(tree("t:a:b[tid]->t:c:d[tid],k:g[arg0]<>END->k:g<>"),
              R"(
span
  open t:a:b
    name tid
  close t:c:d
    name tid
  close k:g
    name arg0
  body
span
  open END
  close k:g
  body
)" + 1);
}

TEST(Parse, KeysAreExpressions) {
    EXPECT_EQ(tree("t:a:b[args->x > 1 ? (2 >> 1) : 3, @m[\"a]\", tid], $y / 2] -> t:c:d[\"k\"] < >"),
              R"(
span
  open t:a:b
    conditional
      binary >
        member x
          name args
        integer 1
      binary >>
        integer 2
        integer 1
      integer 3
    map @m[]
      string "a]"
      name tid
    binary /
      local $y
      integer 2
  close t:c:d
    string "k"
  body
)" + 1);
}

TEST(Parse, SetsOfGlobs) {
    EXPECT_EQ(tree("k:vfs_[rw]*, k:[^a-z]x, u:/lib/x[0-9].so:f, k:vfs_[rw], k:a[b][c] { }"),
              R"(
action k:vfs_[rw]*, k:[^a-z]x, u:/lib/x[0-9].so:f, k:vfs_[rw], k:a[b][c]
  body
)" + 1);
}

TEST(Parse, BracketAtTheEndIsKeyBeforeArrow) {
    EXPECT_EQ(tree("k:vfs_[rw] -> k:a[rw]*[ab] < >\nk:vfs_[rw] // why\n -> k:g < >"),
              R"(
span
  open k:vfs_
    name rw
  close k:a[rw]*
    name ab
  body
span
  open k:vfs_
    name rw
  close k:g
  body
)" + 1);
}

TEST(Parse, SeveralOpenings) {
    EXPECT_EQ(tree("k:c[tid] /pid / 2 > 1/, k:vfs_[rw], t:a:b[0] // why\n -> k:g[1] /tid/ < >"),
              R"(
span
  open k:c
    name tid
    predicate
      binary >
        binary /
          name pid
          integer 2
        integer 1
  open k:vfs_
    name rw
  open t:a:b
    integer 0
  close k:g
    integer 1
  predicate
    name tid
  body
)" + 1);
}

TEST(Parse, BracketAtTheEndIsKeyOfCloser) {
    EXPECT_EQ(tree("k:a[x]b[y] -> k:vfs_[rw], k:c[rw], k:d[rw]* < >"),
              R"(
span
  open k:a[x]b
    name y
  close k:vfs_
    name rw
  close k:c
    name rw
  close k:d[rw]*
  body
)" + 1);
}

TEST(Parse, SetsInPathsOfClosers) {
    EXPECT_EQ(tree("u:/usr/lib[ab]/x[12].so:f -> u:/usr/lib[ab]/x.so:f[rw]/pid/ < >"),
              R"(
span
  open u:/usr/lib[ab]/x[12].so:f
  close u:/usr/lib[ab]/x.so:f
    name rw
  predicate
    name pid
  body
)" + 1);
}

TEST(Parse, BracketsInQuotesAreNoKey) {
    EXPECT_EQ(tree("u:/bin/x:cpp:\"a[1.5](int)\"[tid] -> k:g < >"),
              R"(
span
  open u:/bin/x:cpp:a[1.5](int)
    name tid
  close k:g
  body
)" + 1);
}

TEST(Parse, Worst) {
    EXPECT_EQ(tree("k:vfs_read /pid/ > worst < @x = worst >"),
              R"(
span k:vfs_read
  predicate
    name pid
  threshold worst
  body
    assign =
      map @x
      name worst
)" + 1);
}

TEST(Parse, Timeout) {
    EXPECT_EQ(tree("k:vfs_read < @x = count(); > timeout 2s { print(kstack); }\nk:g { }"),
              R"(
span k:vfs_read
  body
    assign =
      map @x
      call count
  timeout
    duration 2000000000ns
    body
      evaluate
        call print
          name kstack
action k:g
  body
)" + 1);
}

TEST(Parse, TimeoutIsAnExpression) {
    EXPECT_EQ(tree("k:f < >\ntimeout slow * 2 + (a < b) {\n  if a > b { exit() } }"),
              R"(
span k:f
  body
  timeout
    binary +
      binary *
        name slow
        integer 2
      binary <
        name a
        name b
    body
      if
        binary >
          name a
          name b
        then
          evaluate
            call exit
)" + 1);
}

TEST(Parse, TimeoutOfPairedSpan) {
    EXPECT_EQ(tree("span s = t:a:b[args.x] -> t:c:d[args.x] > 10ms < > timeout 1s { @ = 1 }"),
              R"(
span s
  open t:a:b
    member x
      name args
  close t:c:d
    member x
      name args
  threshold
    duration 10000000ns
  body
  timeout
    duration 1000000000ns
    body
      assign =
        map @
        integer 1
)" + 1);
}

TEST(Parse, CallsWithNames) {
    EXPECT_EQ(
        tree("k:f /age(req) > slow/ { f(age(req, args.x, 1), entry(args.x + 1), percentile(@d, 99)); print(req); }"),
        R"(
action k:f
  predicate
    binary >
      call age
        name req
      name slow
  body
    evaluate
      call f
        call age
          name req
          member x
            name args
          integer 1
        call entry
          binary +
            member x
              name args
            integer 1
        call percentile
          map @d
          integer 99
    evaluate
      call print
        name req
)" + 1);
}

TEST(Parse, WordsOfItemsAreNamesInCode) {
    EXPECT_EQ(tree("k:f { f(param, timeout, span, worst) }"),
              R"(
action k:f
  body
    evaluate
      call f
        name param
        name timeout
        name span
        name worst
)" + 1);
}

TEST(Parse, SpansOfTextOfItems) {
    const Source source{"t.lt", "param a = -1 \"x\" ;\nspan b = k:f -> k:g > a < > timeout 1s { }\n"};
    Diags diags;
    const ast::Program program = parse(source, diags);
    ASSERT_EQ(program.items.size(), 2U);
    EXPECT_EQ(source.at(program.items[0].span), "param a = -1 \"x\"");
    const auto& parameter = std::get<ast::Parameter>(program.items[0].node);
    EXPECT_EQ(source.at(parameter.name_span), "a");
    EXPECT_EQ(source.at(program[parameter.value].span), "-1");
    EXPECT_EQ(source.at(program.items[1].span), "span b = k:f -> k:g > a < > timeout 1s { }");
    const auto& span = std::get<ast::SpanAction>(program.items[1].node);
    EXPECT_EQ(source.at(span.name_span), "b");
    EXPECT_EQ(source.at(span.closes[0].probe.span), "k:g");
    EXPECT_EQ(source.at(span.timeout->span), "timeout 1s { }");
}

}  // namespace
}  // namespace lt
