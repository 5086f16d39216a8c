#include "codegen/check/expr/expr.h"

#include <fmt/format.h>

#include "codegen/check/calls/call.h"
#include "codegen/check/collect.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/check/expr/type_of.h"
#include "codegen/check/local.h"
#include "codegen/check/map.h"
#include "codegen/check/names/variable.h"
#include "codegen/check/statement.h"
#include "codegen/typed/decided.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

Type type_of(CheckContext&, ast::ExprId, const ast::Integer& node) { return integer_type(8, node.value <= INT64_MAX); }

Type type_of(CheckContext& c, ast::ExprId, const ast::Duration&) {
    return c.settings().conventions.plain_integers ? integer_type() : duration_type();
}

Type type_of(CheckContext&, ast::ExprId, const ast::String& node) {
    return string_type(static_cast<uint32_t>(node.value.size() + 1));
}

Type type_of(CheckContext&, ast::ExprId, const ast::Boolean&) { return truth_type(); }

// The command line has replaced these.
Type type_of(CheckContext&, ast::ExprId, const ast::Positional&) { return integer_type(); }

Type type_of(CheckContext& c, ast::ExprId id, const ast::AnyPart&) {
    c.error(id, "a `*` in a key is only allowed in the head of a loop").hint =
        "for example `for ($pair : sort(@map[*, 1])) { ... }`";
    return nothing();
}

Type type_of(CheckContext& c, ast::ExprId, const ast::BlockValue& node) {
    const uint32_t loops = c.loops;
    if (node.is_call) {
        c.calls.push_back(&node);
        c.loops = 0;
    }
    Type t = nothing();
    in_new_scope(c, [&] {
        for (ast::StmtId s : node.block.statements) check_statement(c, c.program[s]);
        if (node.value) t = node.is_call ? check_expression(c, *node.value) : check_value(c, *node.value);
    });
    if (node.is_call) c.calls.pop_back();
    c.loops = loops;
    return t;
}

Type known_type(CheckContext& c, ast::ExprId id, ast::ExprId operand) {
    const Type t = check_value(c, operand);
    const auto number = known_value(c.program, c.body, operand);
    c.use(id) = ConstantUse{number.value_or(0)};
    if (t.kind == Kind::none || number) return t;
    c.error(operand, "this value is not known at compile time").hint =
        "numbers, sizes, enumerators, and functions such as `is_str()` are known";
    return nothing();
}

// defined(x): true if x has a value here. Errors in x are not reported.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Defined& node) {
    if (node.is_value) return known_type(c, id, node.value);
    const size_t before = c.diags.all().size();
    const Type t = check_value(c, node.value);
    c.use(id) = ConstantUse{t.kind != Kind::none && c.diags.all().size() == before};
    c.diags.forget(before);
    return integer_type(8, true);
}

}  // namespace

Type check_value(CheckContext& c, ast::ExprId id) {
    const size_t before = c.diags.all().size();
    const Type t = check_expression(c, id);
    const bool has_errors = c.diags.all().size() != before;
    if (t.kind == Kind::none && !has_errors) {
        if (const FunctionRow* row = aggregation_of(c.program, id)) {
            c.error(id, fmt::format("`{}()` can only be assigned to a map", row->name)).hint =
                fmt::format("write `@name = {}`", signature(*row));
        } else if (std::holds_alternative<ast::Call>(c.expr(id).node) ||
                   std::holds_alternative<ast::BlockValue>(c.expr(id).node)) {
            c.error(id, "this function has no value");
        }
    }
    if (is_folded(t) && std::holds_alternative<ast::Map>(c.expr(id).node)) {
        c.type(id) = integer_type(8, t.is_signed, t.view);
        return c.type(id);
    }
    if (t.kind == Kind::aggregation) {
        c.error(id, fmt::format("the result of {} cannot be used in an expression yet", type_name(t))).hint =
            "print it: `print(@name)`, or `print(@name[key])` for one key";
        return nothing();
    }
    return t;
}

Type check_expression(CheckContext& c, ast::ExprId id) {
    const Type t = std::visit([&](const auto& node) { return type_of(c, id, node); }, c.expr(id).node);
    c.type(id) = t;
    return t;
}

void check_condition(CheckContext& c, ast::ExprId id, std::string_view what) {
    const Type t = check_value(c, id);
    if (t.kind == Kind::none || t.kind == Kind::integer) return;
    c.error(id, fmt::format("{} is an integer or a comparison, not {}", what, type_name(t))).hint =
        t.kind == Kind::string ? "compare it: `comm == \"bash\"`" : "";
}

std::string short_text(const ast::Program& program, ast::ExprId id) {
    const auto* name = program.get<ast::Name>(id);
    return name ? name->name : "...";
}

}  // namespace lt
