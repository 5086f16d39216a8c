#include "stp_inline.h"

#include <string>
#include <vector>

#include "stp_clone.h"

namespace lt::stp {
namespace {

// Where a local is read, and how often it is written.
struct Uses {
    std::vector<ast::ExprId> reads;
    size_t writes = 0;
};

class Finder {
  public:
    Finder(const ast::Program& program, const std::string& name) : program_(program), name_(name) {}

    Uses uses;

    void block(const ast::Block& b) {
        for (ast::StmtId id : b.statements) statement(program_[id]);
    }

  private:
    void statement(const ast::Stmt& stmt) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        if (assign != nullptr && is_it(assign->target)) uses.writes++;
        ast::each_expr(stmt, [&](ast::ExprId id) {
            if (assign == nullptr || id != assign->target || !is_it(id)) expr(id);
        });
        ast::each_block(stmt, [&](const ast::Block& b) { block(b); });
    }
    void expr(ast::ExprId id) {
        const auto* step = std::get_if<ast::Step>(&program_[id].node);
        if (step != nullptr && is_it(step->target)) uses.writes++;
        if (is_it(id)) uses.reads.push_back(id);
        ast::each_child(program_[id], [&](ast::ExprId child) { expr(child); });
        ast::each_block(program_[id], [&](const ast::Block& b) { block(b); });
    }
    bool is_it(ast::ExprId id) const {
        const auto* name = std::get_if<ast::Name>(&program_[id].node);
        return name != nullptr && name->name == name_;
    }

    const ast::Program& program_;
    const std::string& name_;
};

}  // namespace

void inline_texts(ast::Program& program, ast::Block& body, size_t first) {
    for (size_t i = 0; i < first && i < body.statements.size(); i++) {
        const size_t at = static_cast<size_t>(body.statements[i]);
        const auto* assign = std::get_if<ast::Assign>(&program.stmts[at].node);
        const auto* name = assign ? std::get_if<ast::Name>(&program[assign->target].node) : nullptr;
        const auto* call = assign ? std::get_if<ast::Call>(&program[assign->value].node) : nullptr;
        if (name == nullptr || assign->op || call == nullptr || call->name != "sprintf") continue;
        const std::string local = name->name;
        const ast::ExprId value = assign->value;
        Finder finder(program, local);
        finder.block(body);
        if (finder.uses.writes != 1) continue;
        for (ast::ExprId read : finder.uses.reads) {
            const ast::ExprId copy = clone(program, value);
            program.exprs[static_cast<size_t>(read)].node = ast::ExprNode(program[copy].node);
        }
        program.stmts[at].node = ast::Scope{};
    }
}

}  // namespace lt::stp
