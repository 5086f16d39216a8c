// The effects of statements: unused values, exit(), arrays that are changed while a loop visits them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "systemtap/names/effects.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

bool leaves_body(const Names& scope, ast::StmtId id) {
    const ast::StmtNode& node = scope.program[id].node;
    return std::holds_alternative<ast::Return>(node) || std::holds_alternative<ast::Jump>(node) ||
           is_next(scope.program, id);
}

// exit() ends its block in lt's own language, but not here.
void exit_last(Names& scope, const ast::Block& b) {
    const auto exits = [&](ast::StmtId id) {
        const auto* call = scope.program.call(id);
        return call != nullptr && call->name == "exit" && !scope.functions.has("exit");
    };
    for (size_t i = 0; i + 1 < b.statements.size(); i++) {
        if (!exits(b.statements[i]) || leaves_body(scope, b.statements[i + 1])) continue;
        std::swap(scope.program.stmts[static_cast<size_t>(b.statements[i])],
                  scope.program.stmts[static_cast<size_t>(b.statements[i + 1])]);
    }
}

// An unused value is not an error here; a function's value may have become a number.
void let_go(Names& scope, ast::StmtId id, ast::ExprId value) {
    const ast::ExprNode& what = scope.node(value);
    const bool is_call = std::holds_alternative<ast::Call>(what) || std::holds_alternative<ast::BlockValue>(what);
    auto* evaluate = std::get_if<ast::Evaluate>(&scope.program.stmts[static_cast<size_t>(id)].node);
    if (!is_call && evaluate != nullptr) evaluate->discard = true;
}

// Does it write, collect or delete?
bool has_effect(const Names& scope, ast::ExprId id) {
    return ast::any_expr_in(scope.program, id, [&](ast::ExprId e) {
        const auto* call = scope.program.get<ast::Call>(e);
        const bool acts = call != nullptr && (call->name == collect_call || call->name == delete_call);
        return acts || scope.program.get<ast::Step>(e) || scope.program.get<ast::BlockValue>(e);
    });
}

ast::ExprId evaluated_once(Names& scope, ast::ExprId id, ast::Block& before) {
    const bool calls = ast::any_expr_in(scope.program, id, [&](ast::ExprId e) {
        const auto* call = scope.program.get<ast::Call>(e);
        return call != nullptr && scope.functions.find(call->name, call->arguments.size()) != nullptr;
    });
    if (!calls && !has_effect(scope, id)) return id;
    const std::string name = fmt::format("once#{}", ++scope.loops);
    before.statements.push_back(scope.add(id, ast::Let{name, scope.span(id), std::nullopt, id}));
    return scope.add(id, ast::Local{name});
}

// An array must not change while a loop visits it.
bool changes_walked(Names& scope, ast::ExprId target) {
    const auto* map = scope.get<ast::Map>(target);
    const auto* name = scope.get<ast::Name>(target);
    if (map == nullptr && name == nullptr) return false;
    const std::string& changed = map != nullptr ? map->name : name->name;
    if (std::ranges::find(scope.walked, changed) == scope.walked.end()) return false;
    scope.diags.error(scope.span(target), fmt::format("{} changes while a foreach visits it", changed)).hint =
        "save the changes in another array, and apply them after the loop";
    return true;
}

namespace {

// The names that a function assigns to, collects in or deletes, and the functions that it calls.
struct Changes {
    std::set<std::string> names;
    std::vector<const Function*> calls;
};

Changes changes_of(const ast::Program& program, const FunctionTable& functions, const Function& function) {
    Changes out;
    const auto target = [&](ast::ExprId id) {
        if (const auto* map = program.get<ast::Map>(id)) out.names.insert(map->name);
        if (const auto* name = program.get<ast::Name>(id)) out.names.insert(name->name);
    };
    const auto look = [&](ast::ExprId id) {
        if (const auto* step = program.get<ast::Step>(id)) target(step->target);
        const auto* call = program.get<ast::Call>(id);
        if (call == nullptr) return;
        if (call->name == collect_call || call->name == delete_call) target(call->arguments[0]);
        const Function* called = functions.find(call->name, call->arguments.size());
        if (called != nullptr) out.calls.push_back(called);
    };
    ast::each_statement(program, function.body, [&](ast::StmtId id) {
        if (const auto* assign = program.get<ast::Assign>(id)) target(assign->target);
    });
    ast::each_expr_in(program, function.body, look);
    for (const Function::Parameter& p : function.parameters) out.names.erase(p.name);
    return out;
}

}  // namespace

// Functions called in the loop, directly or not, must not change it either.
bool call_changes_walked(Names& scope, ast::ExprId id, const Function& function) {
    if (scope.walked.empty()) return false;
    std::set<const Function*> seen{&function};
    std::vector<const Function*> left{&function};
    while (!left.empty()) {
        const Changes changes = changes_of(scope.program, scope.functions, *left.back());
        left.pop_back();
        const auto changed =
            std::ranges::find_if(scope.walked, [&](const std::string& name) { return changes.names.contains(name); });
        if (changed != scope.walked.end()) {
            scope.diags
                .error(scope.span(id),
                       fmt::format("{}() changes {} while a foreach visits it", function.name, *changed))
                .hint = "save the changes in another array, and apply them after the loop";
            return true;
        }
        for (const Function* called : changes.calls) {
            if (seen.insert(called).second) left.push_back(called);
        }
    }
    return false;
}

}  // namespace lt::stp
