#include "codegen/check/statement.h"

#include <fmt/format.h>

#include "codegen/check/collect.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/expr/type_names.h"
#include "codegen/check/local.h"
#include "codegen/check/loop.h"
#include "codegen/check/map.h"
#include "codegen/typed/decided.h"

namespace lt {
namespace {

void check_unused(CheckContext& c, const ast::BlockValue& node);

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::Evaluate& node) {
    if (const FunctionRow* row = aggregation_of(c.program, node.value)) {
        c.error(stmt.span, fmt::format("`{}()` collects into a map", row->name)).hint =
            fmt::format("write `@name = {}`", signature(*row));
        return;
    }
    if (const auto* inner = std::get_if<ast::BlockValue>(&c.expr(node.value).node); inner && !inner->is_call)
        return check_unused(c, *inner);
    const Type t = check_expression(c, node.value);
    if (node.discard) return;
    if (t.kind != Kind::none && !std::holds_alternative<ast::Call>(c.expr(node.value).node) &&
        !std::holds_alternative<ast::BlockValue>(c.expr(node.value).node)) {
        c.error(stmt.span, "this value is not used").hint =
            "print it, as in `print(...)`, or assign it to a map, as in `@name = ...`";
    }
}

// A block whose value is not used, such as a macro's: it may end with a call that has no value.
void check_unused(CheckContext& c, const ast::BlockValue& node) {
    in_new_scope(c, [&] {
        for (ast::StmtId s : node.block.statements) check_statement(c, c.program[s]);
        if (node.value) check_statement(c, {c.span(*node.value), {}}, ast::Evaluate{*node.value, true});
    });
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::If& node) {
    check_condition(c, node.condition, "a condition");
    const auto known = decided(c.program, c.body, node.condition);
    const auto ahead = foreseen(c.program, c.body, node.condition);
    const auto check = [&](const ast::Block& branch, bool taken) {
        if (known.value_or(taken) != taken) return;
        const bool is_passed_over = ahead.value_or(taken) != taken;
        c.passed_over += is_passed_over;
        check_block(c, branch);
        c.passed_over -= is_passed_over;
    };
    check(node.yes, true);
    check(node.no, false);
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::Assign& node) {
    if (const auto* map = std::get_if<ast::Map>(&c.expr(node.target).node)) {
        assign_map(c, node, *map);
    } else if (const auto* local = std::get_if<ast::Local>(&c.expr(node.target).node)) {
        assign_local(c, node, *local);
    } else {
        c.error(node.target, "only maps (`@name`) and variables (`$name`) can be assigned to");
    }
}

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::Let& node) {
    LocalInfo info{node.name, nothing()};
    if (node.type) {
        const std::optional<Type> named = declared_type(c, *node.type);
        if (!named) return;
        const bool is_whole = named->kind == Kind::structure || named->kind == Kind::array;
        if (is_whole && (named->size == 0 || named->size > most_copied)) {
            c.error(node.type->span,
                    fmt::format("{} of {} bytes does not fit in a variable", type_name(*named), named->size))
                .hint = fmt::format("the limit is {} bytes; for a value at an address write `{} *`", most_copied,
                                    node.type->name);
            return;
        }
        info.type = is_whole ? copied_layout(c, *named) : *named;
        info.has_type = true;
    }
    const Type t = node.value ? check_value(c, *node.value) : nothing();
    const uint32_t index = declare_local(c, node.name, node.name_span, std::move(info));
    if (t.kind != Kind::none) assign_to(c, index, t, *node.value);
    if (node.value && t.kind == Kind::none) c.failed.push_back(node.name);
    c.declared(stmt) = index;
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::Scope& node) { check_block(c, node.body); }

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::Jump& node) {
    if (c.loops > 0) return;
    c.error(stmt.span, fmt::format("`{}` is only allowed in a loop", node.again ? "continue" : "break")).hint =
        "to end the probe's block, write `return`";
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::Return& node) {
    const bool in_call = !c.calls.empty();
    if (!in_call) {
        if (node.value) check_value(c, *node.value);  // nothing uses it, but it may have a side effect
        return;
    }
    const auto* result =
        c.calls.back()->value ? std::get_if<ast::Local>(&c.expr(*c.calls.back()->value).node) : nullptr;
    if (!node.value || result == nullptr) {
        if (node.value) c.error(*node.value, "this function has no value").hint = "give it a type: `fn f() : int64`";
        return;
    }
    const Type t = check_value(c, *node.value);
    if (t.kind == Kind::none) return;
    if (const NamedLocal* known = find_local(c, result->name)) assign_to(c, known->index, t, *node.value);
}

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::Attempt& node) {
    constexpr uint32_t usual = 64;  // bytes of lt's own messages
    in_new_scope(c, [&] {
        if (!node.name.empty())
            c.declared(stmt) = declare_local(c, node.name, node.name_span, {node.name, string_type(usual)});
        c.attempts.push_back(node.name.empty() ? std::nullopt : std::optional(c.declared(stmt)));
        check_block(c, node.body);
        c.attempts.pop_back();
        check_block(c, node.handler);
    });
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::Raise& node) {
    const Type t = check_value(c, node.message);
    if (t.kind == Kind::none) return;
    if (t.kind != Kind::string) {
        c.error(node.message, fmt::format("the message of an error is a string, not {}", type_name(t)));
        return;
    }
    if (!c.attempts.empty() && c.attempts.back()) assign_to(c, *c.attempts.back(), t, node.message);
}

}  // namespace

void check_block(CheckContext& c, const ast::Block& b) {
    in_new_scope(c, [&] {
        for (ast::StmtId id : b.statements) check_statement(c, c.program[id]);
    });
}

void check_statement(CheckContext& c, const ast::Stmt& stmt) {
    std::visit([&](const auto& node) { check_statement(c, stmt, node); }, stmt.node);
}

}  // namespace lt
