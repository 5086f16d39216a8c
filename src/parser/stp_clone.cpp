#include "stp_clone.h"

#include <utility>

namespace lt::stp {
namespace {

using Change = const std::function<void(ast::ExprId&)>&;

struct Slots {
    Change change;
    void operator()(ast::Integer&) const {}
    void operator()(ast::Boolean&) const {}
    void operator()(ast::Duration&) const {}
    void operator()(ast::String&) const {}
    void operator()(ast::Name&) const {}
    void operator()(ast::Ellipsis&) const {}
    void operator()(ast::Local&) const {}
    void operator()(ast::Map& n) const { all(n.key); }
    void operator()(ast::Member& n) const { change(n.base); }
    void operator()(ast::Index& n) const { change(n.base), change(n.index); }
    void operator()(ast::Tuple& n) const { all(n.parts); }
    void operator()(ast::Cast& n) const { maybe(n.type.like), change(n.value); }
    void operator()(ast::SizeOf&) const {}
    void operator()(ast::OffsetOf&) const {}
    void operator()(ast::Call& n) const { all(n.arguments); }
    void operator()(ast::Unary& n) const { change(n.operand); }
    void operator()(ast::Binary& n) const { change(n.left), change(n.right); }
    void operator()(ast::Conditional& n) const { change(n.condition), change(n.yes), change(n.no); }
    void operator()(ast::Defined& n) const { change(n.value); }
    void operator()(ast::AnyPart&) const {}
    void operator()(ast::Step& n) const { change(n.target); }
    void operator()(ast::Positional&) const {}
    void operator()(ast::BlockValue& n) const { maybe(n.value); }

    void operator()(ast::Evaluate& n) const { change(n.value); }
    void operator()(ast::Assign& n) const { change(n.target), change(n.value); }
    void operator()(ast::If& n) const { change(n.condition); }
    void operator()(ast::Return& n) const { maybe(n.value); }
    void operator()(ast::Let& n) const { maybe(n.value); }
    void operator()(ast::Scope&) const {}
    void operator()(ast::While& n) const { change(n.condition); }
    void operator()(ast::ForRange& n) const { change(n.from), change(n.to); }
    void operator()(ast::ForMap& n) const { change(n.map), maybe(n.limit); }
    void operator()(ast::Unroll& n) const { change(n.count); }
    void operator()(ast::Jump&) const {}
    void operator()(ast::Attempt&) const {}
    void operator()(ast::Raise& n) const { change(n.message); }

  private:
    void maybe(std::optional<ast::ExprId>& id) const {
        if (id) change(*id);
    }
    void all(std::vector<ast::ExprId>& ids) const {
        for (ast::ExprId& id : ids) change(id);
    }
};

struct Blocks {
    const std::function<void(ast::Block&)>& change;
    void operator()(ast::If& n) const { change(n.yes), change(n.no); }
    void operator()(ast::Scope& n) const { change(n.body); }
    void operator()(ast::While& n) const { change(n.body); }
    void operator()(ast::ForRange& n) const { change(n.body); }
    void operator()(ast::ForMap& n) const { change(n.body); }
    void operator()(ast::Unroll& n) const { change(n.body); }
    void operator()(ast::Attempt& n) const { change(n.body), change(n.handler); }
    void operator()(ast::Evaluate&) const {}
    void operator()(ast::Assign&) const {}
    void operator()(ast::Return&) const {}
    void operator()(ast::Let&) const {}
    void operator()(ast::Jump&) const {}
    void operator()(ast::Raise&) const {}
};

}  // namespace

void each_slot(ast::ExprNode& node, Change change) { std::visit(Slots{change}, node); }
void each_slot(ast::StmtNode& node, Change change) { std::visit(Slots{change}, node); }

void each_block_slot(ast::ExprNode& node, const std::function<void(ast::Block&)>& change) {
    if (auto* block = std::get_if<ast::BlockValue>(&node)) change(block->block);
}
void each_block_slot(ast::StmtNode& node, const std::function<void(ast::Block&)>& change) {
    std::visit(Blocks{change}, node);
}

namespace {

// Copies of one program's parts in another, or in the same.
struct Cloner {
    const ast::Program& from;
    ast::Program& to;

    ast::ExprId operator()(ast::ExprId id) const {
        const Span span = from[id].span;
        ast::ExprNode node = from[id].node;
        each_slot(node, [&](ast::ExprId& child) { child = (*this)(child); });
        each_block_slot(node, [&](ast::Block& block) { block = (*this)(block); });
        return to.add(span, std::move(node));
    }
    ast::Block operator()(const ast::Block& block) const {
        ast::Block out;
        for (ast::StmtId id : block.statements) {
            const Span span = from[id].span;
            ast::StmtNode node = from[id].node;
            each_slot(node, [&](ast::ExprId& child) { child = (*this)(child); });
            each_block_slot(node, [&](ast::Block& inner) { inner = (*this)(inner); });
            out.statements.push_back(to.add(span, std::move(node)));
        }
        return out;
    }
    void replace(std::optional<ast::ExprId>& id) const {
        if (id) id = (*this)(*id);
    }

    void operator()(ast::Action& item) const { replace(item.predicate), item.body = (*this)(item.body); }
    void operator()(ast::SpanAction& item) const { replace(item.predicate), item.body = (*this)(item.body); }
    void operator()(ast::FunctionItem& item) const { item.body = (*this)(item.body); }
    void operator()(ast::MapDeclaration&) const {}
    void operator()(ast::Parameter& item) const { item.value = (*this)(item.value); }
    // link() makes none of these
    void operator()(ast::Macro&) const {}
    void operator()(ast::Config&) const {}
    void operator()(ast::Import&) const {}
    void operator()(ast::CText&) const {}
};

}  // namespace

ast::ExprId clone(ast::Program& program, ast::ExprId id) { return Cloner{program, program}(id); }
ast::Block clone(ast::Program& program, const ast::Block& block) { return Cloner{program, program}(block); }

void compact(ast::Program& program) {
    ast::Program before;
    before.exprs = std::exchange(program.exprs, {});
    before.stmts = std::exchange(program.stmts, {});
    for (ast::Item& item : program.items) std::visit(Cloner{before, program}, item.node);
}

}  // namespace lt::stp
