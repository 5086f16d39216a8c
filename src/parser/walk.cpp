// The children of each kind of node, in one place, for passes that only look for something.
#include "parser/ast.h"

namespace lt::ast {
namespace {

using Visit = const std::function<void(ExprId)>&;

struct Children {
    Visit visit;
    void operator()(const Integer&) const {}
    void operator()(const Boolean&) const {}
    void operator()(const Duration&) const {}
    void operator()(const String&) const {}
    void operator()(const Name&) const {}
    void operator()(const Ellipsis&) const {}
    void operator()(const Local&) const {}
    void operator()(const Map& n) const { all(n.key); }
    void operator()(const Member& n) const { visit(n.base); }
    void operator()(const Index& n) const { visit(n.base), visit(n.index); }
    void operator()(const Tuple& n) const { all(n.parts); }
    void operator()(const Cast& n) const { maybe(n.type.like), visit(n.value); }
    void operator()(const SizeOf& n) const { maybe(n.type.like); }
    void operator()(const OffsetOf& n) const { maybe(n.type.like); }
    void operator()(const Call& n) const { all(n.arguments); }
    void operator()(const Unary& n) const { visit(n.operand); }
    void operator()(const Binary& n) const { visit(n.left), visit(n.right); }
    void operator()(const Conditional& n) const { visit(n.condition), visit(n.yes), visit(n.no); }
    void operator()(const Step& n) const { visit(n.target); }
    void operator()(const Positional&) const {}
    void operator()(const BlockValue& n) const { maybe(n.value); }
    void operator()(const AnyPart&) const {}
    void operator()(const Defined& n) const { visit(n.value); }
    void operator()(const Evaluate& n) const { visit(n.value); }
    void operator()(const Assign& n) const { visit(n.target), visit(n.value); }
    void operator()(const If& n) const { visit(n.condition); }
    void operator()(const Return& n) const { maybe(n.value); }
    void operator()(const Let& n) const {
        if (n.type) maybe(n.type->like);
        maybe(n.value);
    }
    void operator()(const Scope&) const {}
    void operator()(const While& n) const { visit(n.condition); }
    void operator()(const ForRange& n) const { visit(n.from), visit(n.to); }
    void operator()(const ForMap& n) const { visit(n.map), maybe(n.limit); }
    void operator()(const Unroll& n) const { visit(n.count); }
    void operator()(const Jump&) const {}
    void operator()(const Attempt&) const {}
    void operator()(const Raise& n) const { visit(n.message); }

  private:
    void maybe(const std::optional<ExprId>& id) const {
        if (id) visit(*id);
    }
    void all(const std::vector<ExprId>& ids) const {
        for (ExprId id : ids) visit(id);
    }
};

}  // namespace

void each_child(const Expr& expr, Visit visit) { std::visit(Children{visit}, expr.node); }

void each_expr(const Stmt& stmt, Visit visit) { std::visit(Children{visit}, stmt.node); }

void each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit) {
    struct Blocks {
        const std::function<void(const Block&)>& visit;
        void operator()(const If& n) const { visit(n.yes), visit(n.no); }
        void operator()(const Scope& n) const { visit(n.body); }
        void operator()(const While& n) const { visit(n.body); }
        void operator()(const ForRange& n) const { visit(n.body); }
        void operator()(const ForMap& n) const { visit(n.body); }
        void operator()(const Unroll& n) const { visit(n.body); }
        void operator()(const Attempt& n) const { visit(n.body), visit(n.handler); }
        void operator()(const Evaluate&) const {}
        void operator()(const Assign&) const {}
        void operator()(const Return&) const {}
        void operator()(const Let&) const {}
        void operator()(const Jump&) const {}
        void operator()(const Raise&) const {}
    };
    std::visit(Blocks{visit}, stmt.node);
}

void each_block(const Expr& expr, const std::function<void(const Block&)>& visit) {
    if (const auto* block = std::get_if<BlockValue>(&expr.node)) visit(block->block);
}

}  // namespace lt::ast
