// A tree as the text of a `.lt` program that parses to the same tree, laid out as a person would write it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/ast.h"

namespace lt::ast {

// A comment of the text that the tree came from, as it is to be printed.
struct Remark {
    uint32_t begin = 0;       // where it stood: it is printed before the first statement behind it
    uint32_t line_begin = 0;  // of a comment behind something else in its line: where that line begins
    bool trails = false;      // is it one?
    bool apart = false;       // does an empty line follow?
    std::string text;         // with its //, without an indentation; may have several lines
};

struct PrintOptions {
    std::map<size_t, std::vector<Remark>> remarks = {};  // by item, in their order
    std::vector<Remark> first = {};                      // before all items
    std::vector<Remark> last = {};                       // behind all items
    const Source* source = nullptr;                      // integers stand as they were written there
};

// Trees that are made by a grammar can be printed, and others that have no names, nodes or types of their own.
std::string print(const Program& program, const PrintOptions& options = {});
std::string print(const Program& program, ExprId id);

}  // namespace lt::ast
