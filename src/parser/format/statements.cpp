// Blocks, and the statements in them.
#include <algorithm>
#include <array>

#include "parser/format/format.h"
#include "parser/format/layout.h"

namespace lt::format {
namespace {

using K = Parser::symbol_kind;
using Form = Node::Form;

}  // namespace

// Has the author left the first statement in the line of the bracket?
bool Layout::stands_inline(const Node& block) const {
    return block.statements.empty() || !at(first_piece(block.statements.front())).starts_line;
}

// Statements that end with a block, and have no `;`.
bool Layout::has_branches(const Statement& statement) const {
    constexpr std::array kinds{K::S_IF,    K::S_WHILE, K::S_FOR,    K::S_UNROLL, K::S_BARE_OPEN,
                               K::S_MACRO, K::S_FN,    K::S_CONFIG, K::S_TIMEOUT, K::S_ELSE};
    return std::ranges::find(kinds, at(first_piece(statement)).kind) != kinds.end();
}

void Layout::statement(const Statement& statement) {
    const Nodes nodes = statement.nodes;
    if (has_branches(statement))
        branches(nodes);
    else
        expression(nodes, indent_ + indent_step, 0);
}

// A branch is a head and a block. All of them are in one line, or each is in one, or all blocks have lines.
void Layout::branches(Nodes nodes) {
    if (fits(nodes, indent_, 0)) return flat(nodes, indent_);
    std::vector<Nodes> all;
    size_t from = 0;
    for (size_t i = 0; i < nodes.size(); i++) {
        const bool ends =
            i + 1 == nodes.size() || kind(nodes[i + 1]) == K::S_ELSE || kind(nodes[i + 1]) == K::S_SEMICOLON;
        if (nodes[i].form != Form::block || !ends) continue;
        all.push_back(nodes.subspan(from, i + 1 - from));
        from = i + 1;
    }
    const auto beside = [&](Nodes n) { return indent_ + width(n) <= format_columns; };
    const bool in_lines = all.size() > 1 && std::ranges::all_of(all, beside) && fits(all.front(), indent_, 0);
    for (const Nodes branch : all) {
        const Nodes head = branch.first(branch.size() - 1);
        const bool is_first = branch.data() == nodes.data();
        if (in_lines && !is_first) break_line(branch, indent_);
        if (!is_first && !at(head.front().open).comments.empty()) begin(head.front().open);
        expression(head, indent_ + indent_step, 2);
        block(branch.back(), in_lines);
    }
    flat(nodes.subspan(from), indent_);
}

void Layout::begin(size_t piece) {
    out_.begin(at(piece), indent_, true);
    pieces_[piece].comments.clear();  // they are written
}

void Layout::break_line(Nodes before, size_t cont) {
    const size_t piece = before.front().open;
    out_.begin(at(piece), cont, false);
    pieces_[piece].comments.clear();
}

void Layout::block(const Node& node, bool beside) {
    put(node.open, indent_);
    const bool is_empty = node.statements.empty() && !out_.line_ended() && at(node.close).comments.empty();
    if (is_empty || beside) {
        for (const Statement& each : node.statements) flat(Nodes(each.nodes), indent_);
        return put(node.close, indent_);
    }
    out_.opened();
    const size_t outside = indent_;
    indent_ += indent_step;
    statements(node);
    out_.closing(at(node.close), outside, indent_);
    indent_ = outside;
}

// The author's simple statements in one line stay in one, if they fit; those of a block in one line do not.
void Layout::statements(const Node& block) {
    const bool keeps_lines = !stands_inline(block);
    const Statement* before = nullptr;
    for (const Statement& each : block.statements) {
        const bool joins = keeps_lines && before != nullptr && !at(first_piece(each)).starts_line &&
                           !has_branches(*before) && !has_branches(each) && fits(each.nodes, indent_, 0) &&
                           !out_.line_ended();
        if (!joins) begin(first_piece(each));
        statement(each);
        before = &each;
    }
}

}  // namespace lt::format
