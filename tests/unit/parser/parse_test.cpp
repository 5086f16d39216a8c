// Each construct of the code in blocks as the tree it makes.
#include <gtest/gtest.h>

#include "parsed.h"

namespace lt {
namespace {

TEST(Parse, SpanOfTheTimeInBetween) {
    EXPECT_EQ(tree("k:copy_to_user < @ns = hist(...) >"),
              R"(
span k:copy_to_user
  body
    assign =
      map @ns
      call hist
        ellipsis
)" + 1);
}

TEST(Parse, ByteOrderMarkAtTheStart) {
    const std::string mark = "\xef\xbb\xbf", script = "k:copy_to_user < @ns = hist(...) >\r\n";
    EXPECT_EQ(tree(mark + script), tree(script));
    EXPECT_NE(mistakes(script + mark), "");
}

TEST(Parse, SpanWithPredicateAndThreshold) {
    EXPECT_EQ(tree("k:vfs_read /comm == \"mysqld\"/ > 10ms < print(kstack) >"),
              R"(
span k:vfs_read
  predicate
    binary ==
      name comm
      string "mysqld"
  threshold
    duration 10000000ns
  body
    evaluate
      call print
        name kstack
)" + 1);
}

TEST(Parse, ThresholdMayCompareWithGreater) {
    EXPECT_EQ(tree("k:f > a > b < >"),
              R"(
span k:f
  threshold
    binary >
      name a
      name b
  body
)" + 1);
}

// The text of a macro in the script's own language, which may go on in other lines.
TEST(Parse, StringsInMacrosKeepTheirBackslashes) {
    const std::string found = tree("#define TAB (comm == \\\n \"a\\tb\")\nk:f /TAB/ { @ = 1; }");
    EXPECT_NE(found.find("name comm\n      string \"a\\tb\"\n"), std::string::npos) << found;
}

// Which parentheses are a cast: a type for sure, or a name before what begins an operand.
TEST(Parse, CastOrParentheses) {
    EXPECT_EQ(value("(uint8)x"), "      cast uint8\n        name x\n");
    EXPECT_EQ(value("(uint8)-1"), "      cast uint8\n        unary -\n          integer 1\n");
    EXPECT_EQ(value("(a)-1"), "      binary -\n        name a\n        integer 1\n");
    EXPECT_EQ(value("(a)*b"), "      binary *\n        name a\n        name b\n");
    EXPECT_EQ(value("(a *)b"), "      cast a *\n        name b\n");
    EXPECT_EQ(value("(foo)b"), "      cast foo\n        name b\n");
    EXPECT_EQ(value("f(foo)"), "      call f\n        name foo\n");
    EXPECT_EQ(value("( const struct a  * * ) b"), "      cast struct a **\n        name b\n");
    EXPECT_EQ(value("(unsigned  long)(b)"), "      cast unsigned long\n        name b\n");
    EXPECT_EQ(value("(pid)"), "      name pid\n");
}

TEST(Parse, SizesAndOffsets) {
    EXPECT_EQ(value("sizeof(struct a)"), "      sizeof struct a\n");
    EXPECT_EQ(value("sizeof(x)"), "      call sizeof\n        name x\n");
    EXPECT_EQ(value("offsetof(struct a, b . c)"), "      offsetof struct a b.c\n");
}

TEST(Parse, PartsAndElements) {
    EXPECT_EQ(value("$x.0.1"), "      member 1\n        member 0\n          local $x\n");
    EXPECT_EQ(value("a->b[1]"), "      index\n        member b\n          name a\n        integer 1\n");
    EXPECT_EQ(value("(@x)[1]"), "      index\n        map @x\n        integer 1\n");
    EXPECT_EQ(value("@x[1][2]"), "      index\n        map @x[]\n          integer 1\n        integer 2\n");
    EXPECT_EQ(value("@x[(1, 2)]"), "      map @x[]\n        integer 1\n        integer 2\n");
    EXPECT_EQ(value("(1, (2,))"), "      tuple\n        integer 1\n        tuple\n          integer 2\n");
    EXPECT_EQ(value("*a.b"), "      unary *\n        member b\n          name a\n");
    EXPECT_EQ(value("true"), "      boolean true\n");
}

TEST(Parse, SeveralProbes) {
    EXPECT_EQ(tree("sc:futex,k:vfs_[rw]*,\n k:g { }"),
              R"(
action sc:futex, k:vfs_[rw]*, k:g
  body
)" + 1);
}

TEST(Parse, ProbesWithPathsAndQuotes) {
    EXPECT_EQ(tree("u:/usr/lib/libc.so.6:malloc, u:/bin/x:cpp:\"a::b(int, x)\" { }"),
              R"-(
action u:/usr/lib/libc.so.6:malloc, u:/bin/x:cpp:"a::b(int, x)"
  body
)-" + 1);
}

TEST(Parse, EmptyPartsOfProbes) {
    EXPECT_EQ(tree("k::f { }"),
              R"(
action k::f
  body
)" + 1);
}

TEST(Parse, LinesAndComments) {
    EXPECT_EQ(tree("#!/usr/bin/env lt\n// one\nBEGIN /* two */ { /* * three */ exit() // four\n}"),
              R"(
action BEGIN
  body
    evaluate
      call exit
)" + 1);
}

TEST(Parse, EmptyText) { EXPECT_EQ(tree(""), ""); }

TEST(Parse, PredicateDividesInsideParentheses) {
    EXPECT_EQ(tree("k:f /pid / 2 > (1 / 3)/ { }"),
              R"(
action k:f
  predicate
    binary >
      binary /
        name pid
        integer 2
      binary /
        integer 1
        integer 3
  body
)" + 1);
}

TEST(Parse, PredicateRightAfterProbe) {
    for (const char* probe : {"k:f", "kprobe:vfs_*", "k:a, t:b:c", "interval:s:1", "profile:hz:99", "BEGIN"})
        EXPECT_EQ(tree(std::string(probe) + "/pid == 1/{ }"), tree(std::string(probe) + " /pid == 1/ { }"));
    EXPECT_EQ(tree("k:f//comment\n{ }"), tree("k:f { }"));
    EXPECT_EQ(mistakes("k:f@a/b.c:12 { } u:/a/b:f { } h:cpu/x/:1 { } iter:task:/a/b { }"), "");
}

TEST(Parse, PredicateBeforeComment) {
    EXPECT_EQ(tree("k:f /pid/ // why\n{ }"),
              R"(
action k:f
  predicate
    name pid
  body
)" + 1);
}

TEST(Parse, SemicolonsAreOptionalAtTheEnd) {
    EXPECT_EQ(tree("k:f { ; @a = 1; if b { @c = 1 } @d = 1 ; ; exit() }"),
              R"(
action k:f
  body
    assign =
      map @a
      integer 1
    if
      name b
      then
        assign =
          map @c
          integer 1
    assign =
      map @d
      integer 1
    evaluate
      call exit
)" + 1);
}

TEST(Parse, Assignments) {
    EXPECT_EQ(tree("k:f { @a = 1; $b += 1; @c -= 1; @d *= 1; @e /= 1; @f %= 1; @g <<= 1; @h >>= 1; @i &= 1; @j |= 1; "
                   "@k ^= 1; @l++; ++@m; $n--; --$o }"),
              R"(
action k:f
  body
    assign =
      map @a
      integer 1
    assign +=
      local $b
      integer 1
    assign -=
      map @c
      integer 1
    assign *=
      map @d
      integer 1
    assign /=
      map @e
      integer 1
    assign %=
      map @f
      integer 1
    assign <<=
      map @g
      integer 1
    assign >>=
      map @h
      integer 1
    assign &=
      map @i
      integer 1
    assign |=
      map @j
      integer 1
    assign ^=
      map @k
      integer 1
    assign +=
      map @l
      integer 1
    assign +=
      map @m
      integer 1
    assign -=
      local $n
      integer 1
    assign -=
      local $o
      integer 1
)" + 1);
}

TEST(Parse, IfElse) {
    EXPECT_EQ(tree("k:f { if (a) { return; } else if b { return } else { exit() } }"),
              R"(
action k:f
  body
    if
      name a
      then
        return
      else
        if
          name b
          then
            return
          else
            evaluate
              call exit
)" + 1);
}

TEST(Parse, ComparisonInParenthesesInSpan) {
    EXPECT_EQ(tree("k:f < if (@x > 3 >> 1) { @y = a > b; } >"),
              R"(
span k:f
  body
    if
      binary >
        map @x
        binary >>
          integer 3
          integer 1
      then
        assign =
          map @y
          binary >
            name a
            name b
)" + 1);
}

TEST(Parse, FirstGreaterClosesSpan) {
    EXPECT_EQ(tree("k:f < $x = args->y >k:g { }"),
              R"(
span k:f
  body
    assign =
      local $x
      member y
        name args
action k:g
  body
)" + 1);
}

TEST(Parse, Precedence) {
    EXPECT_EQ(tree("k:f { @ = a || b && c | d ^ e & (f == g < h << i + j * -k) }"),
              R"(
action k:f
  body
    assign =
      map @
      binary ||
        name a
        binary &&
          name b
          binary |
            name c
            binary ^
              name d
              binary &
                name e
                binary ==
                  name f
                  binary <
                    name g
                    binary <<
                      name h
                      binary +
                        name i
                        binary *
                          name j
                          unary -
                            name k
)" + 1);
}

TEST(Parse, LeftAssociative) {
    EXPECT_EQ(tree("k:f { @ = a - b - c * (d - e) }"),
              R"(
action k:f
  body
    assign =
      map @
      binary -
        binary -
          name a
          name b
        binary *
          name c
          binary -
            name d
            name e
)" + 1);
}

TEST(Parse, Conditional) {
    EXPECT_EQ(tree("k:f { @ = a ? b : c ? d : e }"),
              R"(
action k:f
  body
    assign =
      map @
      conditional
        name a
        name b
        conditional
          name c
          name d
          name e
)" + 1);
}

TEST(Parse, MembersAndKeywordsAsFields) {
    EXPECT_EQ(tree("k:f { @ = args.if->for.x }"),
              R"(
action k:f
  body
    assign =
      map @
      member x
        member for
          member if
            name args
)" + 1);
}

TEST(Parse, MapsAndKeys) {
    EXPECT_EQ(tree("k:f { @x[pid, @y[1], @] = @z }"),
              R"(
action k:f
  body
    assign =
      map @x[]
        name pid
        map @y[]
          integer 1
        map @
      map @z
)" + 1);
}

TEST(Parse, Unary) {
    EXPECT_EQ(tree("k:f { @ = -!~$x }"),
              R"(
action k:f
  body
    assign =
      map @
      unary -
        unary !
          unary ~
            local $x
)" + 1);
}

TEST(Parse, Calls) {
    EXPECT_EQ(tree("k:f { printf(\"%d\", f(), ...) }"),
              R"(
action k:f
  body
    evaluate
      call printf
        string "%d"
        call f
        ellipsis
)" + 1);
}

TEST(Parse, Integers) {
    EXPECT_EQ(tree("k:f { f(0, 1_000, 0xFf, 017, 1e6, 18446744073709551615) }"),
              R"(
action k:f
  body
    evaluate
      call f
        integer 0
        integer 1000
        integer 255
        integer 15
        integer 1000000
        integer 18446744073709551615
)" + 1);
}

TEST(Parse, Durations) {
    EXPECT_EQ(tree("k:f { f(10ns, 5us, 3ms, 2s, 1m, 1h, 1d, 1.5ms, 0.000001s, 007s) }"),
              R"(
action k:f
  body
    evaluate
      call f
        duration 10ns
        duration 5000ns
        duration 3000000ns
        duration 2000000000ns
        duration 60000000000ns
        duration 3600000000000ns
        duration 86400000000000ns
        duration 1500000ns
        duration 1000ns
        duration 7000000000ns
)" + 1);
}

TEST(Parse, Escapes) {
    EXPECT_EQ(tree("k:f { f(\"\\n\\t\\r\\\\\\\"\\0\\101\\x41é\") }"),
              R"(
action k:f
  body
    evaluate
      call f
        string "\n\t\x0d\\\"\x00AAé"
)" + 1);
}

TEST(Parse, SpansOfText) {
    const Source source{"t.lt", "k:f /a/ { @x[1] = (2 + 3); }\n"};
    Diags diags;
    const ast::Program program = parse(source, diags);
    ASSERT_EQ(program.items.size(), 1U);
    EXPECT_EQ(source.at(program.items[0].span), "k:f /a/ { @x[1] = (2 + 3); }");
    const auto& action = std::get<ast::Action>(program.items[0].node);
    EXPECT_EQ(source.at(action.probes[0].span), "k:f");
    EXPECT_EQ(source.at(action.probes[0].parts[1].span), "f");
    const ast::Stmt& statement = program[action.body.statements[0]];
    EXPECT_EQ(source.at(statement.span), "@x[1] = (2 + 3)");
    const auto& assign = std::get<ast::Assign>(statement.node);
    EXPECT_EQ(source.at(program[assign.target].span), "@x[1]");
    EXPECT_EQ(source.at(program[assign.value].span), "2 + 3");
}

}  // namespace
}  // namespace lt
