#include "stp_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace lt::stp {
namespace {

using Token = Parser::symbol_type;
using TokenKind = Parser::token_kind_type;

constexpr uint32_t most_brackets = 256;
constexpr size_t most_symbols = 4096;  // on the parser's stack
constexpr size_t most_diags = 20;

struct MarkRow {
    std::string_view text;
    TokenKind kind;
};
constexpr std::array marks{
    MarkRow{"{", TokenKind::LBRACE},
    MarkRow{"}", TokenKind::RBRACE},
    MarkRow{"(", TokenKind::LPAREN},
    MarkRow{")", TokenKind::RPAREN},
    MarkRow{"[", TokenKind::LBRACKET},
    MarkRow{"]", TokenKind::RBRACKET},
    MarkRow{",", TokenKind::COMMA},
    MarkRow{";", TokenKind::SEMICOLON},
    MarkRow{"=", TokenKind::ASSIGN},
    MarkRow{"+=", TokenKind::ASSIGN_ADD},
    MarkRow{"-=", TokenKind::ASSIGN_SUBTRACT},
    MarkRow{"*=", TokenKind::ASSIGN_MULTIPLY},
    MarkRow{"/=", TokenKind::ASSIGN_DIVIDE},
    MarkRow{"%=", TokenKind::ASSIGN_MODULO},
    MarkRow{"<<=", TokenKind::ASSIGN_LEFT},
    MarkRow{">>=", TokenKind::ASSIGN_RIGHT},
    MarkRow{"&=", TokenKind::ASSIGN_AND},
    MarkRow{"|=", TokenKind::ASSIGN_OR},
    MarkRow{"^=", TokenKind::ASSIGN_XOR},
    MarkRow{".=", TokenKind::ASSIGN_JOIN},
    MarkRow{"<<<", TokenKind::COLLECT},
    MarkRow{"?", TokenKind::QUESTION},
    MarkRow{":", TokenKind::COLON},
    MarkRow{"||", TokenKind::LOGICAL_OR},
    MarkRow{"&&", TokenKind::LOGICAL_AND},
    MarkRow{"|", TokenKind::BIT_OR},
    MarkRow{"^", TokenKind::BIT_XOR},
    MarkRow{"&", TokenKind::BIT_AND},
    MarkRow{"=~", TokenKind::MATCH},
    MarkRow{"!~", TokenKind::NO_MATCH},
    MarkRow{"==", TokenKind::EQUAL},
    MarkRow{"!=", TokenKind::NOT_EQUAL},
    MarkRow{"<", TokenKind::LESS},
    MarkRow{"<=", TokenKind::LESS_EQUAL},
    MarkRow{">", TokenKind::GREATER},
    MarkRow{">=", TokenKind::GREATER_EQUAL},
    MarkRow{"<<", TokenKind::SHIFT_LEFT},
    MarkRow{">>", TokenKind::SHIFT_RIGHT},
    MarkRow{">>>", TokenKind::SHIFT_ZEROS},
    MarkRow{".", TokenKind::DOT},
    MarkRow{"+", TokenKind::PLUS},
    MarkRow{"-", TokenKind::MINUS},
    MarkRow{"*", TokenKind::STAR},
    MarkRow{"/", TokenKind::SLASH},
    MarkRow{"%", TokenKind::PERCENT},
    MarkRow{"!", TokenKind::NOT},
    MarkRow{"~", TokenKind::TILDE},
    MarkRow{"++", TokenKind::INCREMENT},
    MarkRow{"--", TokenKind::DECREMENT},
    MarkRow{"->", TokenKind::ARROW},
};
constexpr std::array keywords{
    MarkRow{"probe", TokenKind::PROBE},
    MarkRow{"global", TokenKind::GLOBAL},
    MarkRow{"private", TokenKind::PRIVATE},
    MarkRow{"function", TokenKind::FUNCTION},
    MarkRow{"if", TokenKind::IF},
    MarkRow{"else", TokenKind::ELSE},
    MarkRow{"for", TokenKind::FOR},
    MarkRow{"foreach", TokenKind::FOREACH},
    MarkRow{"in", TokenKind::IN},
    MarkRow{"limit", TokenKind::LIMIT},
    MarkRow{"return", TokenKind::RETURN},
    MarkRow{"delete", TokenKind::DELETE},
    MarkRow{"while", TokenKind::WHILE},
    MarkRow{"break", TokenKind::BREAK},
    MarkRow{"continue", TokenKind::CONTINUE},
    MarkRow{"next", TokenKind::NEXT},
    MarkRow{"try", TokenKind::TRY},
    MarkRow{"catch", TokenKind::CATCH},
    MarkRow{"long", TokenKind::T_LONG},
    MarkRow{"string", TokenKind::T_STRING},
};

template <class Rows>
const MarkRow* find_row(const Rows& rows, std::string_view text) {
    const auto* found = std::find_if(rows.begin(), rows.end(), [&](const MarkRow& r) { return r.text == text; });
    return found == rows.end() ? nullptr : &*found;
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
    if (at_ > pieces_.size() || pieces_.empty()) return "end of the program";
    const Piece& piece = pieces_[at_ - 1];
    if (piece.kind == PieceKind::string) return "a string";
    if (piece.kind == PieceKind::embedded) return "C";
    return fmt::format("'{}'", piece.text);
}

bool Feed::found_keyword() const {
    if (at_ == 0 || at_ > pieces_.size()) return false;
    const Piece& piece = pieces_[at_ - 1];
    return piece.kind == PieceKind::word && find_row(keywords, piece.text) != nullptr;
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

// $x[1]$, @cast(p, "file")$$: all that is there.
bool Feed::shows_whole(size_t index) const {
    const Piece& piece = pieces_[index];
    const bool alone = piece.text == "$" || piece.text == "$$";
    return alone && piece.glued && index > 0 && closes(pieces_[index - 1]);
}

// Does a name of a probe point stand here? An `if` behind a whole point does not.
bool Feed::begins_point() const {
    const Piece& piece = pieces_[at_];
    const bool behind_dot = at_ > 0 && pieces_[at_ - 1].is(".");
    if (piece.is_word("if") && !behind_dot) return false;
    return piece.kind == PieceKind::word || piece.kind == PieceKind::number || piece.is("*");
}

bool Feed::glues(size_t index) const {
    const Piece& piece = pieces_[index];
    return piece.glued && (piece.kind == PieceKind::word || piece.kind == PieceKind::number || piece.is("*"));
}

// What stands side by side is one name: sys*_open.
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
    const MarkRow* row = is_member ? nullptr : find_row(keywords, piece.text);
    if (row == nullptr) return Parser::make_NAME(piece.text, piece.span);
    if (row->kind == TokenKind::PROBE && brackets_ == 0) {
        header_ = true;
        header_parens_ = header_braces_ = 0;
    }
    return {row->kind, piece.span};
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
    const MarkRow* row = find_row(marks, piece.text);
    if (row != nullptr) return {row->kind, piece.span};
    diags_.error(piece.span, fmt::format("'{}' belongs to a condition of the preprocessor", piece.text)).hint =
        "it begins with %(";
    return {TokenKind::BAD, piece.span};
}

// A brace that stands where a point could is one of alternatives; any other begins the body.
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

void Feed::skip() {
    constexpr std::array<std::string_view, 4> begins{"probe", "global", "function", "private"};
    const auto begins_item = [&](const Piece& p) {
        return p.kind == PieceKind::word && std::find(begins.begin(), begins.end(), p.text) != begins.end();
    };
    // the piece at which it was seen may be the begin of the next declaration
    if (at_ > 0 && at_ <= pieces_.size() && begins_item(pieces_[at_ - 1]) && at_ > 1) {
        at_--;
    } else {
        while (at_ < pieces_.size() && !begins_item(pieces_[at_])) at_++;
    }
    header_ = false;
    brackets_ = 0;
    resume_ = true;
}

}  // namespace lt::stp
