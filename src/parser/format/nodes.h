// The brackets, blocks and statements of a script, from its pieces alone.
#pragma once

#include <cstddef>
#include <vector>

#include "parser/format/pieces.h"

namespace lt::format {

struct Node;

// With its `;`, if there is one. An item is one, too.
struct Statement {
    std::vector<Node> nodes;
};

// A token; or what stands in parentheses, square brackets or the slashes of a predicate; or a block.
struct Node {
    enum class Form : uint8_t { token, group, block };
    Form form = Form::token;
    size_t open = 0;   // the index of the piece: the token, or the opening bracket
    size_t close = 0;  // of the closing bracket
    std::vector<Node> inside = {};
    std::vector<Statement> statements = {};  // of a block
};

// All items.
std::vector<Statement> items_of(const std::vector<Piece>& pieces);

// The index of the first piece.
size_t first_piece(const Statement& statement);

}  // namespace lt::format
