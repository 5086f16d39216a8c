// The words of C text, without comments and strings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lt {

struct CWord {
    std::string_view text;
    uint32_t offset = 0;
    bool is_member = false;  // after . or ->
    bool is_called = false;  // before a parenthesis
};
std::vector<CWord> c_words(std::string_view text);

}  // namespace lt
