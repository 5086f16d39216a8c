#include "base/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace lt {
namespace {

struct Unit {
    std::string_view name;
    uint64_t nanoseconds;
};

constexpr std::array units = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
    Unit{"d", 86'400'000'000'000},
};

struct Escape {
    char letter;
    char value;
};

constexpr std::array escapes = {
    Escape{'n', '\n'}, Escape{'t', '\t'}, Escape{'r', '\r'}, Escape{'\\', '\\'}, Escape{'"', '"'},
    Escape{'a', '\a'}, Escape{'b', '\b'}, Escape{'f', '\f'}, Escape{'v', '\v'},
};

constexpr std::string_view decimal_digits = "0123456789";

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

// The number of digits of the base at the start of the text, at most `most`.
size_t digits_at(std::string_view text, int base, size_t most) {
    size_t n = 0;
    while (n < text.size() && n < most && digit_value(text[n]) < base) n++;
    return n;
}

std::string without_underscores(std::string_view text) {
    std::string out(text);
    std::erase(out, '_');
    return out;
}

const Unit* find_unit(std::string_view name) {
    const auto* found = std::ranges::find_if(units, [&](const Unit& u) { return u.name == name; });
    return found == units.end() ? nullptr : found;
}

// 0.FRACTION of a unit; empty if that is not a whole number of nanoseconds, or not a number.
std::optional<uint64_t> part_of(uint64_t unit, std::string_view fraction) {
    if (fraction.find_first_not_of(decimal_digits) != fraction.npos) return std::nullopt;
    while (fraction.ends_with('0')) fraction.remove_suffix(1);
    if (fraction.size() > 18) return std::nullopt;  // no unit is divisible by more
    unsigned __int128 value = unit;
    value *= integer_value(fraction, 10).value_or(0);
    for (size_t i = 0; i < fraction.size(); i++) {
        if (value % 10 != 0) return std::nullopt;
        value /= 10;
    }
    return static_cast<uint64_t>(value);
}

struct Base {
    std::string_view prefix;
    int base;
};
// The longest prefix that matches applies; without a prefix a number is decimal.
constexpr std::array bases = {Base{"0x", 16}, Base{"0X", 16}, Base{"0b", 2}, Base{"0B", 2}, Base{"0", 8}};

// Digits after the prefix of their base, with an optional C suffix.
std::optional<uint64_t> prefixed_value(std::string_view text) {
    const size_t last = text.find_last_not_of("uUlL");
    if (last == text.npos || text.size() - last > 4) return std::nullopt;
    text = text.substr(0, last + 1);
    int base = 10;
    for (const Base& b : bases) {
        if (!text.starts_with(b.prefix) || text.size() == b.prefix.size()) continue;
        base = b.base;
        text.remove_prefix(b.prefix.size());
        break;
    }
    const bool fits = std::ranges::all_of(text, [&](char c) { return c == '_' || digit_value(c) < base; });
    return fits && digit_value(text[0]) < base ? integer_value(text, base) : std::nullopt;
}

struct DurationText {
    std::string whole;
    std::string fraction;
    const Unit* unit = nullptr;
};

DurationText split_duration(std::string_view text) {
    const std::string plain = without_underscores(text);
    const size_t unit = plain.find_first_not_of("0123456789.");
    const size_t dot = std::min(plain.find('.'), unit);
    DurationText out;
    out.whole = plain.substr(0, dot);
    if (dot < unit) out.fraction = plain.substr(dot + 1, unit - dot - 1);
    if (unit != std::string::npos) out.unit = find_unit(plain.substr(unit));
    return out;
}

// The size of the escape after its backslash and its value.
struct Decoded {
    size_t size;
    std::optional<char> value;
};

Decoded numeric_escape(std::string_view rest, size_t skip, int base, size_t most) {
    const size_t digits = digits_at(rest.substr(skip), base, most);
    const std::optional<uint64_t> value = integer_value(rest.substr(skip, digits), base);
    if (digits == 0 || !value || *value > 255) return {skip + digits, std::nullopt};
    return {skip + digits, static_cast<char>(*value)};
}

Decoded decode_escape(std::string_view rest) {
    if (rest.empty()) return {0, std::nullopt};
    if (rest[0] == 'x') return numeric_escape(rest, 1, 16, 2);
    if (digit_value(rest[0]) < 8) return numeric_escape(rest, 0, 8, 3);
    for (const Escape& e : escapes) {
        if (e.letter == rest[0]) return {1, e.value};
    }
    return {1, std::nullopt};
}

}  // namespace

