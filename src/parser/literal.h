// The values of literals: what stands in the text to what it means. Nothing here knows where in the text it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// Digits of a base, `_` between them ignored; nothing when it does not fit 64 bits.
std::optional<uint64_t> integer_value(std::string_view digits, int base);

// "5e3"
std::optional<uint64_t> scientific_value(std::string_view text);

// "10ms", "1.5s" in nanoseconds; nothing when it does not fit or is not a whole number of them.
std::optional<int64_t> duration_value(std::string_view text);

// A word of the command line that is a number, in one of the forms that the language has for numbers; a duration in
// nanoseconds.
struct NumberWord {
    bool is_negative = false;
    bool is_duration = false;
    uint64_t size = 0;  // without the sign
};
std::optional<NumberWord> number_word(std::string_view text);

// What is wrong with a word that begins like a number.
struct NumberMistake {
    std::string message;
    std::string hint;
};
NumberMistake explain_number(std::string_view text);

// A string without its quotes, escapes replaced; `bad` are the escapes that mean nothing.
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
