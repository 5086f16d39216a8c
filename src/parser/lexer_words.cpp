// The tokens that carry a value: words, probes and literals; and the bytes that begin no token at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "lexer.h"
#include "literal.h"
#include "probe_text.h"
#include "stdlib/builtins.h"
#include "type_text.h"

namespace lt {
namespace {

struct Keyword {
    std::string_view word;
    TokenKind token;
};

constexpr std::array code_keywords = {
    Keyword{"if", TokenKind::IF},         Keyword{"else", TokenKind::ELSE},
    Keyword{"return", TokenKind::RETURN}, Keyword{"for", TokenKind::FOR},
    Keyword{"while", TokenKind::WHILE},   Keyword{"unroll", TokenKind::UNROLL},
    Keyword{"break", TokenKind::BREAK},   Keyword{"continue", TokenKind::CONTINUE},
    Keyword{"let", TokenKind::LET},       Keyword{"struct", TokenKind::C_TYPE},
    Keyword{"union", TokenKind::C_TYPE},  Keyword{"enum", TokenKind::C_TYPE},
    Keyword{"true", TokenKind::TRUE},     Keyword{"false", TokenKind::FALSE},
    Keyword{"typeof", TokenKind::TYPEOF}, Keyword{"comptime", TokenKind::COMPTIME},
};

// Where a probe may stand.
constexpr std::array item_keywords = {
    Keyword{"param", TokenKind::PARAM},    Keyword{"config", TokenKind::CONFIG},   Keyword{"macro", TokenKind::MACRO},
    Keyword{"fn", TokenKind::FN},          Keyword{"import", TokenKind::IMPORT},   Keyword{"let", TokenKind::LET},
    Keyword{"struct", TokenKind::C_TEXT},  Keyword{"union", TokenKind::C_TEXT},    Keyword{"enum", TokenKind::C_TEXT},
    Keyword{"typedef", TokenKind::C_TEXT}, Keyword{"timeout", TokenKind::TIMEOUT}, Keyword{"span", TokenKind::SPAN},
};

constexpr std::array<std::string_view, 12> directives = {
    "include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif", "pragma", "error", "warning",
};

struct Lookalike {
    std::string_view bytes;
    std::string_view instead;
};

// What word processors and web pages make of ASCII.
constexpr std::array lookalikes = {
    Lookalike{"\u201c", "\""}, Lookalike{"\u201d", "\""}, Lookalike{"\u2018", "\""}, Lookalike{"\u2019", "\""},
    Lookalike{"\u2013", "-"},  Lookalike{"\u2014", "-"},  Lookalike{"\u00a0", " "},  Lookalike{"\u2026", "..."},
    Lookalike{"\u2192", "->"}, Lookalike{"\u2264", "<="}, Lookalike{"\u2265", ">="}, Lookalike{"\u2260", "!="},
};

template <size_t N>
std::optional<TokenKind> find_keyword(const std::array<Keyword, N>& table, std::string_view word) {
    const auto* found = std::find_if(table.begin(), table.end(), [&](const Keyword& k) { return k.word == word; });
    if (found == table.end()) return std::nullopt;
    return found->token;
}

// The length of the UTF-8 character at the front, 0 if there is none.
size_t utf8_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t length = lead >= 0xF5 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || text.size() < length) return 0;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    const std::string_view rest = text.substr(1, length - 1);
    return std::all_of(rest.begin(), rest.end(), continues) ? length : 0;
}

}  // namespace

Token Lexer::word() {
    const bool is_field = current_.kind == Parser::symbol_kind::S_DOT || current_.kind == Parser::symbol_kind::S_ARROW;
    if (is_field) return Parser::make_NAME(std::string(text()), here());
    if (current_.kind == Parser::symbol_kind::S_THRESHOLD && text() == "worst") return simple(TokenKind::WORST);
    if (text() == "import" && source_.text[past_blanks(offset(cursor_))] == '"') return simple(TokenKind::IMPORT);
    const auto keyword = find_keyword(code_keywords, text());
    if (keyword == TokenKind::C_TYPE) return Parser::make_C_TYPE(std::string(text()), here());
    const bool is_value = value_follows() || current_.kind == Parser::symbol_kind::S_PREDICATE_OPEN;
    const bool goes_on = current_.kind == Parser::symbol_kind::S_ELSE;
    if (keyword == TokenKind::IF && (is_value || goes_on) && !in_block()) choices_++;
    if (keyword == TokenKind::IF && is_value) return simple(TokenKind::IF_VALUE);
    if (keyword) return simple(*keyword);
    return Parser::make_NAME(std::string(text()), here());
}