std::optional<uint64_t> integer_value(std::string_view digits, int base) {
    uint64_t value = 0;
    for (char c : digits) {
        if (c == '_') continue;
        const int digit = digit_value(c);
        if (digit >= base) return std::nullopt;
        if (__builtin_mul_overflow(value, static_cast<uint64_t>(base), &value)) return std::nullopt;
        if (__builtin_add_overflow(value, static_cast<uint64_t>(digit), &value)) return std::nullopt;
    }
    return value;
}

std::optional<uint64_t> scientific_value(std::string_view text) {
    const size_t e = text.find_first_of("eE");
    std::optional<uint64_t> value = integer_value(text.substr(0, e), 10);
    const std::optional<uint64_t> exponent = integer_value(text.substr(e + 1), 10);
    if (!value || *value == 0) return value;
    if (!exponent || *exponent > 19) return std::nullopt;
    for (uint64_t i = 0; i < *exponent; i++) {
        if (__builtin_mul_overflow(*value, uint64_t{10}, &*value)) return std::nullopt;
    }
    return value;
}

std::optional<int64_t> duration_value(std::string_view text) {
    const DurationText d = split_duration(text);
    std::optional<uint64_t> whole = integer_value(d.whole, 10);
    const std::optional<uint64_t> part = part_of(d.unit->nanoseconds, d.fraction);
    if (!whole || !part) return std::nullopt;
    if (__builtin_mul_overflow(*whole, d.unit->nanoseconds, &*whole)) return std::nullopt;
    if (__builtin_add_overflow(*whole, *part, &*whole)) return std::nullopt;
    if (*whole > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(*whole);
}

std::optional<NumberWord> number_word(std::string_view text) {
    NumberWord out;
    out.is_negative = text.starts_with('-');
    if (out.is_negative) text.remove_prefix(1);
    if (text.empty() || digit_value(text[0]) > 9) return std::nullopt;
    const size_t letter = text.find_first_not_of("0123456789_");
    std::optional<uint64_t> size;
    if (letter != text.npos && (text[letter] == 'e' || text[letter] == 'E')) {
        const std::string_view exponent = text.substr(letter + 1);
        if (!exponent.empty() && digits_at(exponent, 10, exponent.size()) == exponent.size())
            size = scientific_value(text);
    } else if (split_duration(text).unit != nullptr) {
        out.is_duration = true;
        size = duration_value(text);
    } else {
        size = prefixed_value(text);
    }
    const bool fits = size && (!out.is_negative || *size <= uint64_t{1} << 63);
    if (!fits) return std::nullopt;
    out.size = *size;
    return out;
}

NumberMistake explain_number(std::string_view text) {
    if (text.find('.') != std::string_view::npos && text.find_first_not_of("0123456789_.") == std::string_view::npos) {
        return {fmt::format("`{}` is not a whole number", text), "only durations have fractions, for example `1.5ms`"};
    }
    const DurationText d = split_duration(text);
    if (d.unit != nullptr && part_of(d.unit->nanoseconds, d.fraction) == std::nullopt) {
        return {fmt::format("`{}` is not a whole number of nanoseconds", text),
                "the smallest unit of a duration is a nanosecond"};
    }
    if (d.unit != nullptr) {
        return {fmt::format("`{}` is too long: the limit for a duration is 106751 days", text),
                "write a shorter duration"};
    }
    if (text.starts_with("0x") || text.starts_with("0X")) {
        return {fmt::format("`{}` is not a hexadecimal number", text), "write digits 0 to 9 and a to f after `0x`"};
    }
    if (text.starts_with('0') && text.find_first_not_of(decimal_digits) == std::string_view::npos) {
        return {fmt::format("`{}` is not an octal number", text),
                "a number that begins with 0 can only have digits 0 to 7"};
    }
    return {fmt::format("`{}` is not a number", text), "write a number, or a duration in ns, us, ms, s, m, h or d"};
}

Unescaped unescape(std::string_view body) {
    Unescaped out;
    for (size_t i = 0; i < body.size();) {
        if (body[i] != '\\') {
            out.value += body[i++];
            continue;
        }
        const Decoded d = decode_escape(body.substr(i + 1));
        if (d.value)
            out.value += *d.value;
        else
            out.bad.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(d.size + 1)});
        i += d.size + 1;
    }
    return out;
}

}  // namespace lt
