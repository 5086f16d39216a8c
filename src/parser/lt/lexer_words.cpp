// The tokens that have a value: words, probes and literals; and the bytes that cannot begin a token.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/literal.h"
#include "base/text.h"
#include "base/visible.h"
#include "parser/lt/keywords.h"
#include "parser/lt/scan.h"
#include "parser/tree/probe_text.h"
#include "parser/tree/type_text.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

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

// Positions where a probe may occur.
constexpr std::array item_keywords = {
    Keyword{"param", TokenKind::PARAM},    Keyword{"config", TokenKind::CONFIG},   Keyword{"macro", TokenKind::MACRO},
    Keyword{"fn", TokenKind::FN},          Keyword{"import", TokenKind::IMPORT},   Keyword{"let", TokenKind::LET},
    Keyword{"struct", TokenKind::C_TEXT},  Keyword{"union", TokenKind::C_TEXT},    Keyword{"enum", TokenKind::C_TEXT},
    Keyword{"typedef", TokenKind::C_TEXT}, Keyword{"timeout", TokenKind::TIMEOUT}, Keyword{"span", TokenKind::SPAN},
    Keyword{"chain", TokenKind::CHAIN},    Keyword{"else", TokenKind::ELSE},
};

// Between the events of a chain.
constexpr std::array chain_keywords = {
    Keyword{"last", TokenKind::LAST},
    Keyword{"in", TokenKind::IN},
    Keyword{"unless", TokenKind::UNLESS},
};

constexpr std::array<std::string_view, 12> directives = {
    "include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif", "pragma", "error", "warning",
};

struct Lookalike {
    std::string_view bytes;
    std::string_view instead;
};

// Characters that word processors and web pages substitute for ASCII.
constexpr std::array lookalikes = {
    Lookalike{"\u201c", "\""}, Lookalike{"\u201d", "\""}, Lookalike{"\u2018", "\""}, Lookalike{"\u2019", "\""},
    Lookalike{"\u2013", "-"},  Lookalike{"\u2014", "-"},  Lookalike{"\u00a0", " "},  Lookalike{"\u2026", "..."},
    Lookalike{"\u2192", "->"}, Lookalike{"\u2264", "<="}, Lookalike{"\u2265", ">="}, Lookalike{"\u2260", "!="},
};

template <size_t N>
std::optional<TokenKind> find_keyword(const std::array<Keyword, N>& table, std::string_view word) {
    const auto* found = std::ranges::find_if(table, [&](const Keyword& k) { return k.word == word; });
    if (found == table.end()) return std::nullopt;
    return found->token;
}

Token integer_of(Lexing& s, std::optional<uint64_t> value) {
    if (!value)
        complain(s, s.here(), fmt::format("`{}` does not fit into 64 bits", s.token_text())).hint =
            "the largest number is 18446744073709551615";
    return Parser::make_INTEGER(value.value_or(0), s.here());
}

}  // namespace

