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
    void operator()(const Cast& n) const { visit(n.value); }
    void operator()(const SizeOf&) const {}
    void operator()(const OffsetOf&) const {}
    void operator()(const Call& n) const { all(n.arguments); }
    void operator()(const Unary& n) const { visit(n.operand); }
    void operator()(const Binary& n) const { visit(n.left), visit(n.right); }
    void operator()(const Conditional& n) const { visit(n.condition), visit(n.yes), visit(n.no); }
    void operator()(const Evaluate& n) const { visit(n.value); }
    void operator()(const Assign& n) const { visit(n.target), visit(n.value); }
    void operator()(const If& n) const { visit(n.condition); }
    void operator()(const Return&) const {}

  private:
    void all(const std::vector<ExprId>& ids) const {
        for (ExprId id : ids) visit(id);
    }
};

}  // namespace

void each_child(const Expr& expr, Visit visit) { std::visit(Children{visit}, expr.node); }

void each_expr(const Stmt& stmt, Visit visit) { std::visit(Children{visit}, stmt.node); }

void each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit) {
    const auto* branch = std::get_if<If>(&stmt.node);
    if (!branch) return;
    visit(branch->yes);
    visit(branch->no);
}

}  // namespace lt::ast
