#include "base/source.h"

#include <algorithm>

namespace lt {

std::string_view Source::at(Span s) const {
    const auto size = static_cast<uint32_t>(text.size());
    const uint32_t begin = std::min(s.begin, size);
    const uint32_t end = std::clamp(s.end, begin, size);
    return std::string_view(text).substr(begin, end - begin);
}

const std::string& Source::name_at(uint32_t offset) const {
    const std::string* found = &name;
    for (const Part& part : parts) {
        if (part.begin <= offset) found = &part.name;
    }
    return *found;
}

bool Source::is_library(uint32_t offset) const {
    return std::ranges::any_of(parts, [&](const Part& part) { return part.is_library && part.begin <= offset; });
}

std::string_view Source::line_at(uint32_t offset) const {
    const std::string_view all = text;
    const size_t at = std::min<size_t>(offset, all.size());
    const size_t newline = at == 0 ? std::string_view::npos : all.rfind('\n', at - 1);
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    return all.substr(begin, std::min(all.find('\n', begin), all.size()) - begin);
}

Position Source::position(uint32_t offset) const {
    Position p;
    const auto end = std::min<size_t>(offset, text.size());
    size_t begin = 0;
    for (const Part& part : parts) {
        if (part.begin <= end) begin = part.begin;
    }
    for (size_t i = begin; i < end; i++) {
        if (text[i] == '\n') {
            p.line++;
            p.column = 1;
        } else {
            p.column++;
        }
    }
    return p;
}

std::string_view Source::line(uint32_t number) const {
    std::string_view rest = text;
    for (uint32_t n = 1; n < number; n++) {
        const size_t newline = rest.find('\n');
        if (newline == std::string_view::npos) return {};
        rest.remove_prefix(newline + 1);
    }
    return rest.substr(0, rest.find('\n'));
}

}  // namespace lt
