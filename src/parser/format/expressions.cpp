// Breaks what is too long for a line at its weakest operators: after commas and assignments, before all others.
#include <algorithm>

#include "parser/format/format.h"
#include "parser/format/layout.h"

namespace lt::format {
namespace {

using K = Parser::symbol_kind;
using Form = Node::Form;

constexpr size_t endless = 1000;  // wider than any line

}  // namespace

void Layout::add_width(const Piece& piece, size_t& sum) const {
    for (const Comment& comment : piece.comments)
        sum += comment.ends_line || comment.at_margin ? endless : width_of(comment.text) + 2;
    sum += width_of(piece.text) + (piece.spaced ? 1 : 0);
}

void Layout::add_width(Nodes nodes, size_t& sum) const {
    for (const Node& node : nodes)
        if (sum < endless) add_width(node, sum);
}

void Layout::add_width(const Node& node, size_t& sum) const {
    add_width(at(node.open), sum);
    if (node.form == Form::token) return;
    if (node.form == Form::block && !stands_inline(node)) sum += endless;
    if (node.form == Form::group) add_width(node.inside, sum);
    for (const Statement& each : node.statements) {
        if (sum >= endless) return;
        add_width(each.nodes, sum);
    }
    add_width(at(node.close), sum);
}

size_t Layout::width(Nodes nodes) const {
    size_t sum = 0;
    add_width(nodes, sum);
    return nodes.empty() || !at(nodes[0].open).spaced ? sum : sum - 1;
}

size_t Layout::width(const Node& node) const { return width(Nodes(&node, 1)); }

bool Layout::fits(Nodes nodes, size_t cont, size_t trail) const {
    const size_t blank = !nodes.empty() && !out_.line_ended() && !out_.at_start() && at(nodes[0].open).spaced ? 1 : 0;
    return out_.column(cont) + blank + width(nodes) + trail <= format_columns;
}

void Layout::flat(Nodes nodes, size_t cont) {
    for (const Node& node : nodes) flat(node, cont);
}

void Layout::flat(const Node& node, size_t cont) {
    if (node.form == Form::block) return block(node, true);
    put(node.open, cont);
    if (node.form == Form::token) return;
    flat(node.inside, cont);
    put(node.close, cont);
}

void Layout::expression(Nodes nodes, size_t cont, size_t trail) {
    if (fits(nodes, cont, trail)) return flat(nodes, cont);
    const Rank rank = weakest(nodes);
    if (rank == Rank::none) return chain(nodes, cont, trail);
    if (rank == Rank::comma) return list(parts(nodes, rank), cont, trail);
    if (rank == Rank::assign) return assignment(nodes, cont, trail);
    operands(parts(nodes, rank), cont, trail);
}

// The `:` of a loop or a type does not count, nor does an operator that the nodes begin with, nor a comma at their end.
Rank Layout::weakest(Nodes nodes) const {
    const bool chooses = std::ranges::any_of(nodes, [&](const Node& n) { return rank(n) == Rank::choose; });
    Rank found = Rank::none;
    for (size_t i = 1; i < nodes.size(); i++) {
        const Rank here = rank(nodes[i]);
        if (here == Rank::none || (here == Rank::otherwise && !chooses)) continue;
        if (here == Rank::comma && i + 1 == nodes.size()) continue;
        if (found == Rank::none || here < found) found = here;
    }
    return found;
}

// A comma ends a part, other operators begin one.
std::vector<Nodes> Layout::parts(Nodes nodes, Rank at_rank) const {
    std::vector<Nodes> out;
    size_t begin = 0;
    for (size_t i = 1; i < nodes.size(); i++) {
        if (rank(nodes[i]) != at_rank) continue;
        const size_t end = at_rank == Rank::comma ? i + 1 : i;
        out.push_back(nodes.subspan(begin, end - begin));
        begin = end;
    }
    if (begin < nodes.size()) out.push_back(nodes.subspan(begin));
    return out;
}

void Layout::list(const std::vector<Nodes>& parts, size_t cont, size_t trail) {
    for (size_t i = 0; i < parts.size(); i++) {
        const size_t after = i + 1 == parts.size() ? trail : 0;
        if (i > 0 && !fits(parts[i], cont, after)) break_line(parts[i], cont);
        expression(parts[i], cont + indent_step, after);
    }
}

void Layout::operands(const std::vector<Nodes>& parts, size_t cont, size_t trail) {
    for (size_t i = 0; i < parts.size(); i++) {
        const size_t after = i + 1 == parts.size() ? trail : 0;
        if (i > 0 && !fits(parts[i], cont, after)) break_line(parts[i], cont);
        expression(parts[i], i > 0 ? cont + indent_step : cont, after);
    }
}

void Layout::assignment(Nodes nodes, size_t cont, size_t trail) {
    size_t at = 1;
    while (rank(nodes[at]) != Rank::assign) at++;
    const Nodes value = nodes.subspan(at + 1);
    expression(nodes.first(at), cont, 1 + width(nodes[at]));
    flat(nodes[at], cont);
    if (!fits(value, cont, trail) && cont + width(value) + trail <= format_columns) break_line(value, cont);
    expression(value, cont, trail);
}

void Layout::chain(Nodes nodes, size_t cont, size_t trail) {
    for (size_t i = 0; i < nodes.size(); i++) {
        const Nodes rest = nodes.subspan(i);
        if (fits(rest, cont, trail)) return flat(rest, cont);
        const Node& node = nodes[i];
        const auto* const next = std::find_if(rest.data() + 1, rest.data() + rest.size(),
                                              [](const Node& n) { return n.form != Form::token; });
        const Nodes between(rest.data() + 1, next);
        const size_t after = width(between) + (next == rest.data() + rest.size() ? trail : 1);
        if (node.form == Form::token)
            put(node.open, cont);
        else if (node.form == Form::block)
            block(node, fits(rest.first(1), cont, after));
        else
            group(node, cont, 0, after);
    }
}

// `inside`: the indentation of what continues in it; 0: that of its first piece.
void Layout::group(const Node& node, size_t cont, size_t inside, size_t trail) {
    put(node.open, cont);
    expression(node.inside, inside > 0 ? inside : out_.column(cont), trail + 1);
    put(node.close, cont);
}

}  // namespace lt::format
