// Formats of printf: how values are printed, and what is said about wrong ones.
#include "stdlib/format.h"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/print/printer.h"

namespace lt {
namespace {

Value integer(int64_t n, Type type = integer_type()) { return {type, n}; }
Value text(std::string s) { return {string_type(16), std::move(s)}; }
std::string one(std::string_view format, Value value) { return format_text(format, {std::move(value)}, false); }

TEST(Format, TextStaysAsItIs) {
    EXPECT_EQ(format_text("", {}, false), "");
    EXPECT_EQ(format_text("\x1b[1m100%%\n", {}, false), "\x1b[1m100%\n");
    EXPECT_EQ(format_text("%%%%d", {}, false), "%%d");
}

TEST(Format, Integers) {
    EXPECT_EQ(one("%d", integer(-5)), "-5");
    EXPECT_EQ(one("%i", integer(std::numeric_limits<int64_t>::min())), "-9223372036854775808");
    EXPECT_EQ(one("%u", integer(-1)), "18446744073709551615");
    EXPECT_EQ(one("%u", integer(-1, integer_type(4))), "4294967295");
    EXPECT_EQ(one("%x", integer(-1, integer_type(1))), "ff");
    EXPECT_EQ(one("%d", integer(4294967295, integer_type(4, false))), "4294967295");
    EXPECT_EQ(one("%lld", integer(5)), "5");
    EXPECT_EQ(one("%hhd", integer(300)), "44");
    EXPECT_EQ(one("%hhd", integer(200)), "-56");
    EXPECT_EQ(one("%hhx %%", integer(-1)), "ff %");
    EXPECT_EQ(one("%hu", integer(65537)), "1");
    EXPECT_EQ(one("%X", integer(255)), "FF");
    EXPECT_EQ(one("%o", integer(8)), "10");
    EXPECT_EQ(one("%p", integer(255)), "0xff");
    EXPECT_EQ(one("%c", integer(65)), "A");
    EXPECT_EQ(one("%c", integer(27)), "\\x1b");
}

TEST(Format, FlagsWidthPrecision) {
    EXPECT_EQ(one("%5d|", integer(3)), "    3|");
    EXPECT_EQ(one("%-5d|", integer(3)), "3    |");
    EXPECT_EQ(one("%05d", integer(-4)), "-0004");
    EXPECT_EQ(one("%+d", integer(3)), "+3");
    EXPECT_EQ(one("% d", integer(3)), " 3");
    EXPECT_EQ(one("%#x", integer(255)), "0xff");
    EXPECT_EQ(one("%#x", integer(0)), "0");
    EXPECT_EQ(one("%#o", integer(8)), "010");
    EXPECT_EQ(one("%#06x", integer(255)), "0x00ff");
    EXPECT_EQ(one("%08llx", integer(255)), "000000ff");
    EXPECT_EQ(one("%.3d", integer(5)), "005");
    EXPECT_EQ(one("%5.3d", integer(5)), "  005");
    EXPECT_EQ(one("%05.3d", integer(5)), "  005");
    EXPECT_EQ(one("%.0d|", integer(0)), "|");
    EXPECT_EQ(one("%-05d|", integer(5)), "5    |");
}

TEST(Format, PrefixOfZero) {
    const Conventions marking{.marks_zero = true};
    EXPECT_EQ(format_text("%#x %#X %#o", {integer(0), integer(0), integer(0)}, false, marking), "0x0 0X0 00");
    EXPECT_EQ(format_text("%#5x|%#06x|%#x|%x", {integer(0), integer(0), integer(26), integer(0)}, false, marking),
              "  0x0|0x0000|0x1a|0");
    EXPECT_EQ(one("%#X %%", integer(0)), "0 %");
    EXPECT_EQ(one("%#o", integer(0)), "0");
}

TEST(Format, BytesOfANumber) {
    using namespace std::string_literals;
    EXPECT_EQ(one("%b", integer(0x4847464544434241)), "ABCDEFGH");
    EXPECT_EQ(one("%2b", integer(0x4241)), "AB");
    EXPECT_EQ(one("%.2b", integer(0x4241)), "AB");
    EXPECT_EQ(one("%4.2b", integer(0x4241)), "\0\0AB"s);
    EXPECT_EQ(one("%-4.1b", integer(0x41)), "A\0\0\0"s);
    EXPECT_EQ(one("%10b", integer(0x4847464544434241)), "\0\0ABCDEFGH"s);
    EXPECT_EQ(one("%2.4b", integer(0x44434241)), "ABCD");
}

TEST(Format, Strings) {
    EXPECT_EQ(one("%5s|", text("a")), "    a|");
    EXPECT_EQ(one("%-5s|", text("b")), "b    |");
    EXPECT_EQ(one("%.2s", text("abcdef")), "ab");
    EXPECT_EQ(one("%s", text("a\x1b")), "a\\x1b");
    EXPECT_EQ(one("%s", integer(31, integer_type(8, false, View::hex))), "0x1f");
    EXPECT_EQ(one("%s", integer(5)), "5");
}

TEST(Format, Durations) {
    const Value duration = integer(1'530'000, duration_type());
    EXPECT_EQ(one("%d", duration), "1530000");
    EXPECT_EQ(one("%s", duration), "1.53ms");
    EXPECT_EQ(one("%8s", duration), "  1.53ms");
    EXPECT_EQ(format_text("%s", {duration}, true), "1530000");
}

TEST(Format, NothingWithoutAValueIsRead) {
    EXPECT_EQ(format_text("%d %d %", {integer(1)}, false), "1 %d %");
    EXPECT_EQ(one("%d", text("a")), "a");
}

std::string checked(std::string_view format, std::vector<Type> types) {
    std::string out;
    for (const FormatMistake& m : check_format(format, types)) {
        out += std::to_string(m.span.begin) + ".." + std::to_string(m.span.end);
        if (m.value) out += " value " + std::to_string(*m.value);
        out += ": " + m.message + (m.hint.empty() ? "" : " (" + m.hint + ")") + "\n";
    }
    return out;
}

TEST(CheckFormat, Right) {
    EXPECT_EQ(checked("", {}), "");
    EXPECT_EQ(checked("100%%\n", {}), "");
    EXPECT_EQ(checked("%d %-5s %s %08llx %c %p", {integer_type(), string_type(16), duration_type(), integer_type(4),
                                                  integer_type(), integer_type()}),
              "");
}

TEST(CheckFormat, Counts) {
    EXPECT_EQ(checked("%d %d", {integer_type()}), "3..5: the format has 2 conversions, but 1 value is given\n");
    EXPECT_EQ(checked("100%d", {}),
              "3..5: the format has 1 conversion, but no value is given (write `%%` for a percent sign)\n");
    EXPECT_EQ(checked("a", {integer_type(), integer_type()}),
              "0..1 value 0: the format has 0 conversions, but 2 values are given\n");
}

TEST(CheckFormat, Types) {
    EXPECT_EQ(checked("%s %d", {integer_type(), string_type(4)}),
              "3..5 value 1: %d takes an integer, but the value is a string (use %s for a string)\n");
    EXPECT_EQ(checked("%s", {aggregation_type(Aggregation::hist)}),
              "0..2 value 0: %s takes an integer or a string, but the value is hist()\n");
}

TEST(CheckFormat, Forms) {
    EXPECT_EQ(
        checked("%y", {integer_type()}),
        "0..2: unknown conversion %y (conversions are %d %i %u %x %X %o %c %s %r %p %b %f %e %g %a %rx %rh %rd %rb "
        "%gr and %%)\n");
    EXPECT_EQ(checked("a %-5", {}), "2..5: the format ends inside %-5 (write `%%` for a percent sign)\n");
    EXPECT_EQ(checked("%99999d", {integer_type()}), "0..7: the width or precision of %99999d is over 4096\n");
    EXPECT_EQ(checked("%\xc3\xa9", {integer_type()}).substr(0, 29), "0..3: unknown conversion %\xc3\xa9 ");
}

}  // namespace
}  // namespace lt
