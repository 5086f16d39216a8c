#include "base/visible.h"

#include <fmt/format.h>

#include <algorithm>

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
