#include "parser/format/writer.h"

#include <algorithm>
#include <utility>

namespace lt::format {

size_t width_of(std::string_view text) {
    const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
    return static_cast<size_t>(std::ranges::count_if(text, begins));
}

void Writer::line(size_t indent, bool apart) {
    if (!at_start()) {
        out_ += line_.substr(0, line_.find_last_not_of(' ') + 1);
        out_ += '\n';
    }
    if (apart && !fresh_) out_ += '\n';
    line_.assign(indent, ' ');
    column_ = indent;
    ended_ = fresh_ = spaced_ = false;
}

void Writer::text(std::string_view text) {
    line_ += text;
    const size_t newline = text.rfind('\n');
    if (newline != text.npos) column_ = 0;
    column_ += width_of(newline == text.npos ? text : text.substr(newline + 1));
}

void Writer::comment(const Comment& comment) {
    text(comment.text);
    ended_ = comment.ends_line;
    spaced_ = !ended_;
}

// Writes the comments that belong to the end of this line, and returns the others. `all`: those that another piece
// could follow, too.
std::span<const Comment> Writer::trailing(const Piece& piece, bool all) {
    const std::span<const Comment> comments = piece.comments;
    const auto stays = std::ranges::find_if(comments, [](const Comment& c) { return c.starts_line || c.at_margin; });
    const auto ends = std::find_if(comments.begin(), stays, [](const Comment& c) { return c.ends_line; });
    const bool trails = ends != stays || (all && !ended_);
    const auto count = trails ? (ends == stays ? stays : ends + 1) - comments.begin() : 0;
    for (const Comment& each : comments.first(static_cast<size_t>(count))) {
        text("  ");
        comment(each);
    }
    return comments.subspan(static_cast<size_t>(count));
}

// The comments before a piece that begins a line.
void Writer::above(const Piece& piece, size_t indent, bool closes, bool keeps_empty_lines) {
    bool goes_on = false;  // is a comment the first of its line, and not the last?
    for (const Comment& each : trailing(piece, closes)) {
        if (!goes_on) line(each.at_margin ? 0 : indent, keeps_empty_lines && each.apart);
        if (goes_on) text(" ");
        comment(each);
        goes_on = !each.ends_line;
    }
    spaced_ = goes_on;
}

void Writer::begin(const Piece& piece, size_t indent, bool keeps_empty_lines) {
    above(piece, indent, false, keeps_empty_lines);
    if (!spaced_) line(indent, keeps_empty_lines && piece.apart);
}

void Writer::closing(const Piece& piece, size_t indent, size_t inside) {
    above(piece, inside, true, true);
    fresh_ = true;  // no empty line before the bracket
    line(indent);
    text(piece.text);
}

void Writer::next(const Piece& piece, size_t indent) {
    constexpr std::string_view opening = "([", closing = ")],;";
    for (const Comment& each : trailing(piece, false)) {
        const bool own_line = each.at_margin || ended_ || (each.starts_line && each.ends_line);
        if (own_line && (ended_ || !at_start()))
            line(each.at_margin ? 0 : indent);
        else if (!own_line && !at_start() && opening.find(line_.back()) == opening.npos)
            text(" ");
        comment(each);
    }
    const bool closes = closing.find(piece.text[0]) != closing.npos;
    if (ended_)
        line(indent);
    else if (!at_start() && (piece.spaced || (spaced_ && !closes)))
        text(" ");
    text(piece.text);
    spaced_ = fresh_ = false;
}

std::string Writer::take() {
    line(0);
    return std::move(out_);
}

}  // namespace lt::format
