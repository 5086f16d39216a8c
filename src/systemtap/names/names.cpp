#include "systemtap/names/names.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/effects.h"
#include "systemtap/names/printing.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"
#include "systemtap/names/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/text.h"
#include "parser/tree/rewrite.h"
#include "stdlib/functions/builtins.h"
#include "systemtap/names/shown.h"

namespace lt::stp {
namespace {

bool any_statement(const ast::Program& program, const ast::Block& block, const std::function<bool(ast::StmtId)>& is) {
    bool found = false;
    ast::each_statement(program, block, [&](ast::StmtId id) { found = found || is(id); });
    return found;
}

// ---- locals: everything that is assigned to and is not a global

void note_assignment(Names& scope, ast::ExprId target, bool plain) {
    const auto* name = scope.get<ast::Name>(target);
    if (name == nullptr || name->name.starts_with("$") || scope.around->parameters.contains(name->name)) return;
    if (scope.globals.contains(name->name)) return;
    Names::Seen& seen = scope.locals[name->name];
    seen.plain = seen.plain || plain;
}

// x .= text: the tree has the same place of the script on both sides.
bool is_joined(const Names& scope, const ast::Assign& assign) {
    const auto* both = assign.op ? nullptr : scope.get<ast::Binary>(assign.value);
    return both != nullptr && both->op == ast::BinaryOp::add && scope.span(both->left) == scope.span(assign.target);
}

void collect_locals(Names& scope, const ast::Block& b) {
    ast::each_statement(scope.program, b, [&](ast::StmtId id) {
        const auto* found = scope.program.get<ast::Assign>(id);
        if (found == nullptr) return;
        const ast::Assign assign = *found;
        note_assignment(scope, assign.target, !assign.op);
        if (const auto* name = scope.get<ast::Name>(assign.target); name && is_joined(scope, assign))
            if (const auto local = scope.locals.find(name->name); local != scope.locals.end())
                local->second.joined = true;
        if (!assign.op) note_type(scope, assign.target, assign.value);
    });
    ast::each_expr_in(scope.program, b, [&](ast::ExprId id) {
        if (const auto* step = scope.program.get<ast::Step>(id)) note_assignment(scope, step->target, false);
    });
}

void declare_locals(Names& scope, ast::Block& b) {
    std::vector<ast::StmtId> all;
    for (const auto& [name, seen] : scope.locals) {
        const Span where = b.statements.empty() ? Span{} : scope.program[b.statements.front()].span;
        std::optional<ast::ExprId> zero;
        if (!seen.plain) zero = scope.program.add(where, ast::Integer{0});
        if (seen.joined && scope.given.for_port) zero = scope.program.add(where, ast::String{});  // gives it its type
        all.push_back(scope.program.add(where, ast::Let{name, where, std::nullopt, zero}));
    }
    b.statements.insert(b.statements.begin(), all.begin(), all.end());
}

// ---- functions that are tried one after the other

// Saves the arguments for the next function, if this one changes them.
void keep_given(Names& scope, ast::Block& b) {
    if (scope.around->function == nullptr || !says_next(scope.program, b)) return;
    std::vector<ast::StmtId> kept;
    for (const Function::Parameter& p : scope.around->function->parameters) {
        const ast::ExprId value = scope.program.add(p.span, ast::Local{p.name});
        kept.push_back(scope.program.add(p.span, ast::Let{"given " + p.name, p.span, std::nullopt, value}));
    }
    b.statements.insert(b.statements.begin(), kept.begin(), kept.end());
}

// In a probe, the end of the block; in a function, the next one of its name.
void leave_body(Names& scope, ast::StmtId id) {
    const Span where = scope.program[id].span;
    if (scope.around->function == nullptr) {
        scope.program.put(id, ast::Return{});
        return;
    }
    const Function& f = *scope.around->function;
    const auto all = scope.functions.overloads(f.name, f.parameters.size());
    const auto after = std::ranges::find(all, &f) + 1;
    if (after == all.end()) {
        const ast::ExprId message = scope.program.add(where, ast::String{"all functions exhausted"});
        scope.program.stmts[static_cast<size_t>(id)].node =
            scope.given.for_port ? ast::StmtNode(ast::Return{}) : ast::StmtNode(ast::Raise{message});
        return;
    }
    std::vector<ast::ExprId> given;
    for (const Function::Parameter& p : f.parameters)
        given.push_back(scope.program.add(where, ast::Local{"given " + p.name}));
    scope.called.insert(*after);
    const ast::ExprId called =
        scope.program.add(where, ast::Call{name_in_tree(**after, scope.functions), where, given});
    if (gives_value(scope, f)) {
        scope.program.put(id, ast::Return{called});
        return;
    }
    ast::Scope both;
    both.body.statements.push_back(scope.program.add(where, ast::Evaluate{called}));
    both.body.statements.push_back(scope.program.add(where, ast::Return{}));
    scope.program.put(id, std::move(both));
}

// $value = text, $value .= text: prints the text that would be read.
void printed_by_itself(Names& scope, ast::StmtId id, const ast::Assign& assign) {
    ast::ExprId text = assign.value;
    const auto* joined = scope.get<ast::Binary>(text);
    const auto* before = joined ? scope.get<ast::Name>(joined->left) : nullptr;
    if (before != nullptr && before->name == "$value") text = joined->right;
    const ast::ExprId print = scope.add(text, ast::Call{"print", scope.span(text), {text}});
    scope.program.put(id, ast::Evaluate{print});
    resolve_expr(scope, print);
}

// The value of a name that nothing assigns; its uses say whether that is a text.
ast::ExprNode initial_value(const Names& scope, const std::string& name) {
    if (scope.texts.contains(name)) return ast::String{};
    return ast::Integer{0};
}

// A global that nothing writes is a constant.
void resolve_global(Names& scope, ast::ExprId id, const GlobalUse& use) {
    scope.touched.insert(use.global->name);
    if (use.is_array || use.is_written) return scope.put(id, ast::Map{use.global->name, {}, false});
    scope.put(id, use.global->value ? scope.node(*use.global->value) : initial_value(scope, use.global->name));
}

// A local that nothing assigns: probably a slip.
void resolve_unassigned(Names& scope, ast::ExprId id, const std::string& name) {
    std::vector<std::string_view> known(scope.around->parameters.begin(), scope.around->parameters.end());
    for (const auto& [local, seen] : scope.locals) known.push_back(local);
    for (const auto& [global, use] : scope.globals) known.push_back(global);
    const std::vector<std::string> near = closest(name, known);
    scope.unassigned.push_back({name, scope.span(id), did_you_mean(near)});
    scope.put(id, initial_value(scope, name));
}

// A word of the command line, from 1; never empty.
ast::ExprNode word_at(const Names& scope, uint64_t number) {
    const bool is_there = number > 0 && number <= scope.given.positional.size();
    return ast::String{is_there ? scope.given.positional[number - 1] : ""};
}

// An argument of a system call by this kernel's name for it, 0 if it has none.
void argument_named(Names& scope, ast::ExprId id, const std::string& name) {
    if (name == "argstr") return scope.put(id, ast::Call{"syscall_args", scope.span(id), {}});
    if (scope.around->call != nullptr) {
        const auto place = stp_argument(*scope.around->call, name);
        if (!place) {
            const auto text = argument_text(scope.program, scope.span(id), *scope.around->call, name);
            if (!text) return resolve_unassigned(scope, id, name);
            scope.put(id, scope.node(*text));
            return resolve_expr(scope, id);
        }
        scope.put(id, ast::Member{scope.add(id, ast::Name{"args"}), std::to_string(*place), scope.span(id)});
        if (scope.around->call->arguments[*place] != 's') return as_long(scope, id);
        return scope.put(id, ast::Call{"str", scope.span(id), {moved(scope, id)}, true});
    }
    const auto field = [&] {
        return scope.add(id, ast::Member{scope.add(id, ast::Name{"args"}), name, scope.span(id)});
    };
    const ast::ExprId there = scope.add(id, ast::Defined{field()}), value = field();
    as_long(scope, value);
    scope.put(id, ast::Conditional{there, value, scope.add(id, ast::Integer{0})});
}

// Names of arguments, of the command line or of a system call.
void special_variable(Names& scope, ast::ExprId id, const std::string& name) {
    if (name == "argc") return scope.put(id, ast::Integer{scope.given.positional.size()});
    if (name.starts_with("argv_")) {
        size_t n = 0;
        std::from_chars(name.data() + 5, name.data() + name.size(), n);
        return scope.put(id, word_at(scope, n));
    }
    if (scope.around->row != nullptr && scope.around->row->shape == "kernel.syscall(s)")
        return argument_named(scope, id, name);
    resolve_unassigned(scope, id, name);
}

void resolve_name(Names& scope, ast::ExprId id, const ast::Name& n) {
    if (n.name == wildcard_name) return scope.put(id, ast::AnyPart{});
    if (scope.around->parameters.contains(n.name) || scope.locals.contains(n.name))
        return scope.put(id, ast::Local{n.name});
    const auto global_use = scope.globals.find(n.name);
    if (global_use != scope.globals.end()) return resolve_global(scope, id, global_use->second);
    special_variable(scope, id, n.name);
}

// The word with a number that is only known at run time: a choice for each word.
ast::ExprNode word_of(Names& scope, ast::ExprId number) {
    if (const auto* known = scope.get<ast::Integer>(number)) return word_at(scope, known->value);
    ast::ExprNode found = word_at(scope, 0);
    for (uint64_t i = scope.given.positional.size(); i > 0; i--) {
        const ast::ExprId copy = i == 1 ? number : ast::clone(scope.program, number);
        const ast::ExprId is_it =
            scope.add(number, ast::Binary{ast::BinaryOp::equal, copy, scope.add(number, ast::Integer{i})});
        found = ast::Conditional{is_it, scope.add(number, word_at(scope, i)), scope.add(number, found)};
    }
    return found;
}

void no_array(Names& scope, ast::ExprId id, const std::string& name) {
    scope.diags.error(scope.span(id), fmt::format("there is no array {}", name)).hint =
        fmt::format("write: global {}", name);
}

void resolve_map(Names& scope, ast::ExprId id, const ast::Map& n) {
    for (ast::ExprId part : n.key) resolve_expr(scope, part);
    scope.touched.insert(n.name);
    if (scope.globals.contains(n.name) || n.name.find('.') != std::string::npos) return;
    if (n.name == "argv" && n.key.size() == 1) return scope.put(id, word_of(scope, n.key[0]));
    no_array(scope, id, n.name);
}

}  // namespace

std::vector<const Function*> FunctionTable::overloads(const std::string& name, size_t arguments) const {
    std::vector<const Function*> out;
    for (const Function* f : all) {
        if (f->name == name && f->parameters.size() == arguments) out.push_back(f);
    }
    std::ranges::stable_sort(out, {}, [](const Function* f) { return f->priority; });
    return out;
}

const Function* FunctionTable::find(const std::string& name, size_t arguments) const {
    const std::vector<const Function*> found = overloads(name, arguments);
    return found.empty() ? nullptr : found.front();
}

bool FunctionTable::has(const std::string& name) const {
    return std::ranges::any_of(all, [&](const Function* f) { return f->name == name; });
}

std::string name_in_tree(const Function& function, const FunctionTable& table) {
    const auto same = std::ranges::count_if(table.all, [&](const Function* f) { return f->name == function.name; });
    const auto alike = table.overloads(function.name, function.parameters.size());
    if (alike.size() > 1) {
        const auto place = std::ranges::find(alike, &function) - alike.begin();
        return fmt::format("{}/{}/{}", function.name, function.parameters.size(), place);
    }
    if (same > 1) return fmt::format("{}/{}", function.name, function.parameters.size());
    if (function.embedded) return function.name + "%";
    const bool is_taken = find_function(function.name) != nullptr || find_variable(function.name) != nullptr;
    return is_taken ? function.name + "/" : function.name;
}

bool is_next(const ast::Program& program, ast::StmtId id) {
    const auto* call = program.call(id);
    return call != nullptr && call->name == next_call;
}

bool says_next(const ast::Program& program, const ast::Block& block) {
    return any_statement(program, block, [&](ast::StmtId id) { return is_next(program, id); });
}

// Also true if a function tried after it gives one.
bool gives_value(const Names& scope, const Function& function) {
    const auto leaves_value = [&](ast::StmtId id) {
        const auto* leave = scope.program.get<ast::Return>(id);
        return leave != nullptr && leave->value;
    };
    return std::ranges::any_of(scope.functions.overloads(function.name, function.parameters.size()),
                               [&](const Function* f) { return any_statement(scope.program, f->body, leaves_value); });
}

ast::ExprId moved(Names& scope, ast::ExprId id) {
    const ast::Expr copy = scope.program[id];
    return scope.program.add(copy.span, copy.node);
}

void resolve_body(Names& scope, ast::Block& b, const Around& around) {
    scope.around = &around;
    scope.locals.clear();
    scope.given_types.clear();
    collect_locals(scope, b);
    keep_given(scope, b);
    resolve_block(scope, b);
    declare_locals(scope, b);
    scope.around = nullptr;
}

void resolve_condition(Names& scope, ast::ExprId id, const Around& around) {
    scope.around = &around;
    if (has_effect(scope, id))
        scope.diags.error(scope.span(id), "the condition of a probe changes something").hint =
            "a condition can only read: move the change to the block";
    scope.locals.clear();
    resolve_expr(scope, id);
    scope.around = nullptr;
}

// ---- statements

void resolve_block(Names& scope, const ast::Block& b) {
    if (scope.given.for_port) exit_last(scope, b);
    for (size_t i = 0; i < b.statements.size(); i++) {
        const bool is_followed = i + 1 < b.statements.size() && !leaves_body(scope, b.statements[i + 1]);
        scope.followed += is_followed;
        resolve_statement(scope, b.statements[i]);
        scope.followed -= is_followed;
    }
}

namespace {

// f() = 1, x + 1 = 2
bool assigns_to_value(Names& scope, ast::ExprId target) {
    const ast::ExprNode& node = scope.node(target);
    const bool is_value = std::holds_alternative<ast::Call>(node) || std::holds_alternative<ast::Binary>(node) ||
                          std::holds_alternative<ast::Unary>(node) || std::holds_alternative<ast::Conditional>(node);
    if (!is_value) return false;
    scope.diags.error(scope.span(target), "only variables and elements of arrays can be assigned to").hint =
        "to compare, write `==`";
    return true;
}

}  // namespace

void resolve_statement(Names& scope, ast::StmtId id) {
    const ast::StmtNode node = scope.program[id].node;
    if (is_next(scope.program, id)) return leave_body(scope, id);
    if (scope.given.for_port && std::holds_alternative<ast::Attempt>(node)) return resolve_attempt(scope, id);
    if (const auto* assign = std::get_if<ast::Assign>(&node)) {
        if (join_once(scope, id, *assign)) return resolve_statement(scope, id);
        if (no_value_for_statistic(scope, *assign)) return;
        const auto* name = scope.program.get<ast::Name>(assign->target);
        const auto* use = name && !scope.around->parameters.contains(name->name)
                              ? scope.globals.contains(name->name) ? &scope.globals[name->name] : nullptr
                              : nullptr;
        if (use != nullptr && use->is_array) {
            scope.diags.error(scope.program[id].span, fmt::format("{} is an array and needs a key", name->name));
            return;
        }
        if (changes_walked(scope, assign->target)) return;
        if (scope.around->row != nullptr && scope.around->row->variables == "printed" && name != nullptr &&
            name->name == "$value")
            return printed_by_itself(scope, id, *assign);
        if (is_target(scope, assign->target)) {
            const auto* target = scope.program.get<ast::Name>(root_of(scope, assign->target));
            const std::string written = target != nullptr ? target->name : "memory that is traced";
            scope.diags.error(scope.span(assign->target), fmt::format("lt does not write to {}", written)).hint =
                "a BPF program cannot change what it traces; with -g you can use raise(), setsockopt() and system()";
            return;
        }
        if (assigns_to_value(scope, assign->target)) return;
    }
    std::string walked_name;
    if (const auto* loop = std::get_if<ast::ForMap>(&node)) {
        const auto* name = scope.program.get<ast::Name>(loop->map);
        if (name != nullptr && !scope.globals.contains(name->name)) {
            no_array(scope, loop->map, name->name);
            return;
        }
        walked_name = name != nullptr ? name->name : "";
        loop_over_statistic(scope, id);
    }
    if (const auto* branch = std::get_if<ast::If>(&node); branch && is_dead_branch(scope, id, *branch)) return;
    const ast::StmtNode now = scope.program[id].node;
    const auto* walk = std::get_if<ast::ForMap>(&node);
    ast::each_expr({scope.program[id].span, now}, [&](ast::ExprId child) { resolve_expr(scope, child); });
    // loops that lt itself makes find the entries to remove
    if (walk != nullptr) scope.walked.push_back(walk->name.starts_with(chosen_loop) ? "" : walked_name);
    ast::each_block({scope.program[id].span, now}, [&](const ast::Block& inner) { resolve_block(scope, inner); });
    if (walk != nullptr) scope.walked.pop_back();
    if (const auto* evaluate = std::get_if<ast::Evaluate>(&now)) let_go(scope, id, evaluate->value);
}

// ---- expressions

void resolve_expr(Names& scope, ast::ExprId id) {
    const ast::ExprNode copy = scope.node(id);
    if (is_target(scope, id)) return resolve_target(scope, id);
    if (const auto* n = std::get_if<ast::Name>(&copy)) return resolve_name(scope, id, *n);
    if (const auto* m = std::get_if<ast::Map>(&copy)) return resolve_map(scope, id, *m);
    if (std::holds_alternative<ast::Call>(copy)) return resolve_call(scope, id);
    if (const auto* both = std::get_if<ast::BlockValue>(&copy); both && assign_once(scope, id, *both))
        return resolve_expr(scope, id);
    if (std::holds_alternative<ast::Integer>(copy)) return as_long(scope, id);
    if (const auto* step = std::get_if<ast::Step>(&copy); step && changes_walked(scope, step->target)) return;
    if (decided_by_defined(scope, id)) return;
    if (const auto* index = std::get_if<ast::Index>(&copy); index && resolve_bucket(scope, id, *index)) return;
    if (const auto* joined = std::get_if<ast::Binary>(&copy); joined && joined->op == ast::BinaryOp::add) {
        keep_time(scope, joined->left);
        keep_time(scope, joined->right);
        if (joins_all(scope, joined->left) || joins_all(scope, joined->right)) return;
    }
    ast::each_child({scope.span(id), copy}, [&](ast::ExprId child) { resolve_expr(scope, child); });
    ast::each_block({scope.span(id), copy}, [&](const ast::Block& b) { resolve_block(scope, b); });
}

}  // namespace lt::stp
