#include "stp_unused.h"

#include <map>
#include <string>

#include "stp_clone.h"

namespace lt::stp {
namespace {

using Reads = std::map<std::string, size_t>;

class Counter {
  public:
    Counter(const ast::Program& program, Reads& reads) : program_(program), reads_(reads) {}

    void block(const ast::Block& b) {
        for (ast::StmtId id : b.statements) statement(program_[id]);
    }

  private:
    // What is only assigned to is not read.
    void statement(const ast::Stmt& stmt) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        const bool plain = assign && !assign->op && std::holds_alternative<ast::Name>(program_[assign->target].node);
        ast::each_expr(stmt, [&](ast::ExprId id) {
            if (!plain || id != assign->target) expr(id);
        });
        ast::each_block(stmt, [&](const ast::Block& b) { block(b); });
    }
    void expr(ast::ExprId id) {
        if (const auto* name = std::get_if<ast::Name>(&program_[id].node)) reads_[name->name]++;
        ast::each_child(program_[id], [&](ast::ExprId child) { expr(child); });
        ast::each_block(program_[id], [&](const ast::Block& b) { block(b); });
    }

    const ast::Program& program_;
    Reads& reads_;
};

bool is_empty(const ast::Program& program, const ast::Block& block) {
    for (ast::StmtId id : block.statements) {
        const auto* scope = std::get_if<ast::Scope>(&program[id].node);
        if (scope == nullptr || !is_empty(program, scope->body)) return false;
    }
    return true;
}

// Is there anything in it that does more than give a value?
bool acts(const ast::Program& program, ast::ExprId id) {
    bool found = std::holds_alternative<ast::Step>(program[id].node);
    ast::each_child(program[id], [&](ast::ExprId child) { found = found || acts(program, child); });
    ast::each_block(program[id], [&](const ast::Block&) { found = true; });
    return found;
}

bool drop(ast::Program& program, ast::StmtId id, const Reads& reads) {
    const ast::StmtNode node = program[id].node;
    bool useless = false, changed = false;
    if (const auto* assign = std::get_if<ast::Assign>(&node)) {
        const auto* name = std::get_if<ast::Name>(&program[assign->target].node);
        useless = name && !assign->op && !reads.contains(name->name) && !acts(program, assign->value);
    } else if (const auto* choice = std::get_if<ast::If>(&node)) {
        for (ast::StmtId s : choice->yes.statements) changed = drop(program, s, reads) || changed;
        for (ast::StmtId s : choice->no.statements) changed = drop(program, s, reads) || changed;
        useless = is_empty(program, choice->yes) && is_empty(program, choice->no) && !acts(program, choice->condition);
    } else if (const auto* scope = std::get_if<ast::Scope>(&node)) {
        for (ast::StmtId s : scope->body.statements) changed = drop(program, s, reads) || changed;
    }
    if (useless) program.stmts[static_cast<size_t>(id)].node = ast::Scope{};
    return useless || changed;
}

}  // namespace

void drop_unused(ast::Program& program, ast::Block& body, size_t first) {
    for (bool changed = first > 0; changed;) {
        changed = false;
        Reads reads;
        Counter(program, reads).block(body);
        for (size_t i = 0; i < first; i++) changed = drop(program, body.statements[i], reads) || changed;
    }
    std::erase_if(body.statements, [&](ast::StmtId id) { return is_empty(program, {{id}}); });
}

}  // namespace lt::stp
