#include "parser/lt/statements.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

// Guesses the intention of a value that is a statement by itself.
struct AloneHint {
    std::string operator()(const ast::Name& n) const {
        return find_function(n.name) != nullptr ? fmt::format("to call the function, write `{}()`", n.name) : general;
    }
    std::string operator()(const ast::Binary& b) const {
        return b.op == ast::BinaryOp::equal ? "to assign, write `=`" : general;
    }
    std::string operator()(const ast::Map& m) const {
        return fmt::format("to print a map, write `print(@{})`", m.name);
    }
    std::string operator()(const auto&) const { return general; }

    std::string general = "assign it, as in `@x = ...`, or pass it to a function";
};

// Is it a call, or a choice between calls?
bool acts(const ast::Program& program, ast::ExprId id) {
    const auto* choice = program.get<ast::Conditional>(id);
    return choice ? acts(program, choice->yes) && acts(program, choice->no)
                  : std::holds_alternative<ast::Call>(program[id].node);
}

// `c ? f() : g()` as a statement is an `if`.
ast::StmtNode choice_of_calls(GrowingTree& tree, const ast::Conditional& node) {
    const auto one = [&](ast::ExprId call) {
        return ast::Block{{used(tree, tree.add(tree.program[call].span, ast::Evaluate{call}))}};
    };
    ast::Block yes = one(node.yes);
    return ast::If{node.condition, std::move(yes), one(node.no)};
}

// Does every path through it end with a value?
bool ends_with_value(const ast::Program& program, const Statements& statements) {
    if (statements.empty()) return false;
    const ast::StmtNode& last = program[statements.back()].node;
    if (const auto* value = std::get_if<ast::Evaluate>(&last)) return !value->discard;
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return ends_with_value(program, scope->body.statements);
    const auto* choice = std::get_if<ast::If>(&last);
    return choice && ends_with_value(program, choice->yes.statements) &&
           ends_with_value(program, choice->no.statements);
}

// Is the last statement of each of its blocks a call?
bool only_calls(const ast::Program& program, const Statements& statements) {
    const ast::StmtNode& last = program[statements.back()].node;
    if (const auto* value = std::get_if<ast::Evaluate>(&last))
        return std::holds_alternative<ast::Call>(program[value->value].node);
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return only_calls(program, scope->body.statements);
    const auto& choice = std::get<ast::If>(last);
    return only_calls(program, choice.yes.statements) && only_calls(program, choice.no.statements);
}

// The value of a last statement: an expression, a block, or an `if` whose blocks have a value.
ast::ExprId value_of(GrowingTree& tree, ast::StmtId statement) {
    const ast::Stmt last = tree.program[statement];
    if (const auto* value = std::get_if<ast::Evaluate>(&last.node)) return value->value;
    if (const auto* scope = std::get_if<ast::Scope>(&last.node))
        return add_block_value(tree, last.span, scope->body.statements);
    const auto& choice = std::get<ast::If>(last.node);
    return add_choice(tree, last.span, choice.condition, choice.yes, choice.no);
}

// The expressions that are allowed in the head of a loop over a map.
constexpr std::string_view orders =
    "`sort(@map)`, `sort(@map, key)`, `sort(@map, desc)`, `top(@map, 10)`, `top(@map, 10, key.1)`";

// One word of the order: `desc`, `key`, `key.1`, `count`; false if the word is unknown.
bool order_word(const ast::Program& program, ast::ExprId id, ast::MapOrder& order) {
    const auto* member = program.get<ast::Member>(id);
    const auto* name = program.get<ast::Name>(member ? member->base : id);
    if (name == nullptr) return false;
    if (!member && (name->name == "asc" || name->name == "desc")) {
        order.descending = name->name == "desc";
        return true;
    }
    const auto by = ast::order_named(name->name);
    if (!by || (member && *by != ast::MapOrder::By::key)) return false;
    order.by = *by;
    if (member) order.part = parse_number<uint32_t>(member->field);
    return !member || order.part.has_value();
}

}  // namespace

ast::StmtId used(GrowingTree& tree, ast::StmtId statement) {
    ast::Program& program = tree.program;
    const Span span = program[statement].span;
    const auto become = [&](ast::StmtNode other) {
        program.put(statement, std::move(other));
        return statement;
    };
    const auto* node = program.get<ast::Evaluate>(statement);
    if (node == nullptr || node->discard || tree.too_deep) return statement;
    const ast::ExprNode& value = program[node->value].node;
    if (const auto* step = std::get_if<ast::Step>(&value)) {  // `x++` as a statement is `x += 1`
        const ast::Step s = *step;
        return become(ast::Assign{s.target, s.op, tree.add(span, ast::Integer{1})});
    }
    if (const auto* choice = std::get_if<ast::Conditional>(&value);
        choice && choice->yes != choice->condition && acts(program, node->value)) {
        const ast::Conditional both = *choice;
        return become(choice_of_calls(tree, both));
    }
    // An unknown name may be a macro's.
    const auto* name = std::get_if<ast::Name>(&value);
    const bool is_macro =
        name != nullptr && find_variable(name->name) == nullptr && find_function(name->name) == nullptr;
    if (std::holds_alternative<ast::Call>(value) || is_macro) return statement;
    // bpftrace only warns about these
    if (program.settings.allows_idle_values)
        tree.diags.warning(span, "a value alone has no effect").hint = "write `_ =` before it";
    else
        tree.diags.error(span, "a value alone has no effect").hint = std::visit(AloneHint{}, value);
    return become(ast::Evaluate{node->value, true});
}

