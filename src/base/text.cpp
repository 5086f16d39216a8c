#include "base/text.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace lt {
namespace {

// Levenshtein distance, one row at a time.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); j++) {
            const size_t substitute = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

template <class Part>
std::string joined(std::span<const Part> parts, std::string_view separator) {
    std::string out;
    for (size_t i = 0; i < parts.size(); i++) {
        if (i > 0) out += separator;
        out += parts[i];
    }
    return out;
}

std::vector<std::string> in_backticks(std::span<const std::string> words, std::string_view prefix) {
    std::vector<std::string> out;
    for (const std::string& word : words) out.push_back("`" + std::string(prefix) + word + "`");
    return out;
}

// For a pattern whose only special character is the star.
bool star_match(std::string_view pattern, std::string_view text) {
    const size_t first = pattern.find('*');
    if (first == pattern.npos) return pattern == text;
    if (!text.starts_with(pattern.substr(0, first))) return false;
    text.remove_prefix(first);
    pattern.remove_prefix(first + 1);
    for (size_t star; (star = pattern.find('*')) != pattern.npos; pattern.remove_prefix(star + 1)) {
        const size_t at = text.find(pattern.substr(0, star));
        if (at == text.npos) return false;
        text.remove_prefix(at + star);
    }
    return text.ends_with(pattern);
}

}  // namespace

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// Lists have a hundred thousand names, and nearly all patterns have only stars.
bool glob_match(std::string_view pattern, std::string_view text) {
    if (pattern.find_first_of("?[\\") == pattern.npos) return star_match(pattern, text);
    return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

std::vector<std::string> closest(std::string_view name, std::span<const std::string_view> candidates, size_t most) {
    const size_t limit = std::max<size_t>(1, (name.size() + 2) / 3);
    std::vector<std::pair<size_t, std::string_view>> near;
    for (std::string_view c : candidates) {
        const size_t apart = c.size() > name.size() ? c.size() - name.size() : name.size() - c.size();
        if (apart > limit) continue;
        const size_t d = distance(name, c);
        if (d <= limit) near.emplace_back(d, c);
    }
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<std::string> out;
    for (size_t i = 0; i < near.size() && i < most; i++) out.emplace_back(near[i].second);
    return out;
}

std::string either(std::span<const std::string> words) {
    std::string out;
    for (size_t i = 0; i < words.size(); i++) {
        if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) { return joined(parts, separator); }

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
    return joined(parts, separator);
}

std::string use_one(std::span<const std::string> words) {
    return words.empty() ? "" : "use " + either(in_backticks(words, {}));
}

std::string did_you_mean(std::span<const std::string> words, std::string_view prefix) {
    return words.empty() ? "" : "did you mean " + either(in_backticks(words, prefix)) + "?";
}

std::string plural(uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (size_t at; (at = text.find(separator)) != std::string_view::npos; text.remove_prefix(at + 1)) {
        out.push_back(text.substr(0, at));
    }
    out.push_back(text);
    return out;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
                } else {
                    out += c;
                }
        }
    }
    return out + '"';
}

}  // namespace lt