// Can only a value stand behind the token before this one?
bool Lexer::value_follows() const {
    using K = Parser::symbol_kind;
    constexpr std::array before = {K::S_ASSIGN,   K::S_LPAREN, K::S_COMMA,      K::S_RETURN,         K::S_LBRACKET,
                                   K::S_QUESTION, K::S_COLON,  K::S_ASSIGN_ADD, K::S_ASSIGN_SUBTRACT};
    return std::ranges::find(before, current_.kind) != before.end();
}

// Does a `->` follow, behind this event or behind others after a comma? A predicate in between is not looked through.
bool Lexer::leads_to_arrow(uint32_t at) const {
    int depth = 0;
    for (bool is_behind = false; at < source_.text.size(); at++) {
        const uint32_t begin = past_blanks(at);
        is_behind |= begin != at;  // behind a blank or a key a `/` begins a predicate, in a path it does not
        at = begin;
        const char c = source_.text[at];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        if (depth == 0 && source_.at({at, at + 2}) == "->") return true;
        const bool ends = c == '\0' || std::string_view("{}<>;\"").find(c) != std::string_view::npos;
        if (depth == 0 && (ends || (c == '/' && is_behind))) return false;
        is_behind = c == ']';
    }
    return false;
}

// A name before `=` and a probe.
bool Lexer::is_label() const {
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (mode_ != Mode::probe || !std::all_of(text().begin(), text().end(), is_name)) return false;
    const uint32_t next = past_blanks(offset(cursor_));
    return source_.text[next] == '=' && source_.text[next + 1] != '=';
}

Token Lexer::probe() {
    const bool first = mode_ == Mode::probe && !in_item_;
    if (const auto keyword = find_keyword(item_keywords, text()); first && keyword) {
        if (*keyword == TokenKind::C_TEXT) return c_definition();
        mode_ = Mode::code;
        Token token = simple(*keyword);
        keyword_ = token.kind();
        return token;
    }
    if (is_label()) return Parser::make_LABEL(std::string(text()), here());
    if (text().ends_with('-') && *cursor_ == '>') cursor_--;
    const bool is_opening = leads_to_arrow(offset(cursor_));
    if (const auto key = key_begin(text(), in_closers_ || is_opening)) cut(static_cast<uint32_t>(*key));
    mode_ = Mode::head;
    return Parser::make_PROBE(split_probe(text(), here().begin), here());
}

Token Lexer::hash() {
    const Span mark = here();
    const uint32_t begin = mark.begin + 1;
    const auto word =
        static_cast<uint32_t>(std::min(source_.text.find_first_not_of(" \t", begin), source_.text.size()));
    const auto is_directive = [&](std::string_view d) { return source_.at({word, word + 7}).starts_with(d); };
    if (mode_ == Mode::probe && !in_item_ && std::any_of(directives.begin(), directives.end(), is_directive))
        return c_line();
    skip_line();
    item_over_ = !in_item_;
    return bad({mark.begin, begin}, "'#' does not begin a comment", "write '//' before a comment");
}

Token Lexer::paren() {
    cut(1);
    return open(Bracket::paren, TokenKind::LPAREN);
}

Token Lexer::cast() {
    const Span inside = {here().begin + 1, here().end - 1};
    return Parser::make_CAST(split_type(source_.at(inside), inside.begin), here());
}

// What can begin an operand and cannot go on behind one.
bool Lexer::operand_follows() const {
    const auto next = static_cast<unsigned char>(source_.text[past_blanks(offset(cursor_))]);
    return std::isalnum(next) != 0 || std::string_view("_$@\"(!~").find(static_cast<char>(next)) != std::string::npos;
}

// `(name)` is a value in parentheses or a cast. After a name it is what a function gets, after a keyword a condition.
Token Lexer::maybe_cast() {
    const std::string_view inside = trim(text().substr(1, text().size() - 2));
    using K = Parser::symbol_kind;
    const bool called = current_.kind == K::S_NAME || current_.kind == K::S_IF || current_.kind == K::S_IF_VALUE ||
                        current_.kind == K::S_WHILE;
    const bool is_word = inside.find_first_of(" \t\r\n[") == std::string_view::npos;
    if (is_surely_type(inside)) return cast();
    return is_word && !called && operand_follows() && !is_value_name(inside) ? cast() : paren();
}

