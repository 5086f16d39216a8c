// A script's text and places in it. A Span is two byte offsets; lines and columns are computed only when they are
// printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// Half-open range of bytes [begin, end) of one Source. {0, 0} stands for "no place in the text".
struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool operator==(const Span&) const = default;
    bool empty() const { return end <= begin; }
};

// The smallest span that covers both; an empty span does not count.
inline Span cover(Span a, Span b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

// Lines and columns count from 1; a column counts bytes.
struct Position {
    uint32_t line = 1;
    uint32_t column = 1;
};

struct Source {
    std::string name;  // the name that diagnostics print: a path, or "-e"
    std::string text;

    // Files whose text was appended to the script's own.
    struct Part {
        uint32_t begin = 0;
        std::string name;
        bool is_library = false;  // part of lt, not a user's file
    };
    std::vector<Part> parts = {};
    std::string dialect = {};  // the file extension that says which language it is; empty: use that of the name

    const std::string& spoken() const { return dialect.empty() ? name : dialect; }

    const std::string& name_at(uint32_t offset) const;
    bool is_library(uint32_t offset) const;
    std::string_view line_at(uint32_t offset) const;  // the whole line that holds the byte

    std::string_view at(Span s) const;             // the text of the span, clipped to the source
    Position position(uint32_t offset) const;      // of a byte in its file; past the end: of the end
    std::string_view line(uint32_t number) const;  // without its newline; empty if there is no such line
};

}  // namespace lt
