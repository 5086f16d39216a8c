// try and catch in a program that people will read, which has no errors that are caught: a division by zero and memory
// that cannot be read give 0 there. What error() in a try leads to is done in its place, in a loop that is left behind
// it.
#include <algorithm>
#include <vector>

#include "stp_clone.h"
#include "stp_names.h"

namespace lt::stp {
namespace {

// The calls of error() in a block, as far as a `break` leads out of the block from there.
class Raises {
  public:
    Raises(const ast::Program& program, const ast::Block& block) : program_(program) { find(block, false); }

    std::vector<ast::StmtId> found;
    bool can_leave = true;  // and no other statement leaves a loop around the block

  private:
    void find(const ast::Block& block, bool in_loop) {
        for (ast::StmtId id : block.statements) {
            const ast::Stmt& s = program_[id];
            const auto* evaluate = std::get_if<ast::Evaluate>(&s.node);
            const auto* call = evaluate ? std::get_if<ast::Call>(&program_[evaluate->value].node) : nullptr;
            if (call && call->name == "error" && call->arguments.size() == 1) {
                found.push_back(id);
                can_leave = can_leave && !in_loop;
            }
            if (std::holds_alternative<ast::Jump>(s.node) || std::holds_alternative<ast::Attempt>(s.node))
                can_leave = can_leave && in_loop;
            const bool is_loop =
                std::holds_alternative<ast::While>(s.node) || std::holds_alternative<ast::ForMap>(s.node);
            ast::each_block(s, [&](const ast::Block& inner) { find(inner, in_loop || is_loop); });
        }
    }

    const ast::Program& program_;
};

}  // namespace

void NameResolver::attempt(ast::StmtId id) {
    const auto node = std::get<ast::Attempt>(program_[id].node);
    const Raises raises(program_, node.body), handles(program_, node.handler);
    if (!raises.found.empty() && raises.can_leave && handles.can_leave && handles.found.empty()) {
        handle_in_place(id, node, raises.found);
        return statement(id);
    }
    const size_t before = errors_;
    block(node.body);
    if (errors_ != before) {
        const Span where = program_[id].span;
        diags_.error({where.begin, where.begin + 3}, "an error() is not caught in lt").hint =
            "write what it would catch behind an `if`";
    }
    program_.stmts[static_cast<size_t>(id)].node = ast::Scope{node.body};
}

// while (1) { body; break }, where error(text) is { name = text; handler; break }.
void NameResolver::handle_in_place(ast::StmtId id, const ast::Attempt& node, const std::vector<ast::StmtId>& raises) {
    for (ast::StmtId raise : raises) {
        const Span where = program_[raise].span;
        const auto message =
            std::get<ast::Call>(program_[std::get<ast::Evaluate>(program_[raise].node).value].node).arguments[0];
        ast::Block handler = clone(program_, node.handler);
        if (!node.name.empty()) {
            const size_t given = static_cast<size_t>(handler.statements.front());
            std::get<ast::Assign>(program_.stmts[given].node).value = message;
        }
        handler.statements.push_back(program_.add(where, ast::Jump{false}));
        program_.stmts[static_cast<size_t>(raise)].node = ast::Scope{std::move(handler)};
    }
    const Span where = program_[id].span;
    ast::Block body = node.body;
    body.statements.push_back(program_.add(where, ast::Jump{false}));
    const ast::ExprId always = program_.add(where, ast::Integer{1});
    program_.stmts[static_cast<size_t>(id)].node = ast::While{always, std::move(body)};
}

}  // namespace lt::stp
