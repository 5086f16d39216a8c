// What the grammar's actions call: they make the nodes of the tree and refuse what the grammar accepts only to say
// clearly what is wrong with it. The tree is never deeper than a fixed limit, so that later stages may walk it by
// recursion.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "parser/ast.h"

namespace lt {

class Builder {
  public:
    Builder(ast::Program& program, Diags& diags) : program_(program), diags_(diags) {}

    using Exprs = std::vector<ast::ExprId>;

    ast::ExprId leaf(Span span, ast::ExprNode node);
    ast::ExprId map(Span span, std::string name, Exprs key);
    ast::ExprId member(Span span, ast::ExprId base, std::string field, Span field_span);
    ast::ExprId index(Span span, ast::ExprId base, ast::ExprId index);
    ast::ExprId tuple(Span span, ast::ExprId first, Exprs others = {});
    ast::ExprId record(Span span, ast::Tuple fields);
    ast::ExprId container(Span span, const std::string& name, Span name_span, const Exprs& arguments,
                          ast::TypeName type, std::vector<std::string> path);
    ast::ExprId cast(Span span, ast::TypeName type, ast::ExprId value);
    const ast::TypeName* given_type(ast::ExprId id) const;
    static ast::TypeName address_type(Span span, ast::TypeName to);
    ast::TypeName array_type(Span span, ast::TypeName of, uint64_t count);
    ast::ExprId type_call(Span span, const std::string& name, ast::TypeName type);  // sizeof(type)
    ast::ExprId call(Span span, std::string name, Span name_span, Exprs arguments);
    ast::ExprId known(Span span, ast::ExprId value);
    ast::ExprId found(Span span, Exprs arguments);
    ast::ExprId unary(Span span, ast::UnaryOp op, ast::ExprId operand);
    ast::ExprId binary(ast::BinaryOp op, ast::ExprId left, ast::ExprId right);
    ast::ExprId conditional(Span span, ast::ExprId condition, ast::ExprId yes, ast::ExprId no);

    ast::StmtId evaluate(Span span, ast::ExprId value);
    ast::StmtId assign(Span span, ast::ExprId target, std::optional<ast::BinaryOp> op, ast::ExprId value);
    ast::StmtId used(ast::StmtId statement);  // refuses a value that stands alone
    ast::ExprId step(Span span, ast::ExprId target, ast::BinaryOp op, bool before);  // ++ and --
    ast::ExprId block_value(Span span, std::vector<ast::StmtId> statements);
    ast::StmtId choose(Span span, ast::ExprId condition, ast::Block yes, ast::Block no);
    ast::StmtId repeat(Span span, ast::StmtNode loop);
    ast::StmtId for_map(Span span, ast::ForMap loop);  // build_order.cpp
    ast::StmtId scope(Span span, ast::Block body) { return repeat(span, ast::Scope{std::move(body)}); }
    ast::StmtId leave(Span span, std::optional<ast::ExprId> value);
    ast::StmtId jump(Span span, bool again);
    ast::StmtId let(Span span, std::string name, Span name_span, std::optional<ast::TypeName> type,
                    std::optional<ast::ExprId> value);

    // The predicate behind the last event is that of the whole item.
    ast::SpanAction predicates(ast::SpanAction head);
    void action(Span span, ast::SpanAction head, Span body_span, ast::Block body);
    void span(Span span, ast::SpanAction head, ast::Block body);
    void timeout(Span span, Span word, ast::ExprId after, ast::Block body);  // of the item before it
    void parameter(Span span, std::string name, Span name_span, ast::ExprId value, std::string help);
    ast::StmtId import(Span span, std::string path, Span path_span);
    void item(Span span, ast::ItemNode node) { add_item(span, std::move(node)); }
    void macro(Span span, std::string name, Span name_span, Exprs parameters, std::vector<ast::StmtId> body);
    void broken();  // an item was passed over

    void settle(const std::vector<ast::StmtId>& statements);
    ast::ExprId chosen(Span span, ast::ExprId condition, const ast::Block& yes, const ast::Block& no);

  private:
    bool ends_with_value(const std::vector<ast::StmtId>& statements) const;
    bool only_calls(const std::vector<ast::StmtId>& statements) const;
    ast::ExprId value_of(ast::StmtId statement);
    bool acts(ast::ExprId id) const;
    ast::StmtNode choice_of_calls(const ast::Conditional& node);
    bool order_word(ast::ExprId id, ast::MapOrder& order) const;
    std::vector<std::string> path_of(ast::ExprId id) const;
    ast::ExprId members_of_task(Span span, std::string_view members, ast::ExprId value);
    void add_item(Span span, ast::ItemNode node);
    Span key_span(const ast::Endpoint& endpoint) const;
    Exprs with_key(Span span, Exprs arguments);
    ast::StmtId add_leaf(Span span, ast::StmtNode node);
    void refuse_span_parts(const ast::SpanAction& head, Span body);
    void refuse_predicates(const std::vector<ast::Endpoint>& events, std::string_view what, std::string_view hint);
    void check_endpoints(const ast::SpanAction& span);
    ast::ExprId add(Span span, ast::ExprNode node, const Exprs& children);
    uint32_t depth_of(const Exprs& exprs) const;
    uint32_t depth_of(const ast::Block& block) const;
    uint32_t check_depth(Span span, uint32_t depth);

    ast::Program& program_;
    Diags& diags_;
    std::vector<uint32_t> expr_depths_;  // by ExprId
    std::vector<uint32_t> stmt_depths_;  // by StmtId; statements only
    bool said_too_deep_ = false;
    bool after_broken_ = false;
};

}  // namespace lt
