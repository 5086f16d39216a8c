#include "systemtap/link/aliases.h"

#include <set>
#include <string>
#include <vector>

#include "parser/tree/rewrite.h"

namespace lt::stp {
namespace {

// Where a local is read, and how often it is written.
struct Uses {
    std::vector<ast::ExprId> reads;
    size_t writes = 0;
};

Uses uses_of(const std::string& local, const ast::Program& program, const ast::Block& body) {
    Uses out;
    std::set<ast::ExprId> written;
    ast::each_statement(program, body, [&](ast::StmtId id) {
        const auto* assign = program.get<ast::Assign>(id);
        if (assign && program.is<ast::Name>(assign->target, local)) out.writes++, written.insert(assign->target);
    });
    ast::each_expr_in(program, body, [&](ast::ExprId id) {
        const auto* step = program.get<ast::Step>(id);
        out.writes += step && program.is<ast::Name>(step->target, local);
        if (program.is<ast::Name>(id, local) && !written.contains(id)) out.reads.push_back(id);
    });
    return out;
}

using Reads = std::set<std::string>;

// An assignment does not read its target.
Reads reads_in(const ast::Program& program, const ast::Block& body) {
    std::set<ast::ExprId> written;
    ast::each_statement(program, body, [&](ast::StmtId id) {
        const auto* assign = program.get<ast::Assign>(id);
        if (assign && !assign->op && program.get<ast::Name>(assign->target)) written.insert(assign->target);
    });
    Reads reads;
    ast::each_expr_in(program, body, [&](ast::ExprId id) {
        const auto* name = program.get<ast::Name>(id);
        if (name && !written.contains(id)) reads.insert(name->name);
    });
    return reads;
}

bool is_empty(const ast::Program& program, const ast::Block& block) {
    for (ast::StmtId id : block.statements) {
        const auto* scope = program.get<ast::Scope>(id);
        if (scope == nullptr || !is_empty(program, scope->body)) return false;
    }
    return true;
}

// Does the expression have an effect?
bool acts(const ast::Program& program, ast::ExprId id) {
    return ast::any_expr_in(
        program, id, [&](ast::ExprId e) { return program.get<ast::Step>(e) || program.get<ast::BlockValue>(e); });
}

bool drop(ast::Program& program, ast::StmtId id, const Reads& reads) {
    const ast::StmtNode node = program[id].node;
    bool useless = false, changed = false;
    if (const auto* assign = std::get_if<ast::Assign>(&node)) {
        const auto* name = program.get<ast::Name>(assign->target);
        useless = name && !assign->op && !reads.contains(name->name) && !acts(program, assign->value);
    } else if (const auto* choice = std::get_if<ast::If>(&node)) {
        for (ast::StmtId s : choice->yes.statements) changed = drop(program, s, reads) || changed;
        for (ast::StmtId s : choice->no.statements) changed = drop(program, s, reads) || changed;
        useless = is_empty(program, choice->yes) && is_empty(program, choice->no) && !acts(program, choice->condition);
    } else if (const auto* scope = std::get_if<ast::Scope>(&node)) {
        for (ast::StmtId s : scope->body.statements) changed = drop(program, s, reads) || changed;
    }
    if (useless) program.put(id, ast::Scope{});
    return useless || changed;
}

}  // namespace

void inline_texts(ast::Program& program, ast::Block& body, size_t first) {
    for (size_t i = 0; i < first && i < body.statements.size(); i++) {
        const size_t at = static_cast<size_t>(body.statements[i]);
        const auto* assign = std::get_if<ast::Assign>(&program.stmts[at].node);
        const auto* name = assign ? program.get<ast::Name>(assign->target) : nullptr;
        const auto* call = assign ? program.get<ast::Call>(assign->value) : nullptr;
        if (name == nullptr || assign->op || call == nullptr || call->name != "sprintf") continue;
        const std::string local = name->name;
        const ast::ExprId value = assign->value;
        const Uses uses = uses_of(local, program, body);
        if (uses.writes != 1) continue;
        for (ast::ExprId read : uses.reads) {
            const ast::ExprId copy = ast::clone(program, value);
            program.put(read, ast::ExprNode(program[copy].node));
        }
        program.stmts[at].node = ast::Scope{};
    }
}

void drop_unused(ast::Program& program, ast::Block& body, size_t first) {
    for (bool changed = first > 0; changed;) {
        changed = false;
        const Reads reads = reads_in(program, body);
        for (size_t i = 0; i < first; i++) changed = drop(program, body.statements[i], reads) || changed;
    }
    std::erase_if(body.statements, [&](ast::StmtId id) { return is_empty(program, {{id}}); });
}

}  // namespace lt::stp
