// What a statement leaves behind: values that nobody wants, exit(), arrays that are changed while they are walked.
#include <fmt/format.h>

#include <algorithm>

#include "stp_names.h"

namespace lt::stp {

bool NameResolver::leaves(ast::StmtId id) const {
    const ast::StmtNode& node = program_[id].node;
    return std::holds_alternative<ast::Return>(node) || std::holds_alternative<ast::Jump>(node) ||
           is_next(program_, node);
}

// In lt's own language exit() ends its block, here it does not.
void NameResolver::exit_last(const ast::Block& b) {
    const auto exits = [&](ast::StmtId id) {
        const auto* evaluate = std::get_if<ast::Evaluate>(&program_[id].node);
        const auto* call = evaluate ? std::get_if<ast::Call>(&program_[evaluate->value].node) : nullptr;
        return call != nullptr && call->name == "exit" && !functions_.has("exit");
    };
    for (size_t i = 0; i + 1 < b.statements.size(); i++) {
        if (!exits(b.statements[i]) || leaves(b.statements[i + 1])) continue;
        std::swap(program_.stmts[static_cast<size_t>(b.statements[i])],
                  program_.stmts[static_cast<size_t>(b.statements[i + 1])]);
    }
}

// A value that nobody wants is no mistake here; that of a function may have become a number.
void NameResolver::let_go(ast::StmtId id, ast::ExprId value) {
    const ast::ExprNode& what = node(value);
    const bool is_call = std::holds_alternative<ast::Call>(what) || std::holds_alternative<ast::BlockValue>(what);
    auto* evaluate = std::get_if<ast::Evaluate>(&program_.stmts[static_cast<size_t>(id)].node);
    if (!is_call && evaluate != nullptr) evaluate->discard = true;
}

// Does it write, collect or delete?
bool NameResolver::has_effect(ast::ExprId id) const {
    const ast::ExprNode& what = node(id);
    const auto* call = std::get_if<ast::Call>(&what);
    const bool acts = call != nullptr && (call->name == collect_call || call->name == delete_call);
    bool found = acts || std::holds_alternative<ast::Step>(what) || std::holds_alternative<ast::BlockValue>(what);
    ast::each_child(program_[id], [&](ast::ExprId child) { found = found || has_effect(child); });
    return found;
}

// An array is not to change while a loop goes over it.
bool NameResolver::changes_walked(ast::ExprId target) {
    const auto* map = std::get_if<ast::Map>(&node(target));
    const auto* name = std::get_if<ast::Name>(&node(target));
    if (map == nullptr && name == nullptr) return false;
    const std::string& changed = map != nullptr ? map->name : name->name;
    if (std::ranges::find(walked_, changed) == walked_.end()) return false;
    diags_.error(span(target), fmt::format("{} changes while a foreach goes over it", changed)).hint =
        "keep what is to be changed in another array, and change this one after the loop";
    return true;
}

}  // namespace lt::stp
