#include "declarations/c_scan.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace lt {

namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The end of the comment, string or character literal that begins at `at`; `at` itself if none does.
size_t after_quoted(std::string_view text, size_t at) {
    const std::string_view rest = text.substr(at);
    const auto from = [&](size_t found, size_t more) { return found == text.npos ? text.size() : found + more; };
    if (rest.starts_with("/*")) return from(text.find("*/", at + 2), 2);
    if (rest.starts_with("//")) return from(text.find('\n', at), 0);
    if (rest.front() != '"' && rest.front() != '\'') return at;
    size_t end = at + 1;
    while (end < text.size() && text[end] != rest.front() && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

}  // namespace

std::vector<CWord> c_words(std::string_view text) {
    std::vector<CWord> out;
    bool after_dot = false;
    for (size_t at = 0; at < text.size();) {
        if (const size_t after = after_quoted(text, at); after != at) {
            at = after;
        } else if (!is_word_character(text[at])) {
            const bool arrow = text[at] == '>' && at > 0 && text[at - 1] == '-';
            if (!is_blank(text[at])) after_dot = text[at] == '.' || arrow;
            at++;
        } else {
            size_t end = at;
            while (end < text.size() && is_word_character(text[end])) end++;
            size_t next = end;
            while (next < text.size() && is_blank(text[next])) next++;
            const bool is_number = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
            const bool called = next < text.size() && text[next] == '(';
            if (!is_number) out.push_back({text.substr(at, end - at), static_cast<uint32_t>(at), after_dot, called});
            after_dot = false;
            at = end;
        }
    }
    return out;
}

}  // namespace lt
