// Reads formats of printf and checks them against the types of the values. Each conversion letter is one row of a
// table.
#include "stdlib/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "base/text.h"

namespace lt {
namespace {

struct ConversionRow {
    char letter;
    Conversion conversion;
    bool integers_only;
};

constexpr std::array<ConversionRow, 15> conversion_rows = {{
    {'d', Conversion::decimal, true},
    {'i', Conversion::decimal, true},
    {'u', Conversion::unsigned_, true},
    {'x', Conversion::hex, true},
    {'X', Conversion::upper_hex, true},
    {'o', Conversion::octal, true},
    {'c', Conversion::character, true},
    {'s', Conversion::string, false},
    {'r', Conversion::string, false},
    {'p', Conversion::address, true},
    {'b', Conversion::binary, true},
    {'f', Conversion::fixed, true},
    {'e', Conversion::exponent, true},
    {'g', Conversion::general, true},
    {'a', Conversion::hex_float, true},
}};

// A letter after %r that says how to print bytes.
struct BytesRow {
    char letter;
    Conversion conversion;
};
constexpr std::array<BytesRow, 4> bytes_rows = {{{'x', Conversion::bytes},
                                                 {'h', Conversion::hex_bytes},
                                                 {'d', Conversion::hex_digits},
                                                 {'b', Conversion::raw_bytes}}};

struct FormatFlag {
    char letter;
    bool FormatPiece::* flag;
};

constexpr std::array<FormatFlag, 5> flag_rows = {{
    {'-', &FormatPiece::left},
    {'0', &FormatPiece::zero},
    {'+', &FormatPiece::plus},
    {' ', &FormatPiece::space},
    {'#', &FormatPiece::alternate},
}};

// Sizes are known from the types; only h and hh truncate a number.
constexpr std::string_view length_modifiers = "hlqLzjt";

constexpr std::string_view percent_hint = "write `%%` for a percent sign";

std::string known_conversions() {
    std::string out = "conversions are ";
    for (const ConversionRow& row : conversion_rows) out += fmt::format("%{} ", row.letter);
    for (const BytesRow& row : bytes_rows) out += fmt::format("%r{} ", row.letter);
    return out + "%gr and %%";
}

bool integers_only(Conversion conversion) {
    if (conversion == Conversion::gfp_flags) return true;
    const ConversionRow* row = find_row(conversion_rows, conversion, &ConversionRow::conversion);
    return row != nullptr && row->integers_only;
}

bool fits(Conversion conversion, const Type& type) {
    if (shows_bytes(conversion)) return type.kind == Kind::string || type.kind == Kind::buffer;
    if (type.naming != Naming::none) return !integers_only(conversion);
    if (in_memory(type) && type.kind != Kind::string) return conversion == Conversion::string;
    return type.kind == Kind::integer || (type.kind == Kind::string && !integers_only(conversion));
}

FormatMistake misfit(const FormatPiece& piece, std::string_view written, size_t value, const Type& type) {
    if (shows_bytes(piece.conversion)) {
        return {piece.span, value,
                fmt::format("{} takes a string or a buffer, but the value is {}", written, type_name(type)),
                "`buf(address, length)` makes a buffer"};
    }
    const bool only = integers_only(piece.conversion);
    return {
        piece.span, value,
        fmt::format("{} takes {}, but the value is {}", written, only ? "an integer" : "an integer or a string",
                    type_name(type)),
        piece.conversion != Conversion::string && in_memory(type) ? fmt::format("use %s for {}", type_name(type)) : ""};
}

// An error in the piece itself, whatever its value.
std::optional<FormatMistake> malformed(const FormatPiece& piece, std::string_view written) {
    if (piece.conversion == Conversion::cut_short) {
        return FormatMistake{
            piece.span, {}, fmt::format("the format ends inside {}", written), std::string(percent_hint)};
    }
    if (piece.conversion == Conversion::too_wide) {
        return FormatMistake{
            piece.span, {}, fmt::format("the width or precision of {} is over {}", written, max_format_width), ""};
    }
    if (piece.conversion == Conversion::unknown) {
        return FormatMistake{piece.span, {}, fmt::format("unknown conversion {}", written), known_conversions()};
    }
    return {};
}

// The errors of one format, and how many values it takes.
struct Check {
    std::string_view format;
    std::span<const Type> types;
    std::vector<FormatMistake> mistakes = {};
    size_t taken = 0;
    std::optional<Span> first_without_value = {};

