#include "parser/tree/probe_text.h"

#include <cctype>
#include <string>
#include <utility>

#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

constexpr std::string_view glob_set_bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_!^-";

// Does a probe's name or path continue here? If it is a path's '/', a ':' and a function follow later.
bool continues_probe(std::string_view text) {
    constexpr std::string_view others = "_*?:[.+@-";
    if (text.empty()) return false;
    if (text[0] == '/') return text.find(':') != std::string_view::npos;
    return std::isalnum(static_cast<unsigned char>(text[0])) != 0 || others.find(text[0]) != std::string_view::npos;
}

// The length of the glob set at the start of the text; 0 if it is a key.
size_t glob_set(std::string_view text, bool is_paired) {
    const size_t end = text.find_first_not_of(glob_set_bytes, 1);
    if (end == std::string_view::npos || text[end] != ']') return 0;
    const bool is_key = is_paired || find_variable(text.substr(1, end - 1)) != nullptr;
    return continues_probe(text.substr(end + 1)) || !is_key ? end + 1 : 0;
}

// Is this byte outside quotes? Must be called for each byte in order. In quotes, a backslash makes the next byte
// literal.
class Quotes {
  public:
    bool outside(char c) {
        const bool was_inside = inside_, was_escaped = std::exchange(escaped_, inside_ && !escaped_ && c == '\\');
        if (c == '"' && !was_escaped) inside_ = !inside_;
        return !was_inside && !inside_;
    }

  private:
    bool inside_ = false, escaped_ = false;
};

// The end of a part of a probe: a colon outside quotes.
size_t part_end(std::string_view text, size_t begin) {
    Quotes quotes;
    for (size_t i = begin; i < text.size(); i++)
        if (quotes.outside(text[i]) && text[i] == ':') return i;
    return text.size();
}

std::string without_quotes(std::string_view part) {
    std::string out;
    bool inside = false;
    for (size_t i = 0; i < part.size(); i++) {
        const bool escapes =
            inside && part[i] == '\\' && i + 1 < part.size() && (part[i + 1] == '"' || part[i + 1] == '\\');
        if (escapes) {
            out += part[++i];
        } else if (part[i] == '"') {
            inside = !inside;
        } else {
            out += part[i];
        }
    }
    return out;
}

}  // namespace

std::optional<size_t> key_begin(std::string_view text, bool is_paired) {
    Quotes quotes;
    for (size_t at = 0; at < text.size(); at++) {
        if (!quotes.outside(text[at]) || text[at] != '[') continue;
        const size_t length = glob_set(text.substr(at), is_paired);
        if (length == 0) return at;
        at += length - 1;
    }
    return std::nullopt;
}

ast::ProbeSpec split_probe(std::string_view text, uint32_t offset) {
    ast::ProbeSpec spec;
    spec.span = {offset, offset + static_cast<uint32_t>(text.size())};
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = part_end(text, begin);
        const Span span = {offset + static_cast<uint32_t>(begin), offset + static_cast<uint32_t>(end)};
        spec.parts.push_back({span, without_quotes(text.substr(begin, end - begin))});
        begin = end + 1;
    }
    return spec;
}

}  // namespace lt
