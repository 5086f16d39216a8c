// C in a program: a preprocessor line or a type definition is one token and one item. A C compiler interprets it later;
// the lexer only finds its end.

#include "base/text.h"
#include "parser/lt/scan.h"

namespace lt {
namespace {

// Skips a comment or literal that begins here; returns `at` if there is none.
size_t past_opaque(std::string_view text, size_t at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*")) return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    if (rest[0] != '"' && rest[0] != '\'') return at;
    size_t end = at + 1;
    while (end < text.size() && text[end] != rest[0] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

// After the `}` of a definition: __attribute__((packed)).
size_t past_attributes(std::string_view text, size_t at) {
    for (;;) {
        const size_t word = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
        if (!text.substr(word).starts_with("__attribute__")) return at;
        size_t end = std::min(text.find('(', word), text.size());
        for (int depth = 0; end < text.size(); end++) {
            depth += (text[end] == '(') - (text[end] == ')');
            if (depth == 0) break;
        }
        at = std::min(end + 1, text.size());
    }
}

// After the `}` of a definition: is the next word a probe, and not an attribute or the name of a variable or type?
bool probe_follows(std::string_view text, size_t at) {
    const auto in_word = [&](size_t i) { return i < text.size() && is_word_character(text[i]); };
    if (!in_word(at)) return false;
    while (in_word(at)) at++;
    const size_t next = text.find_first_not_of(" \t\r\n", at);
    return next != text.npos && std::string_view(";,[=(").find(text[next]) == std::string_view::npos;
}

}  // namespace

// Includes the end of the line, and continuation lines after a backslash.
Token c_line_token(Lexing& s) {
    skip_line(s);
    if (*s.cursor == '\n') s.cursor++;
    s.item_over = true;
    return Parser::make_C_TEXT(std::string(s.token_text()), s.here());
}

namespace {

// The position after the `;` of a definition, or before what looks like the next item; the `;` may be missing after the
// last `}` of a line. Sets `open` to a bracket that is never closed.
uint32_t definition_end(const Lexing& s, uint32_t at, std::optional<Span>& open) {
    const std::string_view text = s.source.text;
    std::vector<uint32_t> braces;
    bool has_body = false;
    for (size_t i = at; i < text.size(); i++) {
        if (const size_t past = past_opaque(text, i); past != i) {
            i = past - 1;
            continue;
        }
        if (text[i] == '\n' && braces.empty() && item_begins(s, static_cast<uint32_t>(i + 1))) {
            if (!has_body) open = Span{at, at + 1};
            return static_cast<uint32_t>(i + 1);
        }
        if (text[i] == ';' && braces.empty()) return static_cast<uint32_t>(i + 1);
        if (text[i] == '{') braces.push_back(static_cast<uint32_t>(i));
        if (text[i] != '}' || braces.empty()) continue;
        braces.pop_back();
        has_body = true;
        const size_t end = past_attributes(text, i + 1);
        const size_t next = text.find_first_not_of(" \t", end);
        const bool ends_line =
            next == std::string_view::npos || text[next] == '\n' || text[next] == '/' || probe_follows(text, next);
        const uint32_t after = past_blanks(s, static_cast<uint32_t>(end));
        if (braces.empty() && ends_line && text.substr(after, 1) != ";") return static_cast<uint32_t>(end);
    }
    open = braces.empty() ? Span{at, at + 1} : Span{braces.back(), braces.back() + 1};
    if (has_body && braces.empty()) open.reset();
    return static_cast<uint32_t>(text.size());
}

}  // namespace

Token c_definition_token(Lexing& s) {
    const Span word = s.here();
    std::optional<Span> open;
    const uint32_t end = definition_end(s, word.begin, open);
    s.cursor = s.text + end;
    s.item_over = true;
    if (!open) return Parser::make_C_TEXT(std::string(s.token_text()), s.here());
    uint32_t next = open->end;  // the first line after the bracket that begins like an item
    while (next < end && !item_begins(s, next)) next++;
    s.cursor = s.text + next;
    if (s.source.text[open->begin] == '{')
        return bad_token(s, *open, "this `{` is never closed", "write `};` after the last member");
    return bad_token(s, word, "this definition does not end", "write `;` after it");
}

}  // namespace lt
