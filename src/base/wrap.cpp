#include "base/wrap.h"

#include <algorithm>

#include "base/visible.h"

namespace lt {
namespace {

size_t column_of(std::string_view line, size_t width) {
    const size_t first = std::min(line.find_first_not_of(' '), line.size());
    const size_t gap = line.rfind("  ");
    const size_t column = gap == line.npos || gap < first ? first : line.find_first_not_of(' ', gap);
    return column == line.npos || column > width / 2 ? first : column;
}

}  // namespace

std::string wrapped(std::string_view line, size_t width, size_t indent) {
    if (width == 0 || columns_in(line) <= width) return std::string(line);
    indent = std::min(indent, width / 2);
    std::string out;
    size_t used = 0;  // columns of the last line
    for (size_t at = 0; at < line.size();) {
        const size_t word = std::min(line.find_first_not_of(' ', at), line.size());
        const size_t end = std::min(line.find(' ', word), line.size());
        const std::string_view blanks = line.substr(at, word - at), text = line.substr(word, end - word);
        const bool begins = out.find_first_not_of(' ', out.rfind('\n') + 1) == out.npos;
        if (!begins && used + blanks.size() + columns_in(text) > width) {
            out.append("\n").append(indent, ' ').append(text);
            used = indent + columns_in(text);
        } else {
            out.append(blanks).append(text);
            used += blanks.size() + columns_in(text);
        }
        at = end;
    }
    return out;
}

std::string wrapped_text(std::string_view text, size_t width) {
    std::string out;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        out += wrapped(text.substr(0, end), width, column_of(text.substr(0, end), width));
        if (end < text.size()) out += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

}  // namespace lt
