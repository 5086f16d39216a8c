#include "systemtap/grammar/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace lt::stp {
namespace {

using Token = Parser::symbol_type;
using TokenKind = Parser::token::token_kind_type;
using SymbolKind = Parser::symbol_kind::symbol_kind_type;

constexpr uint32_t most_brackets = 256;
constexpr size_t most_symbols = 4096;  // on the parser's stack
constexpr size_t most_diags = 20;

// The keyword or mark that the grammar writes like this; both kinds are a range of tokens there.
std::optional<TokenKind> find_token(SymbolKind first, SymbolKind last, std::string_view text) {
    static_assert(SymbolKind::S_ARROW - SymbolKind::S_PROBE == TokenKind::ARROW - TokenKind::PROBE);
    for (int kind = first; kind <= last; kind++) {
        if (Parser::symbol_name(static_cast<SymbolKind>(kind)) == text)
            return static_cast<TokenKind>(kind - SymbolKind::S_PROBE + TokenKind::PROBE);
    }
    return {};
}
std::optional<TokenKind> find_keyword(std::string_view text) {
    return find_token(SymbolKind::S_PROBE, SymbolKind::S_T_STRING, text);
}

bool opens(const Piece& p) { return p.is("(") || p.is("[") || p.is("{"); }
bool closes(const Piece& p) { return p.is(")") || p.is("]") || p.is("}"); }

}  // namespace

Token Feed::end() const {
    const uint32_t at = pieces_.empty() ? 0 : pieces_.back().span.end;
    return {TokenKind::END, Span{at, at}};
}

Span Feed::where() const {
    return at_ == 0 || pieces_.empty() ? Span{} : pieces_[std::min(at_, pieces_.size()) - 1].span;
}

std::string Feed::found() const {
    if (at_ > pieces_.size() || pieces_.empty()) return "end of the script";
    const Piece& piece = pieces_[at_ - 1];
    if (piece.kind == PieceKind::string) return "a string";
    if (piece.kind == PieceKind::embedded) return "C";
    return fmt::format("'{}'", piece.text);
}

bool Feed::found_keyword() const {
    if (at_ == 0 || at_ > pieces_.size()) return false;
    const Piece& piece = pieces_[at_ - 1];
    return piece.kind == PieceKind::word && find_keyword(piece.text);
}

Token Feed::next(size_t height) {
    if (resume_) {
        resume_ = false;
        return {TokenKind::RESUME, where()};
    }
    if (at_ >= pieces_.size() || diags_.all().size() >= most_diags) {
        at_ = pieces_.size() + 1;
        return end();
    }
    const Piece& piece = pieces_[at_];
    if (height > most_symbols || brackets_ > most_brackets) {
        if (!too_deep_) diags_.error(piece.span, "this is nested too deeply").hint = "split it into several statements";
        too_deep_ = true;
        at_ = pieces_.size();
        return {TokenKind::BAD, piece.span};
    }
    if (header_ && header_parens_ == 0 && begins_point()) return header_word();
    at_++;
    switch (piece.kind) {
        case PieceKind::word:
            return word(piece);
        case PieceKind::target:
            if (shows_whole(at_ - 1)) return Parser::make_WHOLE(piece.text, piece.span);
            return Parser::make_TARGET(piece.text, piece.span);
        case PieceKind::at_word:
            return Parser::make_AT(piece.text, piece.span);
        case PieceKind::number:
            return number(piece);
        case PieceKind::string:
            return Parser::make_STRING(piece.text, piece.span);
        case PieceKind::embedded:
            return Parser::make_EMBEDDED(piece.text, piece.span);
        case PieceKind::mark:
            return mark(piece);
        case PieceKind::end:
            break;
    }
    return end();
}

// $x[1]$, @cast(p, "file")$$: prints the whole value.
bool Feed::shows_whole(size_t index) const {
    const Piece& piece = pieces_[index];
    const bool alone = piece.text == "$" || piece.text == "$$";
    return alone && piece.glued && index > 0 && closes(pieces_[index - 1]);
}

// Is this a name of a probe point? An `if` after a complete point is not.
bool Feed::begins_point() const {
    const Piece& piece = pieces_[at_];
    const bool after_dot = at_ > 0 && pieces_[at_ - 1].is(".");
    if (piece.is_word("if") && !after_dot) return false;
    return piece.kind == PieceKind::word || piece.kind == PieceKind::number || piece.is("*");
}

bool Feed::glues(size_t index) const {
    const Piece& piece = pieces_[index];
    return piece.glued && (piece.kind == PieceKind::word || piece.kind == PieceKind::number || piece.is("*"));
}