std::vector<std::string_view> keywords() {
    std::vector<std::string_view> words{"worst"};
    for (const Keyword& each : code_keywords) words.push_back(each.word);
    for (const Keyword& each : item_keywords) words.push_back(each.word);
    for (const Keyword& each : chain_keywords) words.push_back(each.word);
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

Token word_token(Lexing& s) {
    const bool is_field =
        s.current.kind == Parser::symbol_kind::S_DOT || s.current.kind == Parser::symbol_kind::S_ARROW;
    if (is_field) return Parser::make_NAME(std::string(s.token_text()), s.here());
    if (s.current.kind == Parser::symbol_kind::S_THRESHOLD && s.token_text() == "worst")
        return s.simple(TokenKind::WORST);
    if (s.token_text() == "import" && s.source.text[past_blanks(s, s.offset(s.cursor))] == '"')
        return s.simple(TokenKind::IMPORT);
    const auto keyword = find_keyword(code_keywords, s.token_text());
    if (keyword == TokenKind::C_TYPE) return Parser::make_C_TYPE(std::string(s.token_text()), s.here());
    const bool is_value = value_follows(s) || s.current.kind == Parser::symbol_kind::S_PREDICATE_OPEN;
    const bool goes_on = s.current.kind == Parser::symbol_kind::S_ELSE;
    if (keyword == TokenKind::IF && (is_value || goes_on) && !in_block(s)) s.choices++;
    if (keyword == TokenKind::IF && is_value) return s.simple(TokenKind::IF_VALUE);
    if (keyword) return s.simple(*keyword);
    return Parser::make_NAME(std::string(s.token_text()), s.here());
}

// Can only a value follow the token before this one?
bool value_follows(const Lexing& s) {
    using K = Parser::symbol_kind;
    constexpr std::array before = {K::S_ASSIGN,   K::S_LPAREN, K::S_COMMA,      K::S_RETURN,         K::S_LBRACKET,
                                   K::S_QUESTION, K::S_COLON,  K::S_ASSIGN_ADD, K::S_ASSIGN_SUBTRACT};
    return std::ranges::find(before, s.current.kind) != before.end();
}

namespace {

// Does a `->` follow, after this event or after others separated by commas? A predicate in between stops the search.
// `flat` is moved to the last place that is in no bracket.
bool leads_to_arrow(const Lexing& s, uint32_t at, uint32_t& flat) {
    int depth = 0;
    for (bool after_separator = false; at < s.source.text.size(); at++) {
        const uint32_t begin = past_blanks(s, at);
        after_separator |= begin != at;  // after a space or a key, a `/` begins a predicate; in a path it does not
        at = begin;
        const char c = s.source.text[at];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        if (depth == 0) flat = at;
        if (depth == 0 && s.source.at({at, at + 2}) == "->") return true;
        const bool ends = c == '\0' || std::string_view("{}<>;\"").find(c) != std::string_view::npos;
        if (depth == 0 && (ends || (c == '/' && after_separator))) return false;
        after_separator = c == ']';
    }
    return false;
}

// The same from the cursor. All probes of a list find the same arrow, so only the first of them searches.
bool is_before_arrow(Lexing& s) {
    const uint32_t at = s.offset(s.cursor);
    Lexing::ArrowSearch& last = s.arrow_search;
    if (at < last.begin || at >= last.end) {
        last.begin = last.end = at;
        last.found = leads_to_arrow(s, at, last.end);
    }
    return last.found;
}

// A name before `=` and a probe.
bool is_label(const Lexing& s) {
    if (s.mode != Mode::probe || !std::ranges::all_of(s.token_text(), is_word_character)) return false;
    const uint32_t next = past_blanks(s, s.offset(s.cursor));
    return s.source.text[next] == '=' && s.source.text[next + 1] != '=';
}

// Kinds of probe with no path in them: a `/` begins the predicate.
constexpr std::array without_paths = {Place::period,          Place::clock,       Place::event,  Place::raw_event,
                                      Place::kernel_function, Place::system_call, Place::signal, Place::socket_event};

// Where the predicate begins that follows without a blank. A file with lines of source is a path, too.
std::optional<size_t> predicate_begin(std::string_view probe) {
    const size_t at = probe.find_first_of("/@\"[");
    if (at == probe.npos || probe[at] != '/') return {};
    const ProbeRow* row = find_probe(probe.substr(0, probe.find(':')));
    const bool is_predicate = row && std::ranges::find(without_paths, row->place) != without_paths.end();
    return is_predicate ? std::optional(at) : std::nullopt;
}

}  // namespace

Token probe_token(Lexing& s) {
    const bool first = s.mode == Mode::probe && !s.in_item;
    if (const auto keyword = find_keyword(item_keywords, s.token_text()); first && keyword) {
        if (*keyword == TokenKind::C_TEXT) return c_definition_token(s);
        s.mode = Mode::code;
        Token token = s.simple(*keyword);
        s.keyword = token.kind();
        return token;
    }
    if (s.token_text().ends_with('-') && *s.cursor == '>') s.cursor--;
    const bool in_chain = s.keyword == Parser::symbol_kind::S_CHAIN;
    if (const auto keyword = find_keyword(chain_keywords, s.token_text()); in_chain && keyword) {
        s.mode = Mode::probe;
        return s.simple(*keyword);
    }
    if (is_label(s)) return Parser::make_LABEL(std::string(s.token_text()), s.here());
    if (const auto predicate = predicate_begin(s.token_text())) s.cut(static_cast<uint32_t>(*predicate));
    const bool is_opening = is_before_arrow(s);
    if (const auto key = key_begin(s.token_text(), s.in_closers || is_opening || in_chain))
        s.cut(static_cast<uint32_t>(*key));
    s.mode = Mode::head;
    return Parser::make_PROBE(split_probe(s.token_text(), s.here().begin), s.here());
}

Token hash_token(Lexing& s) {
    const Span mark = s.here();
    const uint32_t begin = mark.begin + 1;
    const auto word =
        static_cast<uint32_t>(std::min(s.source.text.find_first_not_of(" \t", begin), s.source.text.size()));
    const auto is_directive = [&](std::string_view d) { return s.source.at({word, word + 7}).starts_with(d); };
    if (s.mode == Mode::probe && !s.in_item && std::ranges::any_of(directives, is_directive)) return c_line_token(s);
    skip_line(s);
    s.item_over = !s.in_item;
    return bad_token(s, {mark.begin, begin}, "`#` does not begin a comment", "write `//` before a comment");
}

namespace {

Token paren_token(Lexing& s) {
    s.cut(1);
    return open_bracket(s, Bracket::paren, TokenKind::LPAREN);
}

}  // namespace

Token cast_token(Lexing& s) {
    const Span inside = {s.here().begin + 1, s.here().end - 1};
    return Parser::make_CAST(split_type(s.source.at(inside), inside.begin), s.here());
}

namespace {

// The next character can begin an operand but cannot continue an expression.
bool operand_follows(const Lexing& s) {
    const auto next = static_cast<unsigned char>(s.source.text[past_blanks(s, s.offset(s.cursor))]);
    return std::isalnum(next) != 0 || std::string_view("_$@\"(!~").find(static_cast<char>(next)) != std::string::npos;
}

}  // namespace

// `(name)` is a value in parentheses or a cast. After a name it is an argument list, after a keyword a condition.
Token maybe_cast_token(Lexing& s) {
    const std::string_view inside = trim(s.token_text().substr(1, s.token_text().size() - 2));
    using K = Parser::symbol_kind;
    const bool called = s.current.kind == K::S_NAME || s.current.kind == K::S_IF || s.current.kind == K::S_IF_VALUE ||
                        s.current.kind == K::S_WHILE;
    const bool is_word = inside.find_first_of(" \t\r\n[") == std::string_view::npos;
    if (is_surely_type(inside)) return cast_token(s);
    return is_word && !called && operand_follows(s) && !is_value_name(inside) ? cast_token(s) : paren_token(s);
}

// For offsetof(struct x, a.b), the token is everything from the parenthesis on.
Token maybe_offset_token(Lexing& s) {
    if (s.source.at(s.current.span) != function_row(Function::offset_of).name) return paren_token(s);
    const Span inside = {s.here().begin + 1, s.here().end - 1};
    const std::string_view all = s.source.at(inside);
    const size_t comma = all.find(',');
    if (is_value_name(trim(all.substr(0, comma)))) return paren_token(s);  // a value: offsetof(curtask, pid)
    ast::OffsetOf node = {split_type(all.substr(0, comma), inside.begin), {}};
    for (std::string_view name : split(all.substr(comma + 1), '.')) node.path.emplace_back(trim(name));
    return Parser::make_OFFSET(std::move(node), s.here());
}

Token positional_token(Lexing& s) {
    constexpr uint64_t most = 9999;
    const std::string_view digits = s.token_text().substr(1);
    const std::optional<uint64_t> number = digits == "#" ? 0 : integer_value(digits, 10);
    if (!number || *number > most || digits == "0")
        return bad_token(s, s.here(), fmt::format("`{}` does not exist", s.token_text()), "the first is `$1`");
    return Parser::make_POSITIONAL(static_cast<uint32_t>(*number), s.here());
}

Token integer_token(Lexing& s, int base) {
    std::string_view digits = base == 16 || base == 2 ? s.token_text().substr(2) : s.token_text();
    digits = digits.substr(0, digits.find_last_not_of("uUlL") + 1);  // C's suffixes: all integers have 64 bits
    return integer_of(s, integer_value(digits, base));
}

Token scientific_token(Lexing& s) { return integer_of(s, scientific_value(s.token_text())); }

Token duration_token(Lexing& s) {
    const std::optional<int64_t> value = duration_value(s.token_text());
    if (!value) bad_number_token(s);
    return Parser::make_DURATION(value.value_or(0), s.here());
}

// "0.1" after a dot is a part of a part of a tuple.
Token bad_number_token(Lexing& s) {
    const size_t dot = s.token_text().find('.');
    const bool is_part = dot != std::string_view::npos && s.token_text().find_first_not_of("0123456789_") == dot;
    if (s.current.kind == Parser::symbol_kind::S_DOT && is_part) {
        s.cut(static_cast<uint32_t>(dot));
        return integer_token(s, 10);
    }
    NumberMistake mistake = explain_number(s.token_text());
    complain(s, s.here(), std::move(mistake.message)).hint = std::move(mistake.hint);
    return Parser::make_INTEGER(0, s.here());
}

Token string_token(Lexing& s, char quote) {
    const std::string_view body = s.token_text().substr(1, s.token_text().size() - 2);
    if (quote == '\'') {
        complain(s, s.here(), "a string needs double quotes").hint = fmt::format("write `\"{}\"`", body);
    }
    Unescaped content = unescape(body);
    for (const Unescaped::Bad& bad : content.bad) {
        const uint32_t begin = s.here().begin + 1 + bad.offset;
        const Span span = {begin, begin + bad.size};
        complain(s, span, fmt::format("`{}` is not an escape", s.source.at(span))).hint =
            "use `\\n \\t \\r \\\\ \\\"`, `\\0` to `\\377` or `\\x0` to `\\xff`; write `\\\\` for a backslash";
    }
    return Parser::make_STRING(std::move(content.value), s.here());
}

// The text after an opening quote that is never closed is skipped up to the end of the line.
Token open_string_token(Lexing& s) {
    const Span quote = s.here();
    skip_line(s);
    return bad_token(s, quote, "this string is never closed", "write `\"` where the string ends");
}

Token open_comment_token(Lexing& s) {
    const Span opening = s.here();
    s.cursor = s.text_end();
    return bad_token(s, opening, "this comment is never closed", "write `*/` where the comment ends");
}

Token stray_byte_token(Lexing& s) {
    const auto byte = static_cast<unsigned char>(s.token_text()[0]);
    const size_t length = byte < 0x80 ? 0 : lt::utf8_length(std::string_view(s.source.text).substr(s.here().begin));
    if (length > 0) s.cut(static_cast<uint32_t>(length));
    for (const Lookalike& l : lookalikes) {
        if (l.bytes == s.token_text())
            return bad_token(s, s.here(), fmt::format("unexpected `{}`", l.bytes),
                             fmt::format("write `{}`", l.instead));
    }
    if (length > 0)
        return bad_token(s, s.here(), fmt::format("`{}` is only allowed in strings and comments", s.token_text()));
    if (byte < 0x20 || byte >= 0x7f)
        return bad_token(s, s.here(), fmt::format("unexpected byte 0x{:02x}", byte), "remove it");
    return bad_token(s, s.here(), fmt::format("unexpected `{}`", s.token_text()));
}

}  // namespace lt
