#include "parser/lt/param_names.h"

#include <cctype>
#include <charconv>
#include <string_view>

namespace lt {

ParamNames param_names(const Source& source, const ast::Item& item) {
    constexpr std::string_view keyword = "param";
    const Span name = std::get<ast::Parameter>(item.node).name_span;
    const Span before{item.span.begin + static_cast<uint32_t>(keyword.size()), name.begin};
    const std::string_view text = source.at(before);
    ParamNames names;
    for (size_t at = 0; at < text.size();) {
        const char mark = text[at++];
        if (mark != '-' && mark != '$') continue;
        if (mark == '-') at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
        const size_t begin = at;
        while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) at++;
        const std::string_view word = text.substr(begin, at - begin);
        if (mark == '-') {
            names.fits = names.fits && names.short_name.empty() && word.size() == 1;
            names.short_name = word;
        } else {
            names.fits = names.fits && names.word == 0;
            std::from_chars(word.data(), word.data() + word.size(), names.word);
        }
    }
    return names;
}

}  // namespace lt
