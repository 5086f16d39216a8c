// Prints a tree as the text of a `.lt` program that parses to the same tree, formatted as a person would write it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt::ast {

// A comment from the tree's original text, as it is printed.
struct Remark {
    uint32_t begin = 0;       // its original position: it is printed before the first statement after it
    uint32_t line_begin = 0;  // for a comment after other text in its line: start of that line
    bool trails = false;      // does it follow other text in its line?
    bool apart = false;       // does an empty line follow?
    std::string text;         // with its //, not indented; may have several lines
};

struct PrintOptions {
    std::map<size_t, std::vector<Remark>> remarks = {};  // by item, in order
    std::vector<Remark> first = {};                      // before all items
    std::vector<Remark> last = {};                       // after all items
    const Source* source = nullptr;                      // integers are printed as written there
};

// Prints trees from any grammar, if all their names, nodes and types exist in `.lt`.
std::string print(const Program& program, const PrintOptions& options = {});
std::string print(const Program& program, ExprId id);

}  // namespace lt::ast
