// The values of literals, from their text. Independent of the literal's position in the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// Digits of a base, ignoring `_` between them; empty if others are among them or the value does not fit into 64 bits.
std::optional<uint64_t> integer_value(std::string_view digits, int base);

// The number with a minus sign, in 64 bits: the least number stays as it is.
constexpr int64_t negated(int64_t value) { return static_cast<int64_t>(0 - static_cast<uint64_t>(value)); }

// "5e3"
std::optional<uint64_t> scientific_value(std::string_view text);

// "10ms", "1.5s" in nanoseconds; empty if the value does not fit or is not a whole number of nanoseconds.
std::optional<int64_t> duration_value(std::string_view text);

// A word of the command line that is a number in any notation of the language; durations are in nanoseconds.
struct NumberWord {
    bool is_negative = false;
    bool is_duration = false;
    uint64_t size = 0;  // without the sign
};
std::optional<NumberWord> number_word(std::string_view text);

// The error in a word that begins like a number.
struct NumberMistake {
    std::string message;
    std::string hint;
};
NumberMistake explain_number(std::string_view text);

// A string without its quotes, with escapes replaced; `bad` are invalid escapes.
struct Unescaped {
    struct Bad {
        uint32_t offset;
        uint32_t size;
    };
    std::string value;
    std::vector<Bad> bad;
};
Unescaped unescape(std::string_view body);

}  // namespace lt
