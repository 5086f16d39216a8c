// Small string functions that several folders need.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// Does the whole text match the pattern, where * stands for any run of characters, ? for one, [a-z] for one of a set?
bool glob_match(std::string_view pattern, std::string_view text);
bool is_glob(std::string_view text);

// Up to `most` of the candidates nearest to name by edit distance, best first; none that differ in more than a third of
// the name.
std::vector<std::string> closest(std::string_view name, std::span<const std::string_view> candidates, size_t most = 3);

// "a", "a or b", "a, b or c"
std::string either(std::span<const std::string> words);

// All of them, one after another, with the separator between two.
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

// A hint, "use `a`, `b` or `c`"; empty without words.
std::string use_one(std::span<const std::string> words);

// A hint, "did you mean `--a`, `--b` or `--c`?", where `prefix` is `--`; empty without words.
std::string did_you_mean(std::span<const std::string> words, std::string_view prefix = {});

// "1 probe", "2 probes"
std::string plural(uint64_t count, std::string_view noun);

// The number that is the whole text.
template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool is_word_character(char c);  // a letter, a digit or _

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// A string as it is written in a script: quotes, \n, \t, \\, \", \xNN.
std::string quoted(std::string_view text);

}  // namespace lt
