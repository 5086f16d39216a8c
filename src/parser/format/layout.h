// Lays out items, statements and blocks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "parser/format/nodes.h"
#include "parser/format/pieces.h"
#include "parser/format/writer.h"

namespace lt::format {

using Nodes = std::span<const Node>;

constexpr size_t indent_step = 4;

class Layout {
  public:
    explicit Layout(std::vector<Piece>& pieces) : pieces_(pieces) {}
    std::string all();

  private:
    const Piece& at(size_t piece) const { return pieces_[piece]; }
    SymbolKind kind(const Node& node) const { return at(node.open).kind; }
    Rank rank(const Node& node) const { return node.form == Node::Form::token ? at(node.open).rank : Rank::none; }
    void put(size_t piece, size_t cont) { out_.next(at(piece), cont); }

    // Widths in one line, of which the first piece's blank is not a part; more than any line if they cannot be in one.
    size_t width(Nodes nodes) const;
    size_t width(const Node& node) const;
    void add_width(const Piece& piece, size_t& sum) const;
    void add_width(Nodes nodes, size_t& sum) const;
    void add_width(const Node& node, size_t& sum) const;
    bool fits(Nodes nodes, size_t cont, size_t trail) const;
    bool stands_inline(const Node& block) const;

    // expressions.cpp: what continues in other lines is indented by `cont`; `trail` characters must follow.
    void flat(Nodes nodes, size_t cont);
    void flat(const Node& node, size_t cont);
    void expression(Nodes nodes, size_t cont, size_t trail);
    Rank weakest(Nodes nodes) const;
    std::vector<Nodes> parts(Nodes nodes, Rank at_rank) const;
    void list(const std::vector<Nodes>& parts, size_t cont, size_t trail);
    void operands(const std::vector<Nodes>& parts, size_t cont, size_t trail);
    void assignment(Nodes nodes, size_t cont, size_t trail);
    void chain(Nodes nodes, size_t cont, size_t trail);
    void group(const Node& node, size_t cont, size_t inside, size_t trail);

    // statements.cpp
    void statement(const Statement& statement);
    bool has_branches(const Statement& statement) const;
    void branches(Nodes nodes);
    void block(const Node& node, bool beside);
    void statements(const Node& block);
    void begin(size_t piece);                    // it begins a line, as a statement does
    void break_line(Nodes before, size_t cont);  // the nodes begin a line that continues the statement

    // heads.cpp: the events of an item
    void item(const Statement& item, const Statement* before);
    void action(Nodes nodes);
    void chain_item(Nodes nodes);
    void head(Nodes nodes, size_t trail);
    void events(Nodes nodes, size_t trail);
    void predicate(const Node& node, size_t trail);

    std::vector<Piece>& pieces_;
    Writer out_;
    size_t indent_ = 0;  // of the statement
};

}  // namespace lt::format