void settle(GrowingTree& tree, const Statements& statements) {
    if (statements.empty()) return;
    const ast::StmtNode last = tree.program[statements.back()].node;
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return settle(tree, scope->body.statements);
    if (std::holds_alternative<ast::Evaluate>(last)) used(tree, statements.back());
    const auto* choice = std::get_if<ast::If>(&last);
    if (choice == nullptr) return;
    settle(tree, choice->yes.statements);
    settle(tree, choice->no.statements);
}

ast::StmtId add_assignment(GrowingTree& tree, Span span, ast::ExprId target, std::optional<ast::BinaryOp> op,
                           ast::ExprId value) {
    const ast::Expr& t = tree.program[target];
    const auto* name = std::get_if<ast::Name>(&t.node);
    if (name != nullptr && name->name == "_" && !op) return tree.add(span, ast::Evaluate{value, true});
    if (!std::holds_alternative<ast::Map>(t.node) && !std::holds_alternative<ast::Local>(t.node)) {
        tree.diags.error(t.span, "only a map or a local can be assigned to").hint =
            "write `@name = ...` or `$name = ...`";
    }
    return tree.add(span, ast::Assign{target, op, value});
}

ast::StmtId add_import(GrowingTree& tree, Span span, std::string path, Span path_span) {
    tree.program.items.push_back({span, ast::Import{std::move(path), path_span}});
    return tree.add(span, ast::Scope{});
}

std::optional<ast::ExprId> take_value(GrowingTree& tree, Statements& statements, bool calls_are_statements) {
    if (!ends_with_value(tree.program, statements)) return {};
    if (calls_are_statements && only_calls(tree.program, statements)) return {};
    const ast::ExprId value = value_of(tree, statements.back());
    statements.pop_back();
    return value;
}

ast::ExprId add_choice(GrowingTree& tree, Span span, ast::ExprId condition, const ast::Block& yes,
                       const ast::Block& no) {
    const ast::ExprId first = add_block_value(tree, span, yes.statements);
    if (!no.statements.empty()) {
        const ast::ExprId second = add_block_value(tree, span, no.statements);
        return tree.add(span, ast::Conditional{condition, first, second});
    }
    tree.diags.error(span, "an `if` in an expression needs an `else`").hint = "write `if (condition) { 1 } else { 0 }`";
    return first;
}

ast::ExprId add_block_value(GrowingTree& tree, Span span, Statements statements) {
    const Span end = statements.empty() ? span : tree.program[statements.back()].span;
    const std::optional<ast::ExprId> value = take_value(tree, statements, false);
    if (!value)
        tree.diags.error(end, "a block in an expression must end with a value").hint =
            "write the value before its `}`, without a `;`";
    return tree.add(span, ast::BlockValue{{std::move(statements)}, value});
}

ast::StmtId add_for_map(GrowingTree& tree, Span span, ast::ForMap loop) {
    const auto* called = tree.program.get<ast::Call>(loop.map);
    const ast::OrderHead* head = called ? ast::order_head(called->name) : nullptr;
    if (!head) return tree.add(span, std::move(loop));
    const ast::Call call = *called;
    const size_t first = head->limited ? 2 : 1;
    if (call.arguments.size() < first) {
        tree.diags
            .error(tree.program[loop.map].span,
                   fmt::format("`{}()` takes a map{}", head->name, head->limited ? " and the number of entries" : ""))
            .hint = fmt::format("for example {}", orders);
        return tree.add(span, ast::Scope{});
    }
    ast::MapOrder order;
    order.descending = head->limited;
    order.span = tree.program[loop.map].span;
    for (size_t i = first; i < call.arguments.size(); i++) {
        if (order_word(tree.program, call.arguments[i], order)) continue;
        tree.diags
            .error(tree.program[call.arguments[i]].span, fmt::format("`{}()` does not know this order", call.name))
            .hint =
            fmt::format("use value, key, key.N, count, sum, min, max, avg, asc or desc, for example {}", orders);
    }
    loop.map = call.arguments[0];
    loop.order = order;
    if (head->limited) loop.limit = call.arguments[1];
    return tree.add(span, std::move(loop));
}

}  // namespace lt
