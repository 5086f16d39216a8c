// The effects of statements: unused values, exit(), arrays that are changed while a loop visits them.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "parser/tree/rewrite.h"
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

namespace {

bool may_act(const Names& scope, ast::ExprId id) {
    const bool calls = ast::any_expr_in(scope.program, id, [&](ast::ExprId e) {
        const auto* call = scope.program.get<ast::Call>(e);
        return call != nullptr && scope.functions.find(call->name, call->arguments.size()) != nullptr;
    });
    return calls || has_effect(scope, id);
}

ast::ExprId evaluated_now(Names& scope, ast::ExprId id, ast::Block& before) {
    const std::string name = fmt::format("once#{}", ++scope.loops);
    before.statements.push_back(scope.add(id, ast::Let{name, scope.span(id), std::nullopt, id}));
    return scope.add(id, ast::Local{name});
}

}  // namespace

ast::ExprId evaluated_once(Names& scope, ast::ExprId id, ast::Block& before) {
    return may_act(scope, id) ? evaluated_now(scope, id, before) : id;
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

// Of a block or an expression.
template <class Part>
Changes changes_in(const ast::Program& program, const FunctionTable& functions, const Part& part) {
    Changes out;
    const auto target = [&](ast::ExprId id) {
        if (const auto* map = program.get<ast::Map>(id)) out.names.insert(map->name);
        if (const auto* name = program.get<ast::Name>(id)) out.names.insert(name->name);
    };
    const auto assigned = [&](ast::StmtId id) {
        if (const auto* assign = program.get<ast::Assign>(id)) target(assign->target);
    };
    const auto look = [&](ast::ExprId id) {
        if (const auto* both = program.get<ast::BlockValue>(id)) ast::each_statement(program, both->block, assigned);
        if (const auto* step = program.get<ast::Step>(id)) target(step->target);
        const auto* call = program.get<ast::Call>(id);
        if (call == nullptr) return;
        if (call->name == collect_call || call->name == delete_call) target(call->arguments[0]);
        const Function* called = functions.find(call->name, call->arguments.size());
        if (called != nullptr) out.calls.push_back(called);
    };
    if constexpr (std::is_same_v<Part, ast::Block>) ast::each_statement(program, part, assigned);
    ast::each_expr_in(program, part, look);
    return out;
}

Changes changes_of(const ast::Program& program, const FunctionTable& functions, const Function& function) {
    Changes out = changes_in(program, functions, function.body);
    for (const Function::Parameter& p : function.parameters) out.names.erase(p.name);
    return out;
}

// The names that an expression changes, also in the functions that it calls.
std::set<std::string> changed_by(const Names& scope, ast::ExprId id) {
    Changes all = changes_in(scope.program, scope.functions, id);
    std::set<const Function*> seen;
    while (!all.calls.empty()) {
        const Function* called = all.calls.back();
        all.calls.pop_back();
        if (!seen.insert(called).second) continue;
        Changes more = changes_of(scope.program, scope.functions, *called);
        all.names.merge(more.names);
        all.calls.insert(all.calls.end(), more.calls.begin(), more.calls.end());
    }
    return all.names;
}

bool names_one_of(const Names& scope, ast::ExprId id, const std::set<std::string>& names) {
    return ast::any_expr_in(scope.program, id, [&](ast::ExprId e) {
        const auto* name = scope.get<ast::Name>(e);
        const auto* map = scope.get<ast::Map>(e);
        return (name != nullptr && names.contains(name->name)) || (map != nullptr && names.contains(map->name));
    });
}

}  // namespace

void save_key(Names& scope, ast::Map& map, const std::vector<ast::ExprId>& later, ast::Block& before) {
    std::set<std::string> changed;
    for (ast::ExprId id : later) changed.merge(changed_by(scope, id));
    std::vector<bool> saved(map.key.size());
    for (size_t i = map.key.size(); i-- > 0;) {
        saved[i] = may_act(scope, map.key[i]) || names_one_of(scope, map.key[i], changed);
        changed.merge(changed_by(scope, map.key[i]));
    }
    for (size_t i = 0; i < map.key.size(); i++)
        if (saved[i]) map.key[i] = evaluated_now(scope, map.key[i], before);
}

namespace {

// `is_read`: its element is read after the assignment. Only `.=` has the same place of the text on both sides.
bool save_target(Names& scope, ast::Assign& assign, bool is_read, ast::Block& before) {
    const auto* target = scope.get<ast::Map>(assign.target);
    const auto* binary = assign.op ? nullptr : scope.get<ast::Binary>(assign.value);
    const bool joins = binary != nullptr && binary->op == ast::BinaryOp::add && scope.get<ast::Map>(binary->left) &&
                       scope.span(binary->left) == scope.span(assign.target);
    if (target == nullptr || (!joins && !is_read)) return false;
    ast::Map once = *target;
    save_key(scope, once, is_read ? std::vector{assign.value} : std::vector<ast::ExprId>{}, before);
    if (before.statements.empty()) return false;
    assign.target = scope.add(assign.target, std::move(once));
    if (joins) {
        const ast::ExprId right = scope.get<ast::Binary>(assign.value)->right;
        const ast::ExprId left = ast::clone(scope.program, assign.target);
        assign.value = scope.add(assign.value, ast::Binary{ast::BinaryOp::add, left, right});
    }
    return true;
}

}  // namespace

bool join_once(Names& scope, ast::StmtId id, const ast::Assign& assign) {
    ast::Assign changed = assign;
    ast::Scope once;
    if (!save_target(scope, changed, false, once.body)) return false;
    once.body.statements.push_back(scope.program.add(scope.program[id].span, changed));
    scope.program.put(id, std::move(once));
    return true;
}

bool assign_once(Names& scope, ast::ExprId id, const ast::BlockValue& assignment) {
    const std::vector<ast::StmtId>& all = assignment.block.statements;
    const auto* assign = assignment.value && all.size() == 1 ? scope.program.get<ast::Assign>(all.front()) : nullptr;
    if (assign == nullptr || scope.span(*assignment.value) != scope.span(assign->target)) return false;
    ast::Assign changed = *assign;
    ast::BlockValue once;
    if (!save_target(scope, changed, true, once.block)) return false;
    once.value = ast::clone(scope.program, changed.target);
    once.block.statements.push_back(scope.add(id, changed));
    scope.put(id, std::move(once));
    return true;
}

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
