// A script's tree while a port changes it: searching, comparing and replacing.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "parser/tree/ast.h"
#include "parser/tree/rewrite.h"

namespace lt::port {

class Tree {
  public:
    using Exprs = std::function<void(ast::ExprId)>;
    using Stmts = std::function<void(ast::StmtId)>;

    explicit Tree(ast::Program& p) : program(p) {}
    ast::Program& program;
    // Places of items that were merged into another one, with the place of that one.
    std::vector<std::pair<Span, Span>> absorbed;

    const ast::ExprNode& node(ast::ExprId id) const { return program[id].node; }
    template <class Node>
    const Node* get(ast::ExprId id) const {
        return program.get<Node>(id);
    }
    template <class Node>
    const Node* get(ast::StmtId id) const {
        return program.get<Node>(id);
    }
    void put(ast::ExprId id, ast::ExprNode node) { program.put(id, std::move(node)); }
    void put(ast::StmtId id, ast::StmtNode node) { program.put(id, std::move(node)); }
    ast::ExprId like(ast::ExprId id, ast::ExprNode node) { return program.add(program[id].span, std::move(node)); }
    ast::StmtId like(ast::StmtId id, ast::StmtNode node) { return program.add(program[id].span, std::move(node)); }
    void become(ast::ExprId id, ast::ExprId other) { put(id, ast::ExprNode(node(other))); }

    // A copy of an expression, with the same types.
    ast::ExprId copy(ast::ExprId id);
    ast::Block copy(const ast::Block& block);
    void put_copy(ast::ExprId to, ast::ExprId from);
    ast::ExprId origin(ast::ExprId id) const;

    // Removes the casts to a 64-bit number that SystemTap has around everything that is not one in C.
    ast::ExprId bare(ast::ExprId id) const;
    bool same(ast::ExprId a, ast::ExprId b) const;  // ignoring such casts
    bool same(const ast::Block& a, const ast::Block& b) const;

    // All expressions and statements below, including those in blocks; `visit` may change them.
    void each_expr(ast::ExprId id, const Exprs& visit) const;
    void each_expr(const ast::Block& block, const Exprs& visit) const;
    void each_stmt(const ast::Block& block, const Stmts& visit) const;
    void each_expr(const ast::Item& item, const Exprs& visit) const;

    // The expressions below a part (an expression, a block, an item) for which `is` is true.
    template <class Part, class Is>
    std::vector<ast::ExprId> find(const Part& part, const Is& is) const {
        std::vector<ast::ExprId> out;
        each_expr(part, [&](ast::ExprId e) {
            if (is(e)) out.push_back(e);
        });
        return out;
    }
    template <class Part, class Is>
    bool any_expr(const Part& part, const Is& is) const {
        return !find(part, is).empty();
    }
    size_t size(ast::ExprId id) const {
        return find(id, [](ast::ExprId) { return true; }).size();
    }
    template <class Part>
    std::vector<ast::ExprId> uses(const Part& part, std::string_view local) const {
        return find(part, [&](ast::ExprId e) { return is<ast::Local>(e, local); });
    }
    // Replaces locals by copies of their values.
    template <class Part>
    void replace_locals(const Part& part, const std::map<std::string, ast::ExprId>& values) {
        const auto is_known = [&](ast::ExprId e) {
            return get<ast::Local>(e) && values.contains(get<ast::Local>(e)->name);
        };
        for (ast::ExprId e : find(part, is_known)) put_copy(e, values.at(get<ast::Local>(e)->name));
    }

    // Calls `change` with the statements of the block and of all nested blocks, inner ones first.
    void change_blocks(ast::Block& block, const std::function<void(std::vector<ast::StmtId>&)>& change);
    // The body of an action, a span or a function; nullptr if the item has none.
    static ast::Block* body(ast::Item& item);
    static const ast::Block* body(const ast::Item& item);
    void each_body(const std::function<void(ast::Block&)>& visit);

    // Is it a Local, a Map, a Call ... with the name?
    template <class Node>
    bool is(ast::ExprId id, std::string_view name) const {
        return program.is<Node>(id, name);
    }
    bool is_name(ast::ExprId id, std::string_view name) const { return is<ast::Name>(bare(id), name); }
    bool is_map(ast::ExprId id, std::string_view name) const { return is<ast::Map>(bare(id), name); }
    // The call, or the call that the statement consists of, if it is of one of these functions; otherwise nullptr.
    using Names = std::initializer_list<std::string_view>;
    const ast::Call* call(ast::ExprId id, Names functions) const;
    const ast::Call* call(ast::StmtId id, Names functions) const;
    // The target of an assignment, if that is such a node; otherwise nullptr.
    template <class Node>
    const Node* target(ast::StmtId id) const {
        return program.target<Node>(id);
    }
    bool declares(ast::StmtId id, std::string_view local) const {
        const auto* let = get<ast::Let>(id);
        return let && let->name == local;
    }
    // Does the block consist of a `return`?
    bool leaves(const ast::Block& block) const {
        return block.statements.size() == 1 && get<ast::Return>(block.statements[0]);
    }
    bool is_plain(ast::ExprId id) const {  // a literal or an operator
        return get<ast::Integer>(id) || get<ast::String>(id) || get<ast::Binary>(id) || get<ast::Unary>(id) ||
               get<ast::Cast>(id);
    }
    // Does it have no effect, and the same value everywhere in its block?
    bool is_pure(ast::ExprId id) const;
    // Number of assignments to a local.
    size_t writes(const ast::Block& block, const std::string& local) const;
    std::set<std::string> maps() const;  // used in any item
    std::set<std::string> maps(const ast::Item& item) const;

  private:
    template <class Part>
    Part copy_of(const Part& part);

    std::map<ast::ExprId, ast::ExprId> origins_;
};

}  // namespace lt::port
