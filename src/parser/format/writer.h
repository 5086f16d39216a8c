// The text of a formatted script as it grows, line by line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "parser/format/pieces.h"

namespace lt::format {

// The width of a text in characters.
size_t width_of(std::string_view text);

class Writer {
  public:
    // Begins a line, after an empty one if `apart`, unless it is the first of a block.
    void line(size_t indent, bool apart = false);
    // A block has begun: an empty line does not follow.
    void opened() { fresh_ = true; }

    // The comments before a piece that begins a line, and that line; the piece is next. Perhaps with the author's empty
    // lines.
    void begin(const Piece& piece, size_t indent, bool keeps_empty_lines);
    // The comments before a bracket that closes a block, which are indented as what is inside, and the bracket.
    void closing(const Piece& piece, size_t indent, size_t inside);
    // The comments before a piece, and the piece, in this line, or in a new one if a comment has ended this one.
    void next(const Piece& piece, size_t indent);

    // Where the next piece begins, if it is not spaced.
    size_t column(size_t indent) const { return ended_ ? indent : column_; }
    bool line_ended() const { return ended_; }  // by a comment
    bool at_start() const { return line_.find_first_not_of(' ') == line_.npos; }

    std::string take();

  private:
    void text(std::string_view text);
    void comment(const Comment& comment);
    std::span<const Comment> trailing(const Piece& piece, bool all);
    void above(const Piece& piece, size_t indent, bool closes, bool keeps_empty_lines);

    std::string out_, line_;
    size_t column_ = 0;
    bool ended_ = false;
    bool fresh_ = true;
    bool spaced_ = false;  // does the line end with a comment that other pieces may follow?
};

}  // namespace lt::format
