#include "stp_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "stp_clone.h"
#include "stp_shown.h"

namespace lt::stp {
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
    return std::any_of(all.begin(), all.end(), [&](const Function* f) { return f->name == name; });
}

std::string name_in_tree(const Function& function, const FunctionTable& table) {
    const auto same =
        std::count_if(table.all.begin(), table.all.end(), [&](const Function* f) { return f->name == function.name; });
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

namespace {

bool any_statement(const ast::Program& program, const ast::Block& block,
                   const std::function<bool(const ast::StmtNode&)>& is) {
    bool found = false;
    for (ast::StmtId id : block.statements) {
        found = found || is(program[id].node);
        ast::each_block(program[id], [&](const ast::Block& b) { found = found || any_statement(program, b, is); });
    }
    return found;
}

}  // namespace

bool is_next(const ast::Program& program, const ast::StmtNode& node) {
    const auto* evaluate = std::get_if<ast::Evaluate>(&node);
    const auto* call = evaluate ? std::get_if<ast::Call>(&program[evaluate->value].node) : nullptr;
    return call != nullptr && call->name == next_call;
}

bool says_next(const ast::Program& program, const ast::Block& block) {
    return any_statement(program, block, [&](const ast::StmtNode& node) { return is_next(program, node); });
}

// Also where it is one of those that are tried after it that gives one.
bool NameResolver::gives_value(const Function& function) const {
    const auto leaves_value = [](const ast::StmtNode& node) {
        const auto* leave = std::get_if<ast::Return>(&node);
        return leave != nullptr && leave->value;
    };
    return std::ranges::any_of(functions_.overloads(function.name, function.parameters.size()),
                               [&](const Function* f) { return any_statement(program_, f->body, leaves_value); });
}

ast::ExprId NameResolver::moved(ast::ExprId id) {
    const ast::Expr copy = program_[id];
    return program_.add(copy.span, copy.node);
}

void NameResolver::body(ast::Block& b, const Around& around) {
    around_ = &around;
    locals_.clear();
    given_types_.clear();
    collect_locals(b);
    keep_given(b);
    block(b);
    declare(b);
    around_ = nullptr;
}

void NameResolver::condition(ast::ExprId id, const Around& around) {
    around_ = &around;
    if (has_effect(id))
        diags_.error(span(id), "the condition of a probe changes something").hint =
            "it is asked before each hit, and may only read: change it in the block";
    locals_.clear();
    expr(id);
    around_ = nullptr;
}

// ---- locals: whatever is assigned to and is no global

void NameResolver::assigned(ast::ExprId target, bool plain) {
    const auto* name = std::get_if<ast::Name>(&node(target));
    if (name == nullptr || name->name.starts_with("$") || around_->parameters.contains(name->name)) return;
    if (globals_.contains(name->name)) return;
    Seen& seen = locals_[name->name];
    seen.plain = seen.plain || plain;
}

void NameResolver::collect_locals(ast::ExprId id) {
    if (const auto* step = std::get_if<ast::Step>(&node(id))) assigned(step->target, false);
    ast::each_child(program_[id], [&](ast::ExprId child) { collect_locals(child); });
    ast::each_block(program_[id], [&](const ast::Block& b) { collect_locals(b); });
}

void NameResolver::collect_locals(const ast::Block& b) {
    for (ast::StmtId id : b.statements) {
        const ast::Stmt stmt = program_[id];
        if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
            assigned(assign->target, !assign->op);
            if (!assign->op) note_type(assign->target, assign->value);
        }
        ast::each_expr(stmt, [&](ast::ExprId child) { collect_locals(child); });
        ast::each_block(stmt, [&](const ast::Block& inner) { collect_locals(inner); });
    }
}

void NameResolver::declare(ast::Block& b) {
    std::vector<ast::StmtId> all;
    for (const auto& [name, seen] : locals_) {
        const Span where = b.statements.empty() ? Span{} : program_[b.statements.front()].span;
        std::optional<ast::ExprId> zero;
        if (!seen.plain) zero = program_.add(where, ast::Integer{0});
        all.push_back(program_.add(where, ast::Let{name, where, std::nullopt, zero}));
    }
    b.statements.insert(b.statements.begin(), all.begin(), all.end());
}

// ---- functions that are tried one after the other

// What a function is given, for the next one, where it changes it itself.
void NameResolver::keep_given(ast::Block& b) {
    if (around_->function == nullptr || !says_next(program_, b)) return;
    std::vector<ast::StmtId> kept;
    for (const Function::Parameter& p : around_->function->parameters) {
        const ast::ExprId value = program_.add(p.span, ast::Local{p.name});
        kept.push_back(program_.add(p.span, ast::Let{"given " + p.name, p.span, std::nullopt, value}));
    }
    b.statements.insert(b.statements.begin(), kept.begin(), kept.end());
}

