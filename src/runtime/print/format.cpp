// Prints by a checked format of printf. Integers are printed with the bits of their type: signed conversions print the
// number, all others those bits as unsigned. The format's own text is printed unchanged; text from the traced machine
// is escaped for terminals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/rows.h"
#include "runtime/kernel/flag_names.h"
#include "runtime/print/printer.h"
#include "runtime/print/show.h"
#include "stdlib/format.h"

namespace lt {
namespace {

// A number before padding: the sign and the base are separate, so that zeros can go between.
struct Digits {
    std::string prefix;
    std::string digits;
};

// The number as an unsigned one of its type's size, or of the size that the conversion truncates it to.
uint64_t bits_of(const FormatPiece& piece, const Value& value) {
    const auto bits = static_cast<uint64_t>(number_of(value));
    const uint32_t size = printed_bytes(piece, value.type);
    return size < 8 ? bits & ((uint64_t{1} << size * 8) - 1) : bits;
}

int64_t signed_of(const FormatPiece& piece, const Value& value) {
    const uint32_t unused = 64 - 8 * piece.bytes;
    return static_cast<int64_t>(static_cast<uint64_t>(number_of(value)) << unused) >> unused;
}

Digits signed_digits(const FormatPiece& piece, int64_t number) {
    const auto bits = static_cast<uint64_t>(number);
    if (number < 0) return {"-", fmt::format("{}", 0 - bits)};
    return {piece.plus ? "+" : piece.space ? " " : "", fmt::format("{}", bits)};
}

bool is_marked(const FormatPiece& piece, uint64_t bits) { return piece.alternate && (bits != 0 || piece.marks_zero); }

// As C's %a, without the 0x: 1.4p+2. Without a precision it prints all digits.
std::string hex_float(double number, std::optional<uint32_t> precision) {
    std::string out(precision.value_or(0) + 32, '\0');  // the exponent has at most 5 characters
    const int length = precision ? std::snprintf(out.data(), out.size(), "%.*a", static_cast<int>(*precision), number)
                                 : std::snprintf(out.data(), out.size(), "%a", number);
    out.resize(static_cast<size_t>(length));
    return out.substr(2);
}

// The language has no fractions: an integer is printed like a number with one.
Digits fraction_digits(const FormatPiece& piece, const Value& value) {
    const double number =
        value.type.is_signed ? static_cast<double>(number_of(value)) : static_cast<double>(bits_of(piece, value));
    const double size = number < 0 ? -number : number;
    const uint32_t precision = piece.precision.value_or(6);
    const std::string sign = number < 0 ? "-" : piece.plus ? "+" : piece.space ? " " : "";
    if (piece.conversion == Conversion::fixed) return {sign, fmt::format("{:.{}f}", size, precision)};
    if (piece.conversion == Conversion::exponent) return {sign, fmt::format("{:.{}e}", size, precision)};
    if (piece.conversion == Conversion::hex_float) return {sign + "0x", hex_float(size, piece.precision)};
    return {sign, fmt::format("{:.{}g}", size, precision == 0 ? 1 : precision)};
}

bool has_fraction(Conversion conversion) {
    return conversion == Conversion::fixed || conversion == Conversion::exponent || conversion == Conversion::general ||
           conversion == Conversion::hex_float;
}

Digits digits_of(const FormatPiece& piece, const Value& value) {
    const Conversion conversion = piece.conversion;
    if (has_fraction(conversion)) return fraction_digits(piece, value);
    if (conversion == Conversion::decimal) return signed_digits(piece, signed_of(piece, value));
    const uint64_t bits = bits_of(piece, value);
    const bool marked = is_marked(piece, bits);
    if (conversion == Conversion::unsigned_) return {"", fmt::format("{}", bits)};
    if (conversion == Conversion::hex) return {marked ? "0x" : "", fmt::format("{:x}", bits)};
    if (conversion == Conversion::upper_hex) return {marked ? "0X" : "", fmt::format("{:X}", bits)};
    if (conversion == Conversion::octal) return {"", fmt::format("{}{:o}", marked ? "0" : "", bits)};
    if (conversion == Conversion::address) return {"0x", fmt::format("{:x}", bits)};
    return {};
}

void append_padded(std::string& out, const FormatPiece& piece, std::string_view text) {
    const size_t missing = piece.width > text.size() ? piece.width - text.size() : 0;
    if (!piece.left) out.append(missing, ' ');
    out += text;
    if (piece.left) out.append(missing, ' ');
}

void append_digits(std::string& out, const FormatPiece& piece, Digits number) {
    // As in C: precision 0 prints no digit of 0, and a precision turns off the flag 0.
    const bool whole = !has_fraction(piece.conversion);
    if (whole && piece.precision == 0U && number.digits == "0") number.digits.clear();
    const size_t length = number.prefix.size() + number.digits.size();
    size_t zeros = 0;
    if (whole && piece.precision) {
        zeros = *piece.precision > number.digits.size() ? *piece.precision - number.digits.size() : 0;
    } else if (piece.zero && !piece.left) {
        zeros = piece.width > length ? piece.width - length : 0;
    }
    append_padded(out, piece, number.prefix + std::string(zeros, '0') + number.digits);
}

void append_string(std::string& out, const FormatPiece& piece, const Value& value, ValueStyle style) {
    std::string text;
    if (const auto* bytes = std::get_if<std::string>(&value.data)) {
        const auto shown = std::string_view(*bytes).substr(0, piece.precision.value_or(bytes->size()));
        value.type.kind == Kind::buffer ? append_bytes_shown(text, shown) : append_visible(text, shown, style.kept);
    } else {
        if (is_rows(value)) text += '\n';
        append_value(text, value, style);
        if (piece.precision && *piece.precision < text.size()) text.resize(*piece.precision);
    }
    append_padded(out, piece, text);
}

std::string byte_text(Conversion conversion, char c) {
    if (conversion == Conversion::raw_bytes) return std::string(1, c);
    const bool marked = conversion == Conversion::bytes;
    return fmt::format("{}{:02x}", marked ? "\\x" : "", static_cast<unsigned char>(c));
}

// The raw bytes; of a string, those before its end.
void append_bytes(std::string& out, const FormatPiece& piece, const std::string& bytes) {
    std::string text;
    for (char c : std::string_view(bytes).substr(0, piece.precision.value_or(bytes.size()))) {
        if (piece.conversion == Conversion::hex_bytes && !text.empty()) text += ' ';
        text += byte_text(piece.conversion, c);
    }
    append_padded(out, piece, text);
}

// Without a precision, the width is the number of bytes. A wider field is filled with zero bytes.
void append_binary(std::string& out, const FormatPiece& piece, uint64_t number) {
    constexpr uint32_t all = 8;
    const uint32_t count = std::min(piece.precision.value_or(piece.width == 0 ? all : piece.width), all);
    const size_t missing = piece.width > count ? piece.width - count : 0;
    if (!piece.left) out.append(missing, '\0');
    for (uint32_t i = 0; i < count; i++) out += static_cast<char>(number >> 8 * i & 0xff);
    if (piece.left) out.append(missing, '\0');
}

void append_character(std::string& out, const FormatPiece& piece, const Value& value) {
    const char c = static_cast<char>(number_of(value));
    std::string text;
    append_visible(text, std::string_view(&c, 1), Keep::lines);
    append_padded(out, piece, text);
}

void append_conversion(std::string& out, const FormatPiece& piece, const Value& value, ValueStyle style) {
    const auto* bytes = std::get_if<std::string>(&value.data);
    if (bytes != nullptr && shows_bytes(piece.conversion)) return append_bytes(out, piece, *bytes);
    // A string for a numeric conversion can only come from a plan that was not checked; its text is the best answer. A
    // percentile of nothing has no number, and 0 would be misleading.
    const bool as_text = piece.conversion == Conversion::string || std::holds_alternative<std::string>(value.data) ||
                         std::holds_alternative<Missing>(value.data);
    if (as_text) return append_string(out, piece, value, style);
    if (piece.conversion == Conversion::binary) return append_binary(out, piece, bits_of(piece, value));
    if (piece.conversion == Conversion::gfp_flags)
        return append_padded(out, piece, gfp_flags_text(bits_of(piece, value)));
    if (piece.conversion == Conversion::character) return append_character(out, piece, value);
    append_digits(out, piece, digits_of(piece, value));
}

}  // namespace

std::string format_text(std::string_view format, const std::vector<Value>& values, ValueStyle style,
                        const Conventions& conventions) {
    std::string out;
    FormatReader reader(format);
    size_t taken = 0;
    while (auto piece = reader.next()) {
        if (conventions.c_integers) take_size_of_c(*piece);
        piece->marks_zero = conventions.marks_zero;
        if (piece->takes_value() && taken < values.size()) {
            append_conversion(out, *piece, values[taken++], style);
        } else {
            out += format.substr(piece->span.begin, piece->span.end - piece->span.begin);
        }
    }
    return out;
}

}  // namespace lt
