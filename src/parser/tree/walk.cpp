// The children of each kind of node, in one place.
#include <utility>

#include "parser/tree/rewrite.h"

namespace lt::ast {
namespace {

using Visit = const std::function<void(ExprId)>&;
using Change = const std::function<void(ExprId&)>&;

struct Slots {
    Change change;
    void operator()(Integer&) const {}
    void operator()(Boolean&) const {}
    void operator()(Duration&) const {}
    void operator()(String&) const {}
    void operator()(Name&) const {}
    void operator()(Ellipsis&) const {}
    void operator()(Local&) const {}
    void operator()(Map& n) const { all(n.key); }
    void operator()(Member& n) const { change(n.base); }
    void operator()(Index& n) const { change(n.base), change(n.index); }
    void operator()(Tuple& n) const { all(n.parts); }
    void operator()(Cast& n) const { maybe(n.type.like), change(n.value); }
    void operator()(SizeOf& n) const { maybe(n.type.like); }
    void operator()(OffsetOf& n) const { maybe(n.type.like); }
    void operator()(Call& n) const { all(n.arguments); }
    void operator()(Unary& n) const { change(n.operand); }
    void operator()(Binary& n) const { change(n.left), change(n.right); }
    void operator()(Conditional& n) const { change(n.condition), change(n.yes), change(n.no); }
    void operator()(Step& n) const { change(n.target); }
    void operator()(Positional&) const {}
    void operator()(BlockValue& n) const { maybe(n.value); }
    void operator()(AnyPart&) const {}
    void operator()(Defined& n) const { change(n.value); }
    void operator()(Evaluate& n) const { change(n.value); }
    void operator()(Assign& n) const { change(n.target), change(n.value); }
    void operator()(If& n) const { change(n.condition); }
    void operator()(Return& n) const { maybe(n.value); }
    void operator()(Let& n) const {
        if (n.type) maybe(n.type->like);
        maybe(n.value);
    }
    void operator()(Scope&) const {}
    void operator()(While& n) const { change(n.condition); }
    void operator()(ForRange& n) const { change(n.from), change(n.to); }
    void operator()(ForMap& n) const { change(n.map), maybe(n.limit); }
    void operator()(Unroll& n) const { change(n.count); }
    void operator()(Jump&) const {}
    void operator()(Attempt&) const {}
    void operator()(Raise& n) const { change(n.message); }

  private:
    void maybe(std::optional<ExprId>& id) const {
        if (id) change(*id);
    }
    void all(std::vector<ExprId>& ids) const {
        for (ExprId& id : ids) change(id);
    }
};

struct Blocks {
    const std::function<void(Block&)>& change;
    void operator()(If& n) const { change(n.yes), change(n.no); }
    void operator()(Scope& n) const { change(n.body); }
    void operator()(While& n) const { change(n.body); }
    void operator()(ForRange& n) const { change(n.body); }
    void operator()(ForMap& n) const { change(n.body); }
    void operator()(Unroll& n) const { change(n.body); }
    void operator()(Attempt& n) const { change(n.body), change(n.handler); }
    void operator()(Evaluate&) const {}
    void operator()(Assign&) const {}
    void operator()(Return&) const {}
    void operator()(Let&) const {}
    void operator()(Jump&) const {}
    void operator()(Raise&) const {}
};
// Copies parts of one program into another, or into the same.
struct Cloner {
    const Program& from;
    Program& to;

    ExprId operator()(ExprId id) const {
        const Span span = from[id].span;
        ExprNode node = from[id].node;
        each_slot(node, [&](ExprId& child) { child = (*this)(child); });
        each_block_slot(node, [&](Block& block) { block = (*this)(block); });
        return to.add(span, std::move(node));
    }
    Block operator()(const Block& block) const {
        Block out;
        for (StmtId id : block.statements) {
            const Span span = from[id].span;
            StmtNode node = from[id].node;
            each_slot(node, [&](ExprId& child) { child = (*this)(child); });
            each_block_slot(node, [&](Block& inner) { inner = (*this)(inner); });
            out.statements.push_back(to.add(span, std::move(node)));
        }
        return out;
    }
    void replace(std::optional<ExprId>& id) const {
        if (id) id = (*this)(*id);
    }

    void operator()(Action& item) const { replace(item.predicate), item.body = (*this)(item.body); }
    void operator()(SpanAction& item) const { replace(item.predicate), item.body = (*this)(item.body); }
    void operator()(FunctionItem& item) const { item.body = (*this)(item.body); }
    void operator()(MapDeclaration&) const {}
    void operator()(Parameter& item) const { item.value = (*this)(item.value); }
    // a SystemTap script has none of these
    void operator()(Chain&) const {}
    void operator()(Macro&) const {}
    void operator()(Config&) const {}
    void operator()(Import&) const {}
    void operator()(CText&) const {}
};

}  // namespace

void each_slot(ExprNode& node, Change change) { std::visit(Slots{change}, node); }
void each_slot(StmtNode& node, Change change) { std::visit(Slots{change}, node); }

void each_block_slot(ExprNode& node, const std::function<void(Block&)>& change) {
    if (auto* block = std::get_if<BlockValue>(&node)) change(block->block);
}
void each_block_slot(StmtNode& node, const std::function<void(Block&)>& change) { std::visit(Blocks{change}, node); }

// These do not change the node.
void each_child(const Expr& expr, Visit visit) { each_slot(const_cast<ExprNode&>(expr.node), visit); }
void each_expr(const Stmt& stmt, Visit visit) { each_slot(const_cast<StmtNode&>(stmt.node), visit); }
void each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit) {
    each_block_slot(const_cast<StmtNode&>(stmt.node), visit);
}
void each_block(const Expr& expr, const std::function<void(const Block&)>& visit) {
    each_block_slot(const_cast<ExprNode&>(expr.node), visit);
}

void walk(const Program& program, ExprId id, const std::function<bool(ExprId)>& enter) {
    if (!enter(id)) return;
    const Expr copy = program[id];
    each_child(copy, [&](ExprId child) { walk(program, child, enter); });
    each_block(copy, [&](const Block& block) { walk(program, block, enter); });
}

void walk(const Program& program, const Block& block, const std::function<bool(ExprId)>& enter) {
    for (StmtId id : block.statements) {
        const Stmt copy = program[id];
        each_expr(copy, [&](ExprId child) { walk(program, child, enter); });
        each_block(copy, [&](const Block& inner) { walk(program, inner, enter); });
    }
}

void each_statement(const Program& program, const Block& block, const std::function<void(StmtId)>& visit) {
    for (StmtId id : block.statements) {
        visit(id);
        const Stmt copy = program[id];
        each_block(copy, [&](const Block& inner) { each_statement(program, inner, visit); });
        each_expr(copy, [&](ExprId child) {
            walk(program, child, [&](ExprId e) {
                const auto* value = program.get<BlockValue>(e);
                if (value) each_statement(program, Block(value->block), visit);
                return !value;
            });
        });
    }
}

ExprId clone(Program& program, ExprId id) { return Cloner{program, program}(id); }
Block clone(Program& program, const Block& block) { return Cloner{program, program}(block); }

void compact(Program& program) {
    Program before;
    before.exprs = std::exchange(program.exprs, {});
    before.stmts = std::exchange(program.stmts, {});
    for (Item& item : program.items) std::visit(Cloner{before, program}, item.node);
}

}  // namespace lt::ast
