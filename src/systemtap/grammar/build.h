// The actions of SystemTap's grammar.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/tree/growing_tree.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {

class TreeBuilder {
  public:
    using Exprs = std::vector<ast::ExprId>;

    TreeBuilder(ast::Program& program, Tree& tree, Diags& diags)
        : program_(program), tree_(tree), diags_(diags), nodes_(program, diags) {}

    ast::ExprId expr(Span span, ast::ExprNode node) { return nodes_.add(span, std::move(node)); }
    ast::ExprId binary(ast::BinaryOp op, ast::ExprId left, ast::ExprId right);
    ast::ExprId call(Span span, std::string name, Exprs arguments) {
        return call(span, span, std::move(name), std::move(arguments));
    }
    ast::ExprId call(Span span, Span name_span, std::string name, Exprs arguments);
    ast::ExprId match(Span span, ast::ExprId text, ast::ExprId pattern, bool negated);
    ast::ExprId shift_zeros(Span span, ast::ExprId value, ast::ExprId by);
    ast::ExprId step(Span span, ast::ExprId target, ast::BinaryOp op, bool before);
    ast::ExprId assignment(Span span, ast::ExprId target, std::optional<ast::BinaryOp> op, ast::ExprId value);
    ast::ExprId index(Span span, ast::ExprId base, Exprs index);
    ast::ExprId member_of(Span span, const std::string& map, Span map_span, Exprs key);

    ast::StmtId stmt(Span span, ast::StmtNode node) { return nodes_.add(span, std::move(node)); }
    ast::StmtId evaluate(Span span, ast::ExprId value);
    ast::StmtId remove(Span span, ast::ExprId what);
    ast::StmtId repeat(Span span, std::optional<ast::StmtId> first, std::optional<ast::ExprId> condition,
                       std::optional<ast::StmtId> step, ast::Block body);
    std::optional<ast::StmtId> over_buckets(Span span, const Each& each, ast::Block& body);
    ast::StmtId foreach (Span span, Each each, ast::Block body);
    ast::StmtId attempt(Span span, ast::Block body, const std::string& name, Span name_span, ast::Block handler);

    void probe(Span span, std::vector<Point> points, ast::Block body) {
        tree_.probes.push_back({span, std::move(points), std::move(body)});
    }
    void alias(Span span, std::vector<Point> names, std::vector<Point> points, ast::Block before, ast::Block after);
    void global(Global global) { tree_.globals.push_back(std::move(global)); }
    void function(Function function) { tree_.functions.push_back(std::move(function)); }
    void embedded(Span span, std::string text) { tree_.embedded.push_back({c_span(span), std::move(text)}); }

    // Combines each of both: left.right. Conditions and marks of the whole apply to each. Neither is empty.
    std::vector<Point> product(const std::vector<Point>& left, const std::vector<Point>& right);

  private:
    void limit_shift(std::optional<ast::BinaryOp> op, ast::ExprId count);
    bool goes_on(const ast::Block& body) const;
    void save_key(ast::ExprId statistic, std::vector<ast::StmtId>& before);
    std::optional<ast::MapOrder> order_of(const Each& each);

    ast::Program& program_;
    Tree& tree_;
    Diags& diags_;
    GrowingTree nodes_;
    uint32_t loops_ = 0;
    bool has_too_many_points_ = false;
};

// The number of buckets of @hist_log(x) or @hist_linear(x, low, high, step), with those below and above the bounds;
// none if the bounds are not literals.
std::optional<int64_t> buckets_of(const ast::Program& program, const ast::Call& histogram);

}  // namespace lt::stp