// Of offsetof(struct x, a.b) all from the parenthesis on.
Token Lexer::maybe_offset() {
    if (source_.at(current_.span) != function_row(Function::offset_of).name) return paren();
    const Span inside = {here().begin + 1, here().end - 1};
    const std::string_view all = source_.at(inside);
    const size_t comma = all.find(',');
    if (is_value_name(trim(all.substr(0, comma)))) return paren();  // of a value: offsetof(curtask, pid)
    ast::OffsetOf node = {split_type(all.substr(0, comma), inside.begin), {}};
    for (std::string_view name : split(all.substr(comma + 1), '.')) node.path.emplace_back(trim(name));
    return Parser::make_OFFSET(std::move(node), here());
}

Token Lexer::positional() {
    constexpr uint64_t most = 9999;
    const std::string_view digits = text().substr(1);
    const std::optional<uint64_t> number = digits == "#" ? 0 : integer_value(digits, 10);
    if (!number || *number > most || digits == "0")
        return bad(here(), fmt::format("there is no {}", text()), "the first is $1");
    return Parser::make_POSITIONAL(static_cast<uint32_t>(*number), here());
}

Token Lexer::integer(int base) {
    std::string_view digits = base == 16 || base == 2 ? text().substr(2) : text();
    digits = digits.substr(0, digits.find_last_not_of("uUlL") + 1);  // C's suffixes: all integers have 64 bits
    const std::optional<uint64_t> value = integer_value(digits, base);
    if (!value)
        complain(here(), fmt::format("{} does not fit 64 bits", text())).hint =
            "the largest number is 18446744073709551615";
    return Parser::make_INTEGER(value.value_or(0), here());
}

Token Lexer::scientific() {
    const std::optional<uint64_t> value = scientific_value(text());
    if (!value)
        complain(here(), fmt::format("{} does not fit 64 bits", text())).hint =
            "the largest number is 18446744073709551615";
    return Parser::make_INTEGER(value.value_or(0), here());
}

Token Lexer::duration() {
    const std::optional<int64_t> value = duration_value(text());
    if (!value) bad_number();
    return Parser::make_DURATION(value.value_or(0), here());
}

// "0.1" after a dot is a part of a part of a tuple.
Token Lexer::bad_number() {
    const size_t dot = text().find('.');
    if (current_.kind == Parser::symbol_kind::S_DOT && dot != std::string_view::npos) {
        cut(static_cast<uint32_t>(dot));
        return integer(10);
    }
    NumberMistake mistake = explain_number(text());
    complain(here(), std::move(mistake.message)).hint = std::move(mistake.hint);
    return Parser::make_INTEGER(0, here());
}

Token Lexer::string(char quote) {
    const std::string_view body = text().substr(1, text().size() - 2);
    if (quote == '\'') {
        complain(here(), "a string stands in double quotes").hint = fmt::format("write \"{}\"", body);
    }
    Unescaped content = unescape(body);
    for (const Unescaped::Bad& bad : content.bad) {
        const uint32_t begin = here().begin + 1 + bad.offset;
        const Span span = {begin, begin + bad.size};
        complain(span, fmt::format("'{}' is not an escape", source_.at(span))).hint =
            "the escapes are \\n \\t \\r \\\\ \\\" \\0 to \\377 and \\x0 to \\xff; write \\\\ for a backslash";
    }
    return Parser::make_STRING(std::move(content.value), here());
}

// What follows an opening quote that is never closed is no program: up to the end of the line it is passed over.
Token Lexer::open_string() {
    const Span quote = here();
    skip_line();
    return bad(quote, "this string is never closed", "write '\"' where the string ends");
}

Token Lexer::open_comment() {
    const Span opening = here();
    cursor_ = text_end();
    return bad(opening, "this comment is never closed", "write '*/' where the comment ends");
}

Token Lexer::stray_byte() {
    const auto byte = static_cast<unsigned char>(text()[0]);
    const size_t length = byte < 0x80 ? 0 : utf8_length(std::string_view(source_.text).substr(here().begin));
    if (length > 0) cut(static_cast<uint32_t>(length));
    for (const Lookalike& l : lookalikes) {
        if (l.bytes == text())
            return bad(here(), fmt::format("unexpected '{}'", l.bytes), fmt::format("write '{}'", l.instead));
    }
    if (length > 0) return bad(here(), fmt::format("'{}' can stand only in strings and comments", text()));
    if (byte < 0x20 || byte >= 0x7f) return bad(here(), fmt::format("unexpected byte 0x{:02x}", byte), "remove it");
    return bad(here(), fmt::format("unexpected '{}'", text()));
}

}  // namespace lt
