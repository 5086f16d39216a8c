#include "parser/format/pieces.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace lt::format {
namespace {

using K = Parser::symbol_kind;

std::string without_trailing_blanks(std::string_view line) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
    return std::string(line);
}

// Lines after the first keep their indentation.
std::string comment_text(std::string_view text) {
    std::string out;
    for (const std::string_view line : split(text, '\n'))
        out += (out.empty() ? "" : "\n") + without_trailing_blanks(line);
    return out;
}

// Reads what stands between two tokens.
class Gap {
  public:
    Gap(std::string_view text, size_t newlines) : text_(text), newlines_(newlines) {}

    void read(Piece& piece) {
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            const bool is_block = rest.starts_with("/*");
            if (is_block || rest.starts_with("//") || rest.starts_with("#!")) {
                take(piece, is_block ? rest.find("*/") + 2 : std::min(rest.find('\n'), rest.size()));
                continue;
            }
            if (rest[0] == '\n') newline(piece);
            at_++;
        }
        piece.starts_line = any_newline_;
        piece.apart = newlines_ > 1;
    }

  private:
    void newline(Piece& piece) {
        newlines_++;
        any_newline_ = true;
        if (!piece.comments.empty()) piece.comments.back().ends_line |= newlines_ == 1;
    }

    void take(Piece& piece, size_t length) {
        const std::string_view text = text_.substr(at_, length);
        Comment comment{comment_text(text)};
        comment.starts_line = newlines_ > 0;
        comment.apart = newlines_ > 1;
        comment.at_margin = text.starts_with("#!");
        comment.ends_line = !text.starts_with("/*") || text.find('\n') != text.npos;
        any_newline_ |= comment.ends_line;
        piece.comments.push_back(std::move(comment));
        newlines_ = 0;
        at_ += length;
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t newlines_;  // since the last token or comment
    bool any_newline_ = newlines_ > 0;
};

// A type in parentheses, or that and the path of a member: single blanks between words and before stars.
std::string type_in_parentheses(std::string_view text) {
    std::string out;
    bool blank = false;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            blank = true;
            continue;
        }
        const char before = out.empty() ? '(' : out.back();
        const bool words = blank && is_word_character(c) && is_word_character(before);
        const bool first_star = c == '*' && before != '*' && before != '(';
        if (words || first_star || before == ',') out += ' ';
        out += c;
        blank = false;
    }
    return out;
}

}  // namespace

std::vector<Piece> pieces_of(const Source& source) {
    Diags ignored;
    Lexing lexer(source, ignored);
    std::vector<Piece> pieces;
    uint32_t end = 0;
    size_t newlines = 1;  // the text starts a line
    for (;;) {
        const Token token = next_token(lexer, 0);
        Piece piece{token.kind(), std::string(source.at(token.location))};
        piece.begins_item = lexer.item_begin == token.location.begin;
        Gap(source.at({end, token.location.begin}), newlines).read(piece);
        end = token.location.end;
        newlines = piece.kind == K::S_C_TEXT && piece.text.ends_with('\n') ? 1 : 0;
        if (piece.kind == K::S_C_TEXT) piece.text = comment_text(trim(piece.text));
        if (piece.kind == K::S_CAST || piece.kind == K::S_OFFSET) piece.text = type_in_parentheses(piece.text);
        pieces.push_back(std::move(piece));
        if (pieces.back().kind == K::S_YYEOF) break;
    }
    set_spacing(pieces);
    return pieces;
}

}  // namespace lt::format
