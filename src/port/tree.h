// A program's tree as the steps of a port change it: looking, comparing and putting something in another's place.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "parser/ast.h"
#include "parser/rewrite.h"

namespace lt::port {

class Tree {
  public:
    using Exprs = std::function<void(ast::ExprId)>;
    using Stmts = std::function<void(ast::StmtId)>;

    explicit Tree(ast::Program& p) : program(p) {}
    ast::Program& program;
    // Places of items that became part of another one, with the place of that.
    std::vector<std::pair<Span, Span>> absorbed;

    const ast::ExprNode& node(ast::ExprId id) const { return program[id].node; }
    template <class Node>
    const Node* get(ast::ExprId id) const {
        return std::get_if<Node>(&program[id].node);
    }
    template <class Node>
    const Node* get(ast::StmtId id) const {
        return std::get_if<Node>(&program[id].node);
    }
    void put(ast::ExprId id, ast::ExprNode node) { program.exprs[static_cast<size_t>(id)].node = std::move(node); }
    void put(ast::StmtId id, ast::StmtNode node) { program.stmts[static_cast<size_t>(id)].node = std::move(node); }
    ast::ExprId like(ast::ExprId id, ast::ExprNode node) { return program.add(program[id].span, std::move(node)); }
    ast::StmtId like(ast::StmtId id, ast::StmtNode node) { return program.add(program[id].span, std::move(node)); }

    // A copy of an expression, of which the machine knows what it knows of the expression.
    ast::ExprId copy(ast::ExprId id);
    ast::Block copy(const ast::Block& block);
    void put_copy(ast::ExprId to, ast::ExprId from);
    ast::ExprId origin(ast::ExprId id) const;

    // Below all casts to a number of 64 bits, which a program of SystemTap's has around what is none in C.
    ast::ExprId bare(ast::ExprId id) const;
    bool same(ast::ExprId a, ast::ExprId b) const;  // but for such casts
    bool same(const ast::Block& a, const ast::Block& b) const;

    // All expressions and statements below, those of blocks too; what is visited may be changed.
    void each_expr(ast::ExprId id, const Exprs& visit) const;
    void each_expr(const ast::Block& block, const Exprs& visit) const;
    void each_stmt(const ast::Block& block, const Stmts& visit) const;
    void each_expr(const ast::Item& item, const Exprs& visit) const;
    bool any_expr(ast::ExprId id, const std::function<bool(ast::ExprId)>& is) const;
    bool any_expr(const ast::Block& block, const std::function<bool(ast::ExprId)>& is) const;

    // Calls `change` with the statements of the block and of all blocks in it, the inner ones first.
    void change_blocks(ast::Block& block, const std::function<void(std::vector<ast::StmtId>&)>& change);
    // The body of an action, a span or a function; nullptr where an item has none.
    static ast::Block* body(ast::Item& item);
    static const ast::Block* body(const ast::Item& item);

    bool is_name(ast::ExprId id, std::string_view name) const;
    bool is_map(ast::ExprId id, std::string_view name) const;
    // Has it no effect, and is it the same wherever it stands in its block?
    bool is_pure(ast::ExprId id) const;
    // How often a local is written to.
    size_t writes(const ast::Block& block, const std::string& local) const;
    std::set<std::string> maps() const;  // that are used in an item

  private:
    std::map<ast::ExprId, ast::ExprId> origins_;
};

}  // namespace lt::port
