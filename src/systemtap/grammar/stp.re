// The patterns of SystemTap's pieces, one rule each; re2c makes C++ of them. A text ends with the NUL of its
// std::string; parse() refuses texts that contain another.
#include <string>
#include <utility>
#include <vector>

#include "base/literal.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {
namespace {

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:yyfill:enable = 0;
    re2c:define:YYCURSOR = at_;
    re2c:define:YYMARKER = marker;

    nul      = "\x00";
    blank    = [ \t\r\n\f\v];
    word     = [A-Za-z_] [A-Za-z0-9_$]*;
    comment  = ("#" | "//") [^\n\x00]* | "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/";
    string   = ["] ([^"\\\x00] | "\\" [^\x00])* ["];
    embedded = "%{" ([^%\x00] | "%"+ [^%}\x00])* "%"+ "}";
    mark     = "<<<" | ">>>" | "<<=" | ">>=" | "<<" | ">>" | "<=" | ">=" | "<" | ">" | "==" | "=~" | "=" | "!=" | "!~" | "!" | "++" | "+=" | "+" |
               "--" | "-=" | "->" | "-" | "*=" | "*" | "/=" | "/" | "%=" | "%(" | "%)" | "%?" | "%:" | "%" | "&&" | "&=" | "&" | "||" | "|=" |
               "|" | "^=" | "^" | "~" | ".=" | "." | "?" | ":" | "," | ";" | "(" | ")" | "[" | "]" | "{" | "}";
*/

// The value of a string. Without a meaning as an escape, a character stands for itself; the end of a line stands for
// nothing.
std::string text_inside(const std::string& body) {
    const std::vector<Unescaped::Bad> unknown = unescape(body).bad;
    std::string out;
    size_t from = 0;
    for (const Unescaped::Bad& escape : unknown) {
        out += unescape(body.substr(from, escape.offset - from)).value;
        const std::string rest = body.substr(escape.offset + 1, escape.size - 1);
        if (rest != "\n") out += rest;
        from = escape.offset + escape.size;
    }
    return out + unescape(body.substr(from)).value;
}

class Scanner {
  public:
    Scanner(const std::string& text, uint32_t offset, const Span* instead, Diags& diags)
        : text_(reinterpret_cast<const unsigned char*>(text.c_str())),
          at_(text_),
          token_(text_),
          offset_(offset),
          instead_(instead),
          diags_(diags) {}

    Pieces all() {
        while (next()) {
        }
        return std::move(pieces_);
    }

  private:
    Span here() const {
        if (instead_ != nullptr) return *instead_;
        return {offset_ + static_cast<uint32_t>(token_ - text_), offset_ + static_cast<uint32_t>(at_ - text_)};
    }
    std::string lexeme(size_t front = 0, size_t back = 0) const {
        return {reinterpret_cast<const char*>(token_) + front, reinterpret_cast<const char*>(at_) - back};
    }
    bool add(PieceKind kind, std::string text) {
        pieces_.push_back({kind, here(), std::move(text), token_ == behind_});
        behind_ = at_;
        return true;
    }
    bool wrong(std::string message, std::string hint, bool go_on) {
        diags_.error(here(), std::move(message)).hint = std::move(hint);
        return go_on;
    }
    bool next();

    const unsigned char* text_;
    const unsigned char* at_;
    const unsigned char* token_;
    const unsigned char* behind_ = nullptr;  // the end of the piece before
    uint32_t offset_;
    const Span* instead_;  // the place of all pieces, if the text is not part of the source
    Diags& diags_;
    Pieces pieces_;
};

// Reads one piece or blank; false at the end.
bool Scanner::next() {
    const unsigned char* marker = at_;
    token_ = at_;
    // clang-format off
    /*!re2c
        blank+ | comment          { return true; }
        "/*"                      { return wrong("this comment is never closed", "write '*/' behind it", false); }
        nul                       { at_ = token_; return false; }
        word                      { return add(PieceKind::word, lexeme()); }
        "$" [A-Za-z0-9_$]*        { return add(PieceKind::target, lexeme()); }
        "$#"                      { return add(PieceKind::target, lexeme()); }
        "@" ([A-Za-z0-9_]+ | "#") { return add(PieceKind::at_word, lexeme()); }
        [0-9] [A-Za-z0-9_]*       { return add(PieceKind::number, lexeme()); }
        string                    { return add(PieceKind::string, text_inside(lexeme(1, 1))); }
        ["]                       { return wrong("this string is never closed", "write '\"' behind it", false); }
        embedded                  { return add(PieceKind::embedded, lexeme(2, 2)); }
        "%{"                      { return wrong("this '%{' is never closed", "write '%}' after the C", false); }
        mark                      { return add(PieceKind::mark, lexeme()); }
        *                         { return wrong("this is not valid here", "", true); }
    */
    // clang-format on
}

}  // namespace

Pieces scan(const Source& source, Span file, Diags& diags) {
    const std::string text(source.at(file));
    return Scanner(text, file.begin, nullptr, diags).all();
}

Pieces scan_words(const std::string& text, Span where, Diags& diags) { return Scanner(text, 0, &where, diags).all(); }

}  // namespace lt::stp
