// The lexer's state beyond the text of a token: the open brackets, the meaning of `<`, `>`, `/` and `,` that follows
// from them, and how to skip the rest of an item after an error.
#include "parser/lt/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/rows.h"

namespace lt {
namespace {

using K = Parser::symbol_kind;

constexpr size_t most_brackets = 256;
constexpr size_t most_symbols =
    4096;  // on the parser's stack: a bracket and the tokens before it in its expression take a few entries

constexpr std::array bracket_rows = {
    BracketRow{Bracket::paren, "(", ")", "write `)` after the last argument or operand"},
    BracketRow{Bracket::square, "[", "]", "write `]` after the last key"},
    BracketRow{Bracket::brace, "{", "}", "write `}` after the last statement"},
    BracketRow{Bracket::angle, "<", ">", "write `>` after the last statement"},
    BracketRow{Bracket::predicate, "/", "/", "write `/` after the condition, before the block"},
};

// Items that do not end with a block: the tokens that end them, and the tokens that may still follow.
struct Ending {
    SymbolKind keyword;
    std::span<const SymbolKind> last;
    std::span<const SymbolKind> tail;
};
constexpr std::array literal_kinds = {K::S_INTEGER, K::S_DURATION, K::S_STRING, K::S_TRUE, K::S_FALSE};
constexpr std::array paren_kinds = {K::S_RPAREN};
constexpr std::array string_kinds = {K::S_STRING};
constexpr std::array help_kinds = {K::S_STRING, K::S_SEMICOLON};
constexpr std::array semicolon_kinds = {K::S_SEMICOLON};
constexpr std::array endings = {
    Ending{K::S_PARAM, literal_kinds, help_kinds},
    Ending{K::S_LET, paren_kinds, semicolon_kinds},
    Ending{K::S_IMPORT, string_kinds, semicolon_kinds},
};

const Ending* ending_of(SymbolKind keyword) { return find_row(endings, keyword, &Ending::keyword); }

bool is_block(const Open& open) { return open.bracket == Bracket::brace || open.bracket == Bracket::angle; }

std::optional<Open> top_bracket(const Lexing& s);
Token fetch_token(Lexing& s, size_t height);
bool has_enough(const Lexing& s);
Token advance_token(Lexing& s);
Token resume_token(Lexing& s);
void skip_rest(Lexing& s, Extent extent);
bool at_next_item(const Lexing& s);
void bracket_closed(Lexing& s, Open was);
Token close_wrongly(Lexing& s, Bracket bracket);
bool predicate_ends(const Lexing& s);

}  // namespace

const BracketRow& bracket_row(Bracket bracket) { return bracket_rows[static_cast<size_t>(bracket)]; }

Lexing::Lexing(const Source& source_in, Diags& diags_in)
    : source(source_in),
      diags(diags_in),
      text(reinterpret_cast<const unsigned char*>(source.text.c_str())),
      token(text),
      cursor(text) {}

Token next_token(Lexing& s, size_t height) {
    s.before = {s.current.kind, s.current.span, s.mode, top_bracket(s), s.keyword};
    Token token = fetch_token(s, height);
    s.current.kind = token.kind();
    s.current.span = token.location;
    return token;
}

namespace {

Token fetch_token(Lexing& s, size_t height) {
    if (s.skip) return resume_token(s);
    if (has_enough(s)) return s.simple(TokenKind::BAD);
    if (height <= most_symbols) return advance_token(s);
    advance_token(s);
    return bad_token(s, s.here(), "this is nested too deeply", "split it into several statements");
}

bool has_enough(const Lexing& s) { return s.diags.all().size() >= most_diags && s.cursor < s.text_end(); }

// Returns one token, and sets whether an item is open after it. A parameter ends with its value and not with a block,
// although a help text and a `;` may follow.
Token advance_token(Lexing& s) {
    s.item_over = false;
    const bool begins = !s.in_item;
    const SymbolKind keyword = s.keyword;
    if (begins) {
        s.keyword = K::S_YYEMPTY;
        s.in_closers = false;
    }
    Token token = scan_token(s);
    const Ending* before = begins ? ending_of(keyword) : nullptr;
    const bool is_tail = before != nullptr && contains(before->tail, token.kind());
    if (is_tail) s.keyword = keyword;
    if (begins && !is_tail) s.item_begin = token.location.begin;
    const Ending* ending = s.brackets.empty() ? ending_of(s.keyword) : nullptr;
    if (ending != nullptr && (is_tail || contains(ending->last, token.kind()))) {
        s.mode = Mode::probe;
        s.item_over = true;
    }
    s.in_item = !s.item_over && token.kind() != K::S_YYEOF;
    return token;
}

}  // namespace

void skip_item(Lexing& s, Extent extent) {
    s.skip = extent;
    s.back_to.reset();
    // The error may be detected only at the second token of the next item, because the first one could be a name.
    for (const uint32_t begin : {s.before.span.begin, s.current.span.begin}) {
        if (!s.back_to && begin > s.item_begin && item_begins(s, begin)) s.back_to = begin;
    }
}

namespace {

Token resume_token(Lexing& s) {
    s.quiet = true;
    if (has_enough(s))
        s.cursor = s.text_end();
    else
        skip_rest(s, *s.skip);
    s.quiet = false;
    s.skip.reset();
    s.brackets.clear();
    s.mode = Mode::probe;
    s.keyword = K::S_YYEMPTY;
    s.in_item = false;
    s.token = s.cursor;
    return s.simple(TokenKind::RESUME);
}

void skip_rest(Lexing& s, Extent extent) {
    if (s.back_to) {
        s.cursor = s.text + *s.back_to;
        return;
    }
    if (extent == Extent::line) return skip_line(s);
    // After `(1;` nothing will close the parenthesis.
    while (s.current.kind == K::S_SEMICOLON && !s.brackets.empty() && !is_block(s.brackets.back())) {
        s.brackets.pop_back();
    }
    const bool trusted = extent != Extent::to_next_item;
    while ((trusted ? s.in_item : s.cursor < s.text_end()) && !at_next_item(s)) advance_token(s);
    const uint32_t next = past_blanks(s, s.offset(s.cursor));
    if (s.source.text[next] == ';') s.cursor = s.text + next + 1;
}

}  // namespace

// Skips to the end of the line, or of the last of several lines joined by backslashes.
void skip_line(Lexing& s) {
    const std::string_view text = s.source.text;
    const auto is_joined = [&](size_t end) {
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line.ends_with('\\');
    };
    size_t end = text.find('\n', s.offset(s.cursor));
    while (end != text.npos && is_joined(end)) end = text.find('\n', end + 1);
    s.cursor = s.text + std::min(end, text.size());
}

namespace {

bool at_next_item(const Lexing& s) {
    const uint32_t next = past_blanks(s, s.offset(s.cursor));
    return next > s.item_begin && item_begins(s, next);
}

}  // namespace

Diag& complain(Lexing& s, Span span, std::string message) {
    if (!s.quiet) return s.diags.error(span, std::move(message));
    s.discarded = {};
    return s.discarded;
}

Token bad_token(Lexing& s, Span span, std::string message, std::string hint) {
    complain(s, span, std::move(message)).hint = std::move(hint);
    return s.simple(TokenKind::BAD);
}

namespace {

std::optional<Open> top_bracket(const Lexing& s) {
    if (s.brackets.empty()) return std::nullopt;
    return s.brackets.back();
}

}  // namespace

bool in_block(const Lexing& s) { return std::ranges::any_of(s.brackets, is_block); }

// After a token that ends a statement or begins a block, inside a block.
bool begins_statement(const Lexing& s) {
    constexpr std::array before = {K::S_LBRACE, K::S_BARE_OPEN, K::S_RBRACE, K::S_SEMICOLON, K::S_SPAN_OPEN};
    if (s.current.kind == K::S_TIMEOUT) return true;  // its duration is missing
    const bool is_inside = !s.brackets.empty() && is_block(s.brackets.back());
    return is_inside && std::ranges::find(before, s.current.kind) != before.end();
}

namespace {

// In a predicate, a key and the like: does a `{` here begin a value, rather than the item's block after a missing
// bracket?
bool opens_value(Lexing& s) {
    if (s.brackets.empty() || in_block(s)) return false;
    if (s.current.kind == K::S_ELSE || s.current.kind == K::S_PREDICATE_OPEN || value_follows(s)) return true;
    if (s.choices == 0) return false;
    s.choices--;
    return true;
}

}  // namespace

Token open_bracket(Lexing& s, Bracket bracket, TokenKind kind) {
    const bool is_value = bracket == Bracket::brace && opens_value(s);
    s.brackets.push_back({bracket, s.here(), s.mode, is_value});
    s.mode = Mode::code;
    if (s.brackets.size() <= most_brackets || s.quiet) return s.simple(kind);
    return bad_token(s, s.here(), "this is nested too deeply", "split it into several statements");
}

Token close_bracket(Lexing& s, Bracket bracket, TokenKind kind) {
    if (s.brackets.empty() || s.brackets.back().bracket != bracket) return close_wrongly(s, bracket);
    const Open was = s.brackets.back();
    s.brackets.pop_back();
    bracket_closed(s, was);
    return s.simple(kind);
}

namespace {

// A closing bracket ends an item only if it closes the item's outermost block.
void bracket_closed(Lexing& s, Open was) {
    s.mode = was.outside;
    if (!is_block(was) || in_block(s) || was.is_value) return;
    if (was.bracket == Bracket::angle) s.last_span = {was.span, s.here()};
    s.brackets.clear();
    s.choices = 0;
    s.mode = Mode::probe;
    s.item_over = true;
}

Token close_wrongly(Lexing& s, Bracket bracket) {
    const auto is_it = [&](const Open& o) { return o.bracket == bracket; };
    const bool inside = std::ranges::any_of(s.brackets, is_it);
    if (!inside && (s.brackets.empty() || bracket != Bracket::brace)) {
        s.item_over = !s.in_item;
        return bad_token(s, s.here(), fmt::format("this `{}` closes nothing", s.token_text()),
                         fmt::format("remove the `{}`", s.token_text()));
    }
    const Open culprit = s.brackets.back();
    const BracketRow& row = bracket_row(culprit.bracket);
    Diag& diag = complain(s, culprit.span, fmt::format("this `{}` is never closed", row.open));
    diag.notes.push_back({s.here(), fmt::format("`{}` is here, but `{}` is expected", s.token_text(), row.close)});
    diag.hint = row.hint;
    while (inside && !is_it(s.brackets.back())) s.brackets.pop_back();
    const Open was = inside ? s.brackets.back() : s.brackets.front();
    if (inside)
        s.brackets.pop_back();
    else
        s.brackets.clear();
    bracket_closed(s, {Bracket::brace, was.span, was.outside});
    return s.simple(TokenKind::BAD);
}

}  // namespace

// A comma after the last probe, which is allowed.
bool comma_trails(const Lexing& s) {
    const char next = s.source.text[past_blanks(s, s.offset(s.cursor))];
    return s.mode == Mode::head && (next == '{' || next == '/');
}

Token comma_token(Lexing& s) {
    if (s.mode == Mode::head) s.mode = Mode::probe;
    return s.simple(TokenKind::COMMA);
}

Token arrow_token(Lexing& s) {
    if (s.mode == Mode::head) {
        s.mode = Mode::probe;
        s.in_closers = true;
    }
    return s.simple(TokenKind::ARROW);
}

// A probe follows the `=` of a span's or chain's name.
Token assign_token(Lexing& s) {
    if ((s.keyword == K::S_SPAN || s.keyword == K::S_CHAIN) && s.brackets.empty()) s.mode = Mode::probe;
    if (s.current.kind == K::S_LABEL) s.mode = Mode::probe;
    return s.simple(TokenKind::ASSIGN);
}

// In the key of a chain's event; elsewhere `=` and `>`.
Token becomes_token(Lexing& s) {
    const bool is_in_key =
        s.keyword == K::S_CHAIN && !s.brackets.empty() && s.brackets.back().bracket == Bracket::square;
    if (is_in_key) return s.simple(TokenKind::BECOMES);
    s.cut(1);
    return assign_token(s);
}

Token slash_token(Lexing& s) {
    if (s.mode == Mode::head) return open_bracket(s, Bracket::predicate, TokenKind::PREDICATE_OPEN);
    if (predicate_ends(s)) return close_bracket(s, Bracket::predicate, TokenKind::PREDICATE_CLOSE);
    return s.simple(TokenKind::SLASH);
}

namespace {

// In a predicate, outside parentheses, a `/` before a threshold, a block or the next event closes the predicate; any
// other `/` divides.
bool predicate_ends(const Lexing& s) {
    if (s.brackets.empty() || s.brackets.back().bracket != Bracket::predicate) return false;
    const uint32_t next = past_blanks(s, s.offset(s.cursor));
    const char* after = s.source.text.c_str() + next;
    if (s.keyword == K::S_CHAIN && s.source.at({next, next + 6}) == "unless") return true;
    if (std::string_view("{<>,").find(*after) != std::string_view::npos) return true;
    return *after == '\0' || std::string_view(after, 2) == "->";
}

}  // namespace

Token less_token(Lexing& s, TokenKind otherwise) {
    if (!s.brackets.empty()) return s.simple(otherwise);
    s.cut(1);
    return open_bracket(s, Bracket::angle, TokenKind::SPAN_OPEN);
}

Token greater_token(Lexing& s, TokenKind otherwise) {
    if (!s.brackets.empty() && s.brackets.back().bracket == Bracket::angle) {
        s.cut(1);
        return close_bracket(s, Bracket::angle, TokenKind::SPAN_CLOSE);
    }
    if (s.mode == Mode::code) return s.simple(otherwise);
    s.cut(1);
    if (s.mode == Mode::probe) {
        s.item_over = !s.in_item;
        return s.simple(TokenKind::GREATER);
    }
    s.mode = Mode::code;
    return s.simple(TokenKind::THRESHOLD);
}

}  // namespace lt
