#include "base/literal.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

// The value of a word of the command line; -1 if it is not a number.
int64_t value_of(std::string_view text) {
    const std::optional<NumberWord> word = number_word(text);
    return word ? static_cast<int64_t>(word->size) : -1;
}

TEST(Literal, DurationsHaveFractions) {
    EXPECT_EQ(value_of("10ms"), 10'000'000);
    EXPECT_EQ(value_of("1.5s"), 1'500'000'000);
    EXPECT_EQ(value_of("0.05s"), 50'000'000);
    EXPECT_EQ(value_of("1.50s"), 1'500'000'000);
    EXPECT_EQ(value_of("1_0.2_5us"), 10'250);
    EXPECT_EQ(value_of("0.5ns"), -1);
}

TEST(Literal, FractionsAreDigits) {
    for (const char* text : {"1..5s", "0..5s", "1.2.3s", "1.5.0s", "1..s", "1..0s", "0..000000001s", "1.x5s", ".5s"})
        EXPECT_EQ(value_of(text), -1) << text;
}

TEST(Literal, DigitsAreThoseOfTheBase) {
    EXPECT_EQ(integer_value("1_000", 10), 1000U);
    EXPECT_EQ(integer_value("fF", 16), 255U);
    EXPECT_EQ(integer_value("18446744073709551615", 10), 18446744073709551615U);
    for (const char* digits : {"1a", "1.5", "-1", "18446744073709551616"})
        EXPECT_FALSE(integer_value(digits, 10)) << digits;
    EXPECT_FALSE(integer_value("08", 8));
    EXPECT_FALSE(integer_value("12", 2));
}

}  // namespace
}  // namespace lt