// In a probe the end of the block, in a function the next one of its name.
void NameResolver::next(ast::StmtId id) {
    const Span where = program_[id].span;
    if (around_->function == nullptr) {
        program_.stmts[static_cast<size_t>(id)].node = ast::Return{};
        return;
    }
    const Function& f = *around_->function;
    const auto all = functions_.overloads(f.name, f.parameters.size());
    const auto after = std::ranges::find(all, &f) + 1;
    if (after == all.end()) {
        const ast::ExprId message = program_.add(where, ast::String{"all functions exhausted"});
        program_.stmts[static_cast<size_t>(id)].node =
            given_.for_port ? ast::StmtNode(ast::Return{}) : ast::StmtNode(ast::Raise{message});
        return;
    }
    std::vector<ast::ExprId> given;
    for (const Function::Parameter& p : f.parameters)
        given.push_back(program_.add(where, ast::Local{"given " + p.name}));
    called_.insert(*after);
    const ast::ExprId called = program_.add(where, ast::Call{name_in_tree(**after, functions_), where, given});
    if (gives_value(f)) {
        program_.stmts[static_cast<size_t>(id)].node = ast::Return{called};
        return;
    }
    ast::Scope both;
    both.body.statements.push_back(program_.add(where, ast::Evaluate{called}));
    both.body.statements.push_back(program_.add(where, ast::Return{}));
    program_.stmts[static_cast<size_t>(id)].node = std::move(both);
}

// ---- statements

void NameResolver::block(const ast::Block& b) {
    if (given_.for_port) exit_last(b);
    for (size_t i = 0; i < b.statements.size(); i++) {
        const bool is_followed = i + 1 < b.statements.size() && !leaves(b.statements[i + 1]);
        followed_ += is_followed;
        statement(b.statements[i]);
        followed_ -= is_followed;
    }
}

void NameResolver::statement(ast::StmtId id) {
    const ast::StmtNode node = program_[id].node;
    if (is_next(program_, node)) return next(id);
    if (given_.for_port && std::holds_alternative<ast::Attempt>(node)) return attempt(id);
    if (const auto* assign = std::get_if<ast::Assign>(&node)) {
        if (no_value_for_statistic(*assign)) return;
        const auto* name = std::get_if<ast::Name>(&program_[assign->target].node);
        const auto* use = name && !around_->parameters.contains(name->name)
                              ? globals_.contains(name->name) ? &globals_[name->name] : nullptr
                              : nullptr;
        if (use != nullptr && use->is_array) {
            diags_.error(program_[id].span, fmt::format("{} is an array and needs a key", name->name));
            return;
        }
        if (changes_walked(assign->target)) return;
        if (around_->row != nullptr && around_->row->variables == "printed" && name != nullptr &&
            name->name == "$value")
            return printed(id, *assign);
        if (is_target(assign->target)) {
            const auto* target = std::get_if<ast::Name>(&program_[root_of(assign->target)].node);
            const std::string written = target != nullptr ? target->name : "memory that is traced";
            diags_.error(span(assign->target), fmt::format("lt does not write to {}", written)).hint =
                "a program of BPF cannot change what it traces; with -g there are raise(), setsockopt() and system()";
            return;
        }
    }
    std::string walked_name;
    if (const auto* loop = std::get_if<ast::ForMap>(&node)) {
        const auto* name = std::get_if<ast::Name>(&program_[loop->map].node);
        if (name != nullptr && !globals_.contains(name->name)) {
            no_array(loop->map, name->name);
            return;
        }
        walked_name = name != nullptr ? name->name : "";
        loop_over_statistic(id);
    }
    if (const auto* branch = std::get_if<ast::If>(&node); branch && is_dead_branch(id, *branch)) return;
    const ast::StmtNode now = program_[id].node;
    const auto* walk = std::get_if<ast::ForMap>(&node);
    ast::each_expr({program_[id].span, now}, [&](ast::ExprId child) { expr(child); });
    // loops that lt itself makes look for what is to be taken out
    if (walk != nullptr) walked_.push_back(walk->name.find('#') == std::string::npos ? walked_name : "");
    ast::each_block({program_[id].span, now}, [&](const ast::Block& inner) { block(inner); });
    if (walk != nullptr) walked_.pop_back();
    if (const auto* evaluate = std::get_if<ast::Evaluate>(&now)) let_go(id, evaluate->value);
}

// $value = text, $value .= text: what would be read is printed.
void NameResolver::printed(ast::StmtId id, const ast::Assign& assign) {
    ast::ExprId text = assign.value;
    const auto* joined = std::get_if<ast::Binary>(&node(text));
    const auto* before = joined ? std::get_if<ast::Name>(&node(joined->left)) : nullptr;
    if (before != nullptr && before->name == "$value") text = joined->right;
    const ast::ExprId print = add(text, ast::Call{"print", span(text), {text}});
    program_.stmts[static_cast<size_t>(id)].node = ast::Evaluate{print};
    expr(print);
}

// ---- expressions