    void piece(const FormatPiece& p);
    void counts();
};

void Check::piece(const FormatPiece& p) {
    const std::string_view written = format.substr(p.span.begin, p.span.end - p.span.begin);
    if (auto mistake = malformed(p, written)) mistakes.push_back(*std::move(mistake));
    if (p.conversion == Conversion::text || p.conversion == Conversion::cut_short) return;
    const size_t value = taken++;
    if (value >= types.size()) {
        if (!first_without_value) first_without_value = p.span;
    } else if (p.takes_value() && !fits(p.conversion, types[value])) {
        mistakes.push_back(misfit(p, written, value, types[value]));
    }
}

void Check::counts() {
    if (taken == types.size()) return;
    const Span all{0, static_cast<uint32_t>(format.size())};
    const bool too_few = taken > types.size();
    mistakes.push_back(
        {first_without_value.value_or(all), too_few ? std::optional<size_t>{} : taken,
         fmt::format(
             "the format has {}, but {} given", plural(taken, "conversion"),
             types.empty() ? "no value is" : plural(types.size(), "value") + (types.size() == 1 ? " is" : " are")),
         too_few && types.empty() ? std::string(percent_hint) : ""});
}

}  // namespace

bool shows_bytes(Conversion conversion) {
    return std::ranges::any_of(bytes_rows, [&](const BytesRow& row) { return row.conversion == conversion; });
}

bool FormatPiece::takes_value() const { return conversion != Conversion::text && conversion < Conversion::unknown; }

std::optional<FormatPiece> FormatReader::next() {
    if (at_end()) return {};
    const size_t begin = at_;
    const auto piece_from = [this](size_t from, FormatPiece piece) {
        piece.span = {static_cast<uint32_t>(from), static_cast<uint32_t>(at_)};
        return piece;
    };
    if (format_[at_] != '%') {
        at_ = std::min(format_.find('%', at_), format_.size());
        return piece_from(begin, {});
    }
    at_++;
    const char next = at_end() ? '\0' : format_[at_];
    if (next == '\n') return piece_from(begin, {});  // at the end of a line, a percent sign stands for itself
    if (next != '%') return piece_from(begin, conversion());
    at_++;
    return piece_from(at_ - 1, {});
}

FormatPiece FormatReader::conversion() {
    FormatPiece piece;
    flags(piece);
    bool sane = number(piece.width);
    if (!at_end() && format_[at_] == '.') {
        at_++;
        uint32_t precision = 0;
        sane = number(precision) && sane;
        piece.precision = precision;
    }
    for (; !at_end() && length_modifiers.find(format_[at_]) != std::string_view::npos; at_++) {
        if (format_[at_] == 'h')
            piece.bytes = piece.bytes == 2 ? 1 : 2;
        else
            piece.is_long = true;
    }
    piece.conversion = letter();
    if (!sane && piece.takes_value()) piece.conversion = Conversion::too_wide;
    return piece;
}

void FormatReader::flags(FormatPiece& piece) {
    for (; !at_end(); at_++) {
        const FormatFlag* row = find_row(flag_rows, format_[at_], &FormatFlag::letter);
        if (row == nullptr) return;
        piece.*(row->flag) = true;
    }
}

// False: larger than any useful number.
bool FormatReader::number(uint32_t& out) {
    uint32_t value = 0;
    for (; !at_end() && format_[at_] >= '0' && format_[at_] <= '9'; at_++) {
        value = std::min(value * 10 + static_cast<uint32_t>(format_[at_] - '0'), max_format_width + 1);
    }
    out = std::min(value, max_format_width);
    return value <= max_format_width;
}

Conversion FormatReader::letter() {
    if (at_end()) return Conversion::cut_short;
    const char c = format_[at_++];
    if (c == 'g' && !at_end() && format_[at_] == 'r') {  // bpftrace's flags of allocations
        at_++;
        return Conversion::gfp_flags;
    }
    if (const ConversionRow* row = find_row(conversion_rows, c, &ConversionRow::letter))
        return c == 'r' ? how_bytes(row->conversion) : row->conversion;
    // A message that quotes the piece must not split a multi-byte character.
    while (!at_end() && (static_cast<unsigned char>(format_[at_]) & 0xc0U) == 0x80U) at_++;
    return Conversion::unknown;
}

Conversion FormatReader::how_bytes(Conversion plain) {
    const BytesRow* row = at_end() ? nullptr : find_row(bytes_rows, format_[at_], &BytesRow::letter);
    if (row == nullptr) return plain;
    at_++;
    return row->conversion;
}

void take_size_of_c(FormatPiece& piece) {
    constexpr std::array integers{Conversion::decimal, Conversion::unsigned_, Conversion::hex, Conversion::upper_hex,
                                  Conversion::octal};
    if (!contains(integers, piece.conversion)) return;
    piece.size_is_known = true;
    if (piece.bytes == 8 && !piece.is_long) piece.bytes = 4;
}

uint32_t printed_bytes(const FormatPiece& piece, const Type& type) {
    const bool is_whole = piece.conversion == Conversion::decimal || piece.size_is_known;
    if (is_whole || type.kind != Kind::integer || type.size == 0) return piece.bytes;
    return std::min(type.size, piece.bytes);
}

std::vector<FormatMistake> check_format(std::string_view format, std::span<const Type> types) {
    Check check{format, types};
    FormatReader reader(format);
    while (const auto piece = reader.next()) check.piece(*piece);
    check.counts();
    return std::move(check.mistakes);
}

}  // namespace lt
