// Operations on strings that are too long for the verifier to follow each step: loops that it checks once. Each text is
// an address and its size in bytes.
#pragma once

#include "codegen/ir/builder.h"
#include "stdlib/limits.h"

namespace lt {

constexpr uint64_t most_compared_in_line = 8192;  // word by word
// Bytes of the text times bytes of the part. The verifier follows each pair, again for each state in which it comes to
// the search; those in a loop that the kernel runs can be a hundred.
constexpr uint64_t most_searched_in_line = 1 << 13;
constexpr uint64_t most_searched_in_loop = 1 << 9;

struct Text {
    ir::Value at = ir::no_value;
    uint32_t size = 0;
};

ir::Value text_length(Builder& b, Text text);
// Negative, zero or positive, according to the first different byte.
ir::Value text_order(Builder& b, ir::Value left, ir::Value right, uint32_t size);
// Are all bytes the same, whatever they are? The size is a multiple of 8.
ir::Value bytes_equal(Builder& b, ir::Value left, ir::Value right, uint32_t size);
bool is_long_search(const Builder& b, Text text, Text part);
// The index of the part; -1 if it is not found.
ir::Value text_found(Builder& b, Text text, Text part);

}  // namespace lt