void NameResolver::expr(ast::ExprId id) {
    const ast::ExprNode copy = node(id);
    if (is_target(id)) return target(id);
    if (const auto* n = std::get_if<ast::Name>(&copy)) return name(id, *n);
    if (const auto* m = std::get_if<ast::Map>(&copy)) return map(id, *m);
    if (std::holds_alternative<ast::Call>(copy)) return call(id);
    if (std::holds_alternative<ast::Integer>(copy)) return as_long(id);
    if (const auto* step = std::get_if<ast::Step>(&copy); step && changes_walked(step->target)) return;
    if (decided_by_defined(id)) return;
    if (const auto* index = std::get_if<ast::Index>(&copy); index && bucket(id, *index)) return;
    if (const auto* joined = std::get_if<ast::Binary>(&copy); joined && joined->op == ast::BinaryOp::add) {
        keep_time(joined->left);
        keep_time(joined->right);
        if (joins_all(joined->left) || joins_all(joined->right)) return;
    }
    ast::each_child({span(id), copy}, [&](ast::ExprId child) { expr(child); });
    ast::each_block({span(id), copy}, [&](const ast::Block& b) { block(b); });
}

void NameResolver::name(ast::ExprId id, const ast::Name& n) {
    if (n.name == wildcard_name) return put(id, ast::AnyPart{});
    if (around_->parameters.contains(n.name) || locals_.contains(n.name)) return put(id, ast::Local{n.name});
    const auto global_use = globals_.find(n.name);
    if (global_use != globals_.end()) return global(id, global_use->second);
    special_variable(id, n.name);
}

// A global that nothing writes is a constant.
void NameResolver::global(ast::ExprId id, const GlobalUse& use) {
    touched_.insert(use.global->name);
    if (use.is_array || use.is_written) return put(id, ast::Map{use.global->name, {}, false});
    if (!use.global->value) return put(id, ast::Integer{0});
    put(id, node(*use.global->value));
}

// A word of the command line, from 1; none is empty.
ast::ExprNode NameResolver::word(uint64_t number) const {
    const bool is_there = number > 0 && number <= given_.positional.size();
    return ast::String{is_there ? given_.positional[number - 1] : ""};
}

// The one of a number that is known when the program runs: a choice for each word there is.
ast::ExprNode NameResolver::word_of(ast::ExprId number) {
    if (const auto* known = std::get_if<ast::Integer>(&node(number))) return word(known->value);
    ast::ExprNode found = word(0);
    for (uint64_t i = given_.positional.size(); i > 0; i--) {
        const ast::ExprId copy = i == 1 ? number : clone(program_, number);
        const ast::ExprId is_it = add(number, ast::Binary{ast::BinaryOp::equal, copy, add(number, ast::Integer{i})});
        found = ast::Conditional{is_it, add(number, word(i)), add(number, found)};
    }
    return found;
}

// What nothing assigns to is 0; some names stand for what the command line gives.
void NameResolver::special_variable(ast::ExprId id, const std::string& name) {
    if (name == "argc") return put(id, ast::Integer{given_.positional.size()});
    if (name.starts_with("argv_")) {
        size_t n = 0;
        std::from_chars(name.data() + 5, name.data() + name.size(), n);
        return put(id, word(n));
    }
    if (around_->row != nullptr && around_->row->shape == "kernel.syscall(s)") return argument_named(id, name);
    put(id, ast::Integer{0});
}

// An argument of a system call by the name that this kernel has for it, 0 where it has none.
void NameResolver::argument_named(ast::ExprId id, const std::string& name) {
    if (name == "argstr") return put(id, ast::Call{"syscall_args", span(id), {}});
    if (around_->call != nullptr) {
        const auto place = stp_argument(*around_->call, name);
        if (!place) {
            const auto text = argument_text(program_, span(id), *around_->call, name);
            put(id, text ? node(*text) : ast::ExprNode(ast::Integer{0}));
            return text ? expr(id) : void();
        }
        put(id, ast::Member{add(id, ast::Name{"args"}), std::to_string(*place), span(id)});
        if (around_->call->arguments[*place] != 's') return as_long(id);
        return put(id, ast::Call{"str", span(id), {moved(id)}, true});
    }
    const auto field = [&] { return add(id, ast::Member{add(id, ast::Name{"args"}), name, span(id)}); };
    const ast::ExprId there = add(id, ast::Defined{field()}), value = field();
    as_long(value);
    put(id, ast::Conditional{there, value, add(id, ast::Integer{0})});
}

void NameResolver::map(ast::ExprId id, const ast::Map& n) {
    for (ast::ExprId part : n.key) expr(part);
    touched_.insert(n.name);
    if (globals_.contains(n.name) || n.name.find('.') != std::string::npos) return;
    if (n.name == "argv" && n.key.size() == 1) return put(id, word_of(n.key[0]));
    no_array(id, n.name);
}

void NameResolver::no_array(ast::ExprId id, const std::string& name) {
    diags_.error(span(id), fmt::format("there is no array {}", name)).hint = fmt::format("write: global {}", name);
}

}  // namespace lt::stp
