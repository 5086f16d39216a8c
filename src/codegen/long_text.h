// Operations on strings that are so long that the verifier could not follow each step of them: loops that it looks at
// once. Each text is an address of as many bytes as are said.
#pragma once

#include "builder.h"

namespace lt {

constexpr uint64_t most_in_line = 1024;           // bytes that are looked at one after the other
constexpr uint64_t most_compared_in_line = 8192;  // word by word
constexpr uint64_t most_searched_in_line = 1 << 16;

struct Text {
    ir::Value at = ir::no_value;
    uint32_t size = 0;
};

ir::Value text_length(Builder& b, Text text);
// Below zero, zero or above, by the first of so many bytes that differs.
ir::Value text_order(Builder& b, ir::Value left, ir::Value right, uint32_t size);
// Where the part begins; -1: nowhere.
ir::Value text_found(Builder& b, Text text, Text part);

}  // namespace lt