// Adjacent pieces form one name: sys*_open.
Token Feed::header_word() {
    Piece joined = pieces_[at_++];
    while (at_ < pieces_.size() && glues(at_)) {
        joined.text += pieces_[at_].text;
        joined.span = cover(joined.span, pieces_[at_].span);
        at_++;
    }
    return Parser::make_POINT(joined.text, joined.span);
}

Token Feed::word(const Piece& piece) {
    const bool is_member = at_ >= 2 && pieces_[at_ - 2].is("->");
    const auto keyword = is_member ? std::nullopt : find_keyword(piece.text);
    if (!keyword) return Parser::make_NAME(piece.text, piece.span);
    if (*keyword == TokenKind::PROBE && brackets_ == 0) {
        header_ = true;
        header_parens_ = header_braces_ = 0;
    }
    return {*keyword, piece.span};
}

Token Feed::number(const Piece& piece) {
    errno = 0;
    char* stop = nullptr;
    const auto value = static_cast<int64_t>(std::strtoull(piece.text.c_str(), &stop, 0));
    if (*stop == '\0' && errno == 0) return Parser::make_NUMBER(value, piece.span);
    diags_.error(piece.span, *stop == '\0' ? fmt::format("'{}' does not fit 64 bits", piece.text)
                                           : fmt::format("'{}' is not a number", piece.text));
    return {TokenKind::BAD, piece.span};
}

Token Feed::mark(const Piece& piece) {
    if (header_) {
        header_mark(piece);
    } else if (opens(piece)) {
        brackets_++;
    } else if (closes(piece) && brackets_ > 0) {
        brackets_--;
    }
    const auto found = find_token(SymbolKind::S_LBRACE, SymbolKind::S_ARROW, piece.text);
    if (found) return {*found, piece.span};
    diags_.error(piece.span, fmt::format("`{}` belongs to a preprocessor condition", piece.text)).hint =
        "a condition begins with `%(`";
    return {TokenKind::BAD, piece.span};
}

// A brace at the position of a point starts alternatives; any other starts the body.
void Feed::header_mark(const Piece& piece) {
    if (piece.is("(")) header_parens_++;
    if (piece.is(")") && header_parens_ > 0) header_parens_--;
    if (header_parens_ > 0 || at_ < 2) return;
    const Piece& before = pieces_[at_ - 2];
    const bool wants_point = before.is(".") || before.is(",") || before.is("{") || before.is("=") || before.is("+=") ||
                             before.is_word("probe");
    if (piece.is("}") && header_braces_ > 0) header_braces_--;
    if (!piece.is("{")) return;
    if (wants_point) {
        header_braces_++;
        return;
    }
    header_ = false;
    brackets_ = 1;
}

// `function` and the like are also parts of probe points, and names of members.
bool Feed::begins_item(size_t index) const {
    constexpr std::array<std::string_view, 4> begins{"probe", "global", "function", "private"};
    const Piece& piece = pieces_[index];
    if (piece.kind != PieceKind::word || std::ranges::find(begins, piece.text) == begins.end()) return false;
    return index == 0 || !(pieces_[index - 1].is(".") || pieces_[index - 1].is("->"));
}

std::string Feed::divided_operator() const {
    if (at_ < 2 || at_ > pieces_.size()) return "";
    const Piece &first = pieces_[at_ - 2], &second = pieces_[at_ - 1];
    if (first.kind != PieceKind::mark || second.kind != PieceKind::mark) return "";
    std::string whole = first.text + second.text;
    return find_token(SymbolKind::S_LBRACE, SymbolKind::S_ARROW, whole) ? whole : "";
}

const Piece* Feed::open_bracket() const {
    size_t closed = 0;
    for (size_t i = at_ < 2 ? 0 : at_ - 1; i-- > 0;) {
        const Piece& piece = pieces_[i];
        if (closes(piece)) closed++;
        if (opens(piece) && closed == 0) return &piece;
        if (opens(piece)) closed--;
        if (begins_item(i)) break;
    }
    return nullptr;
}

void Feed::skip() {
    // the offending piece may be the start of the next declaration
    if (at_ > 1 && at_ <= pieces_.size() && begins_item(at_ - 1) && word_follows()) {
        at_--;
    } else {
        while (at_ < pieces_.size() && !begins_item(at_)) at_++;
    }
    header_ = false;
    brackets_ = 0;
    resume_ = true;
}

}  // namespace lt::stp
