#include "base/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace lt {
namespace {

unsigned byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_printable_ascii(std::string_view bytes) {
    return std::ranges::all_of(bytes, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Terminals obey the control characters from 0x80 to 0x9f both as single bytes and in UTF-8 (0xc2 0x80 ...).
bool is_obeyed(std::string_view character) {
    const unsigned first = byte_at(character, 0);
    if (character.size() == 2) return first == 0xc2 && byte_at(character, 1) < 0xa0;
    return character.size() == 1 && (first < 0x20 || (first >= 0x7f && first < 0xa0));
}

// The length of a sequence that only sets colors, such as "\033[1;31m"; 0 if there is none.
size_t color_length(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    const size_t end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

size_t kept_length(std::string_view text, Keep keep) {
    const bool lines = keep == Keep::lines || keep == Keep::messages;
    if (text.front() == '\t') return lines || keep == Keep::tabs ? 1 : 0;
    if (text.front() == '\n') return lines ? 1 : 0;
    return keep == Keep::colors || keep == Keep::messages ? color_length(text) : 0;
}

void append_escaped(std::string& out, std::string_view bytes) {
    for (char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

// Widths by Unicode's EastAsianWidth.txt and UnicodeData.txt. Not from wcwidth(), which knows none of them unless a
// locale is set.
struct CharacterRange {
    char32_t first, last;
};
// Two columns: East Asian characters and pictures.
constexpr std::array wide_ranges{
    CharacterRange{0x1100, 0x115f},   CharacterRange{0x231a, 0x231b},   CharacterRange{0x23e9, 0x23ec},
    CharacterRange{0x23f0, 0x23f0},   CharacterRange{0x23f3, 0x23f3},   CharacterRange{0x25fd, 0x25fe},
    CharacterRange{0x2614, 0x2615},   CharacterRange{0x2648, 0x2653},   CharacterRange{0x267f, 0x267f},
    CharacterRange{0x2693, 0x2693},   CharacterRange{0x26a1, 0x26a1},   CharacterRange{0x26aa, 0x26ab},
    CharacterRange{0x26bd, 0x26be},   CharacterRange{0x26c4, 0x26c5},   CharacterRange{0x26ce, 0x26ce},
    CharacterRange{0x26d4, 0x26d4},   CharacterRange{0x26ea, 0x26ea},   CharacterRange{0x26f2, 0x26f3},
    CharacterRange{0x26f5, 0x26f5},   CharacterRange{0x26fa, 0x26fa},   CharacterRange{0x26fd, 0x26fd},
    CharacterRange{0x2705, 0x2705},   CharacterRange{0x270a, 0x270b},   CharacterRange{0x2728, 0x2728},
    CharacterRange{0x274c, 0x274c},   CharacterRange{0x274e, 0x274e},   CharacterRange{0x2753, 0x2755},
    CharacterRange{0x2757, 0x2757},   CharacterRange{0x2795, 0x2797},   CharacterRange{0x27b0, 0x27b0},
    CharacterRange{0x27bf, 0x27bf},   CharacterRange{0x2b1b, 0x2b1c},   CharacterRange{0x2b50, 0x2b50},
    CharacterRange{0x2b55, 0x2b55},   CharacterRange{0x2e80, 0x303e},   CharacterRange{0x3041, 0xa4cf},
    CharacterRange{0xa960, 0xa97f},   CharacterRange{0xac00, 0xd7a3},   CharacterRange{0xf900, 0xfaff},
    CharacterRange{0xfe30, 0xfe6f},   CharacterRange{0xff01, 0xff60},   CharacterRange{0xffe0, 0xffe6},
    CharacterRange{0x1f300, 0x1f64f}, CharacterRange{0x1f680, 0x1f6ff}, CharacterRange{0x1f900, 0x1faff},
    CharacterRange{0x20000, 0x3fffd},
};
// No column: marks that are combined with the character before them, in the scripts that most names are written in, and
// characters that only say how others look.
constexpr std::array narrowest_ranges{
    CharacterRange{0x300, 0x36f},   CharacterRange{0x483, 0x489},    CharacterRange{0x591, 0x5bd},
    CharacterRange{0x5bf, 0x5bf},   CharacterRange{0x5c1, 0x5c2},    CharacterRange{0x5c4, 0x5c5},
    CharacterRange{0x610, 0x61a},   CharacterRange{0x64b, 0x65f},    CharacterRange{0x670, 0x670},
    CharacterRange{0x6d6, 0x6dc},   CharacterRange{0x6df, 0x6e4},    CharacterRange{0x6e7, 0x6e8},
    CharacterRange{0x6ea, 0x6ed},   CharacterRange{0x900, 0x902},    CharacterRange{0x93a, 0x93a},
    CharacterRange{0x93c, 0x93c},   CharacterRange{0x941, 0x948},    CharacterRange{0x94d, 0x94d},
    CharacterRange{0x951, 0x957},   CharacterRange{0x962, 0x963},    CharacterRange{0x981, 0x981},
    CharacterRange{0x9bc, 0x9bc},   CharacterRange{0x9c1, 0x9c4},    CharacterRange{0x9cd, 0x9cd},
    CharacterRange{0xb82, 0xb82},   CharacterRange{0xbc0, 0xbc0},    CharacterRange{0xbcd, 0xbcd},
    CharacterRange{0xe31, 0xe31},   CharacterRange{0xe34, 0xe3a},    CharacterRange{0xe47, 0xe4e},
    CharacterRange{0xeb1, 0xeb1},   CharacterRange{0xeb4, 0xebc},    CharacterRange{0xec8, 0xecd},
    CharacterRange{0x1ab0, 0x1ace}, CharacterRange{0x1dc0, 0x1dff},  CharacterRange{0x200b, 0x200f},
    CharacterRange{0x2060, 0x2060}, CharacterRange{0x20d0, 0x20f0},  CharacterRange{0x302a, 0x302d},
    CharacterRange{0x3099, 0x309a}, CharacterRange{0xfe00, 0xfe0f},  CharacterRange{0xfe20, 0xfe2f},
    CharacterRange{0xfeff, 0xfeff}, CharacterRange{0xe0100, 0xe01ef}};

bool is_in(std::span<const CharacterRange> ranges, char32_t code) {
    return std::ranges::any_of(ranges,
                               [&](const CharacterRange& range) { return code >= range.first && code <= range.last; });
}

size_t columns_of(std::string_view character) {
    const unsigned lead = byte_at(character, 0);
    if (character.size() == 1) return 1;
    char32_t code = lead & (0xffU >> (character.size() + 1));
    for (size_t i = 1; i < character.size(); i++) code = code << 6 | (byte_at(character, i) & 0x3fU);
    return is_in(narrowest_ranges, code) ? 0 : is_in(wide_ranges, code) ? 2 : 1;
}

std::string blanks_beside(std::string_view text, size_t columns) {
    const size_t used = columns_in(text);
    return std::string(columns > used ? columns - used : 0, ' ');
}

}  // namespace

size_t utf8_length(std::string_view text) {
    if (text.empty()) return 0;
    const unsigned lead = byte_at(text, 0);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (text.size() < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte_at(text, i) & 0xc0U) != 0x80U) return 0;
    // Overlong, a surrogate, or beyond U+10FFFF.
    const unsigned second = length > 2 ? byte_at(text, 1) : 0;
    const bool is_wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
                          (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90);
    return is_wrong ? 0 : length;
}

size_t columns_in(std::string_view text) {
    size_t columns = 0;
    while (!text.empty()) {
        const size_t length = std::max<size_t>(utf8_length(text), 1);
        columns += columns_of(text.substr(0, length));
        text.remove_prefix(length);
    }
    return columns;
}

std::string at_left(std::string_view text, size_t columns) {
    return std::string(text).append(blanks_beside(text, columns));
}

std::string at_right(std::string_view text, size_t columns) { return blanks_beside(text, columns).append(text); }

std::string shortened(std::string_view text, size_t most, std::string_view dots) {
    size_t count = 0, end = 0;
    for (size_t at = 0; at < text.size(); count++) {
        if (count + dots.size() <= most) end = at;
        at += std::max<size_t>(utf8_length(text.substr(at)), 1);
    }
    if (count <= most) return std::string(text);
    return most <= dots.size() ? "" : std::string(text.substr(0, end)).append(dots);
}

std::string utf8_text(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        const size_t length = utf8_length(bytes);
        if (length > 0)
            out += bytes.substr(0, length);
        else
            append_escaped(out, bytes.substr(0, 1));
        bytes.remove_prefix(std::max<size_t>(length, 1));
    }
    return out;
}

void append_visible(std::string& out, std::string_view bytes, Keep keep) {
    if (is_printable_ascii(bytes)) {
        out += bytes;
        return;
    }
    while (!bytes.empty()) {
        const size_t kept = kept_length(bytes, keep);
        const std::string_view character = bytes.substr(0, kept != 0 ? kept : std::max<size_t>(utf8_length(bytes), 1));
        bytes.remove_prefix(character.size());
        if (kept != 0 || !is_obeyed(character)) {
            out += character;
            continue;
        }
        append_escaped(out, character);
    }
}

std::string visible(std::string_view bytes, Keep keep) {
    std::string out;
    append_visible(out, bytes, keep);
    return out;
}

}  // namespace lt
