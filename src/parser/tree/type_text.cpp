#include "parser/tree/type_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

// Names of types that do not end with _t. Type names in C end so; values of this language do not.
constexpr std::array<std::string_view, 27> type_words = {
    "struct", "union",  "enum",   "const", "volatile", "unsigned", "signed", "void",  "bool",
    "char",   "short",  "int",    "long",  "int8",     "int16",    "int32",  "int64", "uint8",
    "uint16", "uint32", "uint64", "u8",    "u16",      "u32",      "u64",    "s32",   "s64",
};

constexpr std::string_view blanks = " \t\r\n";

bool is_type_word(std::string_view word) {
    return word.ends_with("_t") || std::ranges::find(type_words, word) != type_words.end();
}

std::string_view next_word(std::string_view& text) {
    const size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    const size_t end = std::min(text.find_first_of(" \t\r\n*[", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

}  // namespace

bool is_surely_type(std::string_view text) {
    const std::string_view word = next_word(text);
    return is_type_word(word) || (word == "string" && text.find('[') != text.npos);
}

bool is_value_name(std::string_view name) { return find_variable(name) != nullptr; }

ast::TypeName split_type(std::string_view text, uint32_t offset) {
    ast::TypeName type;
    type.span = {offset, offset + static_cast<uint32_t>(text.size())};
    const size_t last = text.find_last_of("]*");
    if (const size_t array = text.rfind(']'); array != text.npos && last > array) {  // int32[4]*
        type.name = ast::text(split_type(text.substr(0, array + 1), offset));
        type.pointers =
            static_cast<uint32_t>(std::count(text.begin() + static_cast<ptrdiff_t>(array), text.end(), '*'));
        return type;
    }
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
        if (word == "const" || word == "volatile") continue;
        if (!type.name.empty()) type.name += ' ';
        type.name += word;
    }
    type.pointers = static_cast<uint32_t>(std::ranges::count(text, '*'));
    if (const size_t bracket = text.find('['); bracket != std::string_view::npos) {
        const size_t digits = std::min(text.find_first_not_of(blanks, bracket + 1), text.size());
        uint64_t count = 0;
        const auto read = std::from_chars(text.data() + digits, text.data() + text.size(), count);
        type.count = read.ec == std::errc::result_out_of_range ? UINT64_MAX : count;
    }
    return type;
}

}  // namespace lt
