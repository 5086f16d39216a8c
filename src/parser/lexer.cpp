// What the lexer knows beyond the text of a token: the open brackets and, from them, the meaning of `<`, `>`, `/` and
// `,`; and how it passes over the rest of an item after a mistake.
#include "lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lt {
namespace {

using K = Parser::symbol_kind;

constexpr size_t most_brackets = 256;
constexpr size_t most_symbols =
    4096;  // on the parser's stack: a bracket with what stands before it in its expression takes a few

constexpr std::array bracket_rows = {
    BracketRow{Bracket::paren, "(", ")", "write ')' after the last argument or operand"},
    BracketRow{Bracket::square, "[", "]", "write ']' after the last key"},
    BracketRow{Bracket::brace, "{", "}", "write '}' after the last statement"},
    BracketRow{Bracket::angle, "<", ">", "write '>' after the last statement"},
    BracketRow{Bracket::predicate, "/", "/", "write '/' after the condition, before the block"},
};

// Items that no block ends: the tokens that do, and what may still follow on them.
struct Ending {
    SymbolKind keyword;
    std::array<SymbolKind, 3> last;
    std::array<SymbolKind, 2> tail;
};
constexpr std::array endings = {
    Ending{K::S_PARAM, {K::S_INTEGER, K::S_DURATION, K::S_STRING}, {K::S_STRING, K::S_SEMICOLON}},
    Ending{K::S_LET, {K::S_RPAREN, K::S_RPAREN, K::S_RPAREN}, {K::S_SEMICOLON, K::S_SEMICOLON}},
    Ending{K::S_IMPORT, {K::S_STRING, K::S_STRING, K::S_STRING}, {K::S_SEMICOLON, K::S_SEMICOLON}},
};

template <size_t N>
bool has(const std::array<SymbolKind, N>& kinds, SymbolKind kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const Ending* ending_of(SymbolKind keyword) {
    const auto* found =
        std::find_if(endings.begin(), endings.end(), [&](const Ending& e) { return e.keyword == keyword; });
    return found == endings.end() ? nullptr : &*found;
}

bool is_block(const Open& open) { return open.bracket == Bracket::brace || open.bracket == Bracket::angle; }

}  // namespace

const BracketRow& bracket_row(Bracket bracket) { return bracket_rows[static_cast<size_t>(bracket)]; }

Lexer::Lexer(const Source& source, Diags& diags)
    : source_(source),
      diags_(diags),
      text_(reinterpret_cast<const unsigned char*>(source.text.c_str())),
      token_(text_),
      cursor_(text_) {}

Token Lexer::next(size_t height) {
    before_ = {current_.kind, current_.span, mode_, top(), keyword_};
    Token token = fetch(height);
    current_.kind = token.kind();
    current_.span = token.location;
    return token;
}

Token Lexer::fetch(size_t height) {
    if (skip_) return resume();
    if (has_enough()) return simple(TokenKind::BAD);
    if (height <= most_symbols) return advance();
    advance();
    return bad(here(), "this is nested too deeply", "split it into several statements");
}

bool Lexer::has_enough() const { return diags_.all().size() >= most_diags && cursor_ < text_end(); }

// One token, and whether an item is open after it. No block ends a parameter: its value does, although a help text
// and a `;` may follow it.
Token Lexer::advance() {
    item_over_ = false;
    const bool begins = !in_item_;
    const SymbolKind keyword = keyword_;
    if (begins) {
        keyword_ = K::S_YYEMPTY;
        in_closers_ = false;
    }
    Token token = scan();
    const Ending* before = begins ? ending_of(keyword) : nullptr;
    const bool is_tail = before != nullptr && has(before->tail, token.kind());
    if (is_tail) keyword_ = keyword;
    if (begins && !is_tail) item_begin_ = token.location.begin;
    const Ending* ending = brackets_.empty() ? ending_of(keyword_) : nullptr;
    if (ending != nullptr && (is_tail || has(ending->last, token.kind()))) {
        mode_ = Mode::probe;
        item_over_ = true;
    }
    in_item_ = !item_over_ && token.kind() != K::S_YYEOF;
    return token;
}

void Lexer::skip_item(Extent extent) {
    skip_ = extent;
    back_to_.reset();
    // The mistake may be seen only at the second token of the next item: its first one may be taken for a name.
    for (const uint32_t begin : {before_.span.begin, current_.span.begin}) {
        if (!back_to_ && begin > item_begin_ && item_begins(begin)) back_to_ = begin;
    }
}

Token Lexer::resume() {
    quiet_ = true;
    if (has_enough())
        cursor_ = text_end();
    else
        skip_rest(*skip_);
    quiet_ = false;
    skip_.reset();
    brackets_.clear();
    mode_ = Mode::probe;
    keyword_ = K::S_YYEMPTY;
    in_item_ = false;
    token_ = cursor_;
    return simple(TokenKind::RESUME);
}

void Lexer::skip_rest(Extent extent) {
    if (back_to_) {
        cursor_ = text_ + *back_to_;
        return;
    }
    if (extent == Extent::line) return skip_line();
    // After `(1;` nobody will close the parenthesis any more.
    while (current_.kind == K::S_SEMICOLON && !brackets_.empty() && !is_block(brackets_.back())) {
        brackets_.pop_back();
    }
    const bool trusted = extent != Extent::to_next_item;
    while ((trusted ? in_item_ : cursor_ < text_end()) && !at_next_item()) advance();
    const uint32_t next = past_blanks(offset(cursor_));
    if (source_.text[next] == ';') cursor_ = text_ + next + 1;
}

// To the end of the line, or of the last of several lines joined by backslashes.
void Lexer::skip_line() {
    size_t end = source_.text.find('\n', offset(cursor_));
    while (end != std::string::npos && source_.text[end - 1] == '\\') end = source_.text.find('\n', end + 1);
    cursor_ = text_ + std::min(end, source_.text.size());
}

bool Lexer::at_next_item() const {
    const uint32_t next = past_blanks(offset(cursor_));
    return next > item_begin_ && item_begins(next);
}

Diag& Lexer::complain(Span span, std::string message) {
    if (!quiet_) return diags_.error(span, std::move(message));
    discarded_ = {};
    return discarded_;
}

Token Lexer::bad(Span span, std::string message, std::string hint) {
    complain(span, std::move(message)).hint = std::move(hint);
    return simple(TokenKind::BAD);
}

std::optional<Open> Lexer::top() const {
    if (brackets_.empty()) return std::nullopt;
    return brackets_.back();
}

bool Lexer::in_block() const { return std::any_of(brackets_.begin(), brackets_.end(), is_block); }

// After what ends a statement or begins a block, inside of a block.
bool Lexer::begins_statement() const {
    constexpr std::array before = {K::S_LBRACE, K::S_BARE_OPEN, K::S_RBRACE, K::S_SEMICOLON, K::S_SPAN_OPEN};
    if (current_.kind == K::S_TIMEOUT) return true;  // its time was forgotten
    const bool is_inside = !brackets_.empty() && is_block(brackets_.back());
    return is_inside && std::find(before.begin(), before.end(), current_.kind) != before.end();
}

// In a predicate, a key and the like: does a `{` here begin a value, and not the item's block with a bracket missing?
bool Lexer::opens_value() {
    if (brackets_.empty() || in_block()) return false;
    if (current_.kind == K::S_ELSE || current_.kind == K::S_PREDICATE_OPEN || value_follows()) return true;
    if (choices_ == 0) return false;
    choices_--;
    return true;
}

Token Lexer::open(Bracket bracket, TokenKind kind) {
    const bool is_value = bracket == Bracket::brace && opens_value();
    brackets_.push_back({bracket, here(), mode_, is_value});
    mode_ = Mode::code;
    if (brackets_.size() <= most_brackets || quiet_) return simple(kind);
    return bad(here(), "this is nested too deeply", "split it into several statements");
}

Token Lexer::close(Bracket bracket, TokenKind kind) {
    if (brackets_.empty() || brackets_.back().bracket != bracket) return close_wrongly(bracket);
    const Open was = brackets_.back();
    brackets_.pop_back();
    closed(was);
    return simple(kind);
}

// A closing bracket tells that an item is over only if it closes its outermost block.
void Lexer::closed(Open was) {
    mode_ = was.outside;
    if (!is_block(was) || in_block() || was.is_value) return;
    if (was.bracket == Bracket::angle) last_span_ = {was.span, here()};
    brackets_.clear();
    choices_ = 0;
    mode_ = Mode::probe;
    item_over_ = true;
}

Token Lexer::close_wrongly(Bracket bracket) {
    const auto is_it = [&](const Open& o) { return o.bracket == bracket; };
    const bool inside = std::any_of(brackets_.begin(), brackets_.end(), is_it);
    if (!inside && (brackets_.empty() || bracket != Bracket::brace)) {
        item_over_ = !in_item_;
        return bad(here(), fmt::format("this '{}' closes nothing", text()), fmt::format("remove the '{}'", text()));
    }
    const Open culprit = brackets_.back();
    const BracketRow& row = bracket_row(culprit.bracket);
    Diag& diag = complain(culprit.span, fmt::format("this '{}' is never closed", row.open));
    diag.notes.push_back({here(), fmt::format("'{}' stands where '{}' is missing", text(), row.close)});
    diag.hint = row.hint;
    while (inside && !is_it(brackets_.back())) brackets_.pop_back();
    const Open was = inside ? brackets_.back() : brackets_.front();
    if (inside)
        brackets_.pop_back();
    else
        brackets_.clear();
    closed({Bracket::brace, was.span, was.outside});
    return simple(TokenKind::BAD);
}

// One behind the last probe, which may stand there.
bool Lexer::comma_trails() const {
    const char next = source_.text[past_blanks(offset(cursor_))];
    return mode_ == Mode::head && (next == '{' || next == '/');
}

Token Lexer::comma() {
    if (mode_ == Mode::head) mode_ = Mode::probe;
    return simple(TokenKind::COMMA);
}

Token Lexer::arrow() {
    if (mode_ == Mode::head) {
        mode_ = Mode::probe;
        in_closers_ = true;
    }
    return simple(TokenKind::ARROW);
}

// A probe follows the `=` of a span's name.
Token Lexer::assign() {
    if (keyword_ == K::S_SPAN && brackets_.empty()) mode_ = Mode::probe;
    if (current_.kind == K::S_LABEL) mode_ = Mode::probe;
    return simple(TokenKind::ASSIGN);
}

Token Lexer::slash() {
    if (mode_ == Mode::head) return open(Bracket::predicate, TokenKind::PREDICATE_OPEN);
    if (predicate_ends()) return close(Bracket::predicate, TokenKind::PREDICATE_CLOSE);
    return simple(TokenKind::SLASH);
}

// Inside a predicate and outside its parentheses, a `/` before what begins a threshold, a block or the next event
// closes it; others divide.
bool Lexer::predicate_ends() const {
    if (brackets_.empty() || brackets_.back().bracket != Bracket::predicate) return false;
    const char* after = source_.text.c_str() + past_blanks(offset(cursor_));
    if (std::string_view("{<>,").find(*after) != std::string_view::npos) return true;
    return *after == '\0' || std::string_view(after, 2) == "->";
}

Token Lexer::less(TokenKind otherwise) {
    if (!brackets_.empty()) return simple(otherwise);
    cut(1);
    return open(Bracket::angle, TokenKind::SPAN_OPEN);
}

Token Lexer::greater(TokenKind otherwise) {
    if (!brackets_.empty() && brackets_.back().bracket == Bracket::angle) {
        cut(1);
        return close(Bracket::angle, TokenKind::SPAN_CLOSE);
    }
    if (mode_ == Mode::code) return simple(otherwise);
    cut(1);
    if (mode_ == Mode::probe) {
        item_over_ = !in_item_;
        return simple(TokenKind::GREATER);
    }
    mode_ = Mode::code;
    return simple(TokenKind::THRESHOLD);
}

}  // namespace lt
