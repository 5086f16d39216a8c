#include "parser/lt/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "parser/lt/statements.h"
#include "parser/tree/print.h"
#include "parser/tree/type_text.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

bool takes_key(Function f) { return f == Function::remove || f == Function::has_key; }

ast::ExprId members_of_task(GrowingTree& tree, Span span, std::string_view members, ast::ExprId value) {
    for (std::string_view each : split(members, '.'))
        value = tree.add(span, ast::Member{value, std::string(each), span});
    return value;
}

// a.b.c, if it consists only of names
std::vector<std::string> path_of(const ast::Program& program, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* name = std::get_if<ast::Name>(&node)) return {name->name};
    const auto* member = std::get_if<ast::Member>(&node);
    std::vector<std::string> path = member ? path_of(program, member->base) : std::vector<std::string>{};
    if (!path.empty()) path.push_back(member->field);
    return path;
}

// typeof() as an argument: a type alone, without an offset.
const ast::TypeName* given_type(const ast::Program& program, ast::ExprId id) {
    const auto* type = program.get<ast::OffsetOf>(id);
    return type != nullptr && type->path.empty() ? &type->type : nullptr;
}

// f(@map, key) is f(@map[key]).
Exprs with_key(GrowingTree& tree, Span span, Exprs arguments) {
    const auto* map = tree.program.get<ast::Map>(arguments[0]);
    if (map == nullptr || map->has_key) return arguments;
    return {add_map(tree, span, map->name, {arguments[1]})};
}

// find(@map, key, $name) is { $found = has_key(@map[key]); if ($found) { $name = @map[key]; } $found }, with a name for
// the first variable that no program can write.
ast::ExprId add_find(GrowingTree& tree, Span span, Exprs arguments) {
    const auto* map = tree.program.get<ast::Map>(arguments[0]);
    const bool is_variable = std::holds_alternative<ast::Local>(tree.program[arguments[2]].node);
    if (map == nullptr || map->has_key || !is_variable) {
        tree.diags.error(span, "`find()` takes a map, a key and a variable").hint =
            "for example `find(@start, tid, $at)`";
        return tree.add(span, ast::Integer{0});
    }
    const std::string asks = fmt::format("__found_{}", tree.program.exprs.size());
    const std::string place = fmt::format("__key_{}", tree.program.exprs.size());
    const auto mark = [&] { return tree.add(span, ast::Local{asks}); };
    const auto key = [&] { return tree.add(span, ast::Local{place}); };
    const std::string name = map->name;
    const ast::StmtId evaluated = tree.add(span, ast::Let{place, span, {}, arguments[1]});  // once
    const ast::ExprId one = with_key(tree, span, {arguments[0], key()})[0];
    const ast::ExprId has = add_call(tree, span, std::string(function_row(Function::has_key).name), span, {one});
    const ast::StmtId lookup = tree.add(span, ast::Let{asks, span, {}, has});
    const ast::StmtId taken = add_assignment(tree, span, arguments[2], {}, add_map(tree, span, name, {key()}));
    const ast::ExprId condition = mark();
    const ast::StmtId choice = tree.add(span, ast::If{condition, {{taken}}, {}});
    return add_block_value(tree, span, {evaluated, lookup, choice, tree.add(span, ast::Evaluate{mark()})});
}

// A comparison without parentheses; they would make the operand's span wider.
bool is_bare_comparison(const GrowingTree& tree, ast::ExprId id, Span span) {
    const auto* node = tree.program.get<ast::Binary>(id);
    const Span own = tree.program[id].span;
    return node && compares(node->op) && own.begin == span.begin && own.end == span.end;
}

}  // namespace

ast::ExprId add_name(GrowingTree& tree, Span span, std::string name) {
    const VariableRow* row = find_variable(name);
    if (!row || row->members.empty()) return tree.add(span, ast::Name{std::move(name)});
    const auto task = tree.add(span, ast::Name{std::string(variable_row(Variable::curtask).name)});
    return members_of_task(tree, span, row->members, task);
}

// A key of several parts is a tuple: @x[(a, b)] is @x[a, b].
ast::ExprId add_map(GrowingTree& tree, Span span, std::string name, Exprs key) {
    if (const auto* tuple = tree.program.get<ast::Tuple>(key.front());
        tuple && key.size() == 1 && tuple->names.empty() && !tuple->parts.empty()) {
        key = Exprs(tuple->parts);
    }
    return tree.add(span, ast::Map{std::move(name), std::move(key), true});
}

ast::ExprId add_record(GrowingTree& tree, Span span, ast::Tuple fields) {
    for (size_t i = 0; i < fields.names.size(); i++) {
        if (std::find(fields.names.begin(), fields.names.begin() + static_cast<ptrdiff_t>(i), fields.names[i]) ==
            fields.names.begin() + static_cast<ptrdiff_t>(i))
            continue;
        tree.diags.error(tree.program[fields.parts[i]].span,
                         fmt::format("the record already has a field `{}`", fields.names[i]));
    }
    return tree.add(span, std::move(fields));
}

ast::ExprId add_container(GrowingTree& tree, Span span, const std::string& name, Span name_span, const Exprs& arguments,
                          ast::TypeName type, std::vector<std::string> path) {
    if (name != function_row(Function::container_of).name || arguments.size() != 1) {
        tree.diags.error(type.span, fmt::format("`{}()` does not take a type here", name)).hint =
            "`container_of(address, struct NAME, member)` takes one";
        return tree.add(name_span, ast::Integer{0});
    }
    const ast::ExprId number = tree.add(span, ast::Cast{{span, "uint64"}, arguments[0]});
    const ast::ExprId offset = tree.add(span, ast::OffsetOf{type, std::move(path)});
    type.pointers++;
    const ast::ExprId begin = tree.add(span, ast::Binary{ast::BinaryOp::subtract, number, offset});
    return tree.add(span, ast::Cast{std::move(type), begin});
}

// int32[4]*: the array is part of the name.
ast::TypeName address_type(Span span, ast::TypeName to) {
    if (to.count) to = {span, ast::text(to)};
    to.span = span;
    to.pointers++;
    return to;
}

ast::TypeName array_type(GrowingTree& tree, Span span, ast::TypeName of, uint64_t count) {
    if (of.count || of.like)
        tree.diags
            .error(span, of.like ? "`typeof()` cannot declare an array" : "a variable cannot be an array of arrays")
            .hint = "declare an array of one dimension, for example `let $x : int32[4]`";
    of.span = span;
    of.count = count;
    return of;
}

ast::ExprId add_type_call(GrowingTree& tree, Span span, const std::string& name, ast::TypeName type) {
    if (name == function_row(Function::type_info).name) {  // the type of the value at an address of the given type
        type.pointers++;
        const ast::ExprId at = tree.add(span, ast::Cast{std::move(type), tree.add(span, ast::Integer{0})});
        return add_call(tree, span, name, span, {tree.add(span, ast::Unary{ast::UnaryOp::dereference, at})});
    }
    if (name != function_row(Function::size_of).name) {
        tree.diags.error(type.span, fmt::format("`{}()` takes a value, not a type", name)).hint =
            "only `sizeof()`, `offsetof()` and `typeinfo()` take a type";
    }
    return tree.add(span, ast::SizeOf{std::move(type)});
}

ast::ExprId add_call(GrowingTree& tree, Span span, std::string name, Span name_span, Exprs arguments) {
    const ast::Program& program = tree.program;
    // values may be written as calls: pid()
    const VariableRow* variable = find_variable(name);
    const FunctionRow* function = find_function(name);
    const bool collects = function != nullptr && function->aggregation != Aggregation::none;
    const bool is_value = (variable != nullptr && !collects) || name == "config";
    if (arguments.empty() && is_value) return add_name(tree, span, std::move(name));
    // ppid(task)
    if (arguments.size() == 1 && variable != nullptr && !variable->members.empty())
        return members_of_task(tree, span, variable->members, arguments[0]);
    if (function != nullptr && takes_key(function->id) && arguments.size() == 2)
        arguments = with_key(tree, span, std::move(arguments));
    if (name == function_row(Function::container_of).name && arguments.size() == 3) {
        const std::vector<std::string> type = path_of(program, arguments[1]), path = path_of(program, arguments[2]);
        if (const ast::TypeName* given = given_type(program, arguments[1]); given != nullptr && !path.empty())
            return add_container(tree, span, name, name_span, {arguments[0]}, *given, path);
        if (type.size() == 1 && !path.empty())
            return add_container(tree, span, name, name_span, {arguments[0]}, {program[arguments[1]].span, type[0]},
                                 path);
    }
    if (name == function_row(Function::find).name && arguments.size() == 3)
        return add_find(tree, span, std::move(arguments));
    if (name == function_row(Function::offset_of).name && arguments.size() == 2) {
        std::vector<std::string> path = path_of(program, arguments[1]);
        ast::TypeName like = {program[arguments[0]].span, ""};
        like.like = arguments[0];
        if (const ast::TypeName* given = given_type(program, arguments[0])) like = *given;
        if (!path.empty()) return tree.add(span, ast::OffsetOf{std::move(like), std::move(path)});
    }
    if (const ast::TypeName* type = arguments.size() == 1 ? given_type(program, arguments[0]) : nullptr;
        type != nullptr &&
        (name == function_row(Function::size_of).name || name == function_row(Function::type_info).name))
        return add_type_call(tree, span, name, *type);
    const auto* word = arguments.size() == 1 ? program.get<ast::Name>(arguments[0]) : nullptr;
    if (word != nullptr && name == function_row(Function::type_info).name && is_surely_type(word->name))
        return add_type_call(tree, span, name, {program[arguments[0]].span, word->name});
    if (name == "defined" && arguments.size() == 1) return tree.add(span, ast::Defined{arguments[0]});
    return tree.add(span, ast::Call{std::move(name), name_span, std::move(arguments)});
}

ast::ExprId add_binary(GrowingTree& tree, ast::BinaryOp op, ast::ExprId left, ast::ExprId right) {
    return tree.add(cover(tree.program[left].span, tree.program[right].span), ast::Binary{op, left, right});
}

ast::ExprId add_bitwise(GrowingTree& tree, ast::BinaryOp op, ast::ExprId left, Span left_span, ast::ExprId right,
                        Span right_span) {
    const bool before = is_bare_comparison(tree, left, left_span);
    const ast::ExprId whole = add_binary(tree, op, left, right);
    if (before == is_bare_comparison(tree, right, right_span)) return whole;  // two comparisons are meant as they are
    const auto& inner = std::get<ast::Binary>(tree.program[before ? left : right].node);
    const auto text = [&](ast::ExprId id) { return ast::print(tree.program, id); };
    const std::string bits =
        fmt::format("({} {} {})", text(before ? inner.right : left), spelling(op), text(before ? right : inner.left));
    const std::string other = text(before ? inner.left : inner.right);
    Diag& d = tree.diags.warning(tree.program[whole].span,
                                 fmt::format("`{}` is evaluated before `{}`", spelling(inner.op), spelling(op)));
    d.hint = fmt::format("write `{} {} {}`", before ? other : bits, spelling(inner.op), before ? bits : other);
    return whole;
}

ast::ExprId add_step(GrowingTree& tree, Span span, ast::ExprId target, ast::BinaryOp op, bool before) {
    const ast::Expr& t = tree.program[target];
    if (!std::holds_alternative<ast::Map>(t.node) && !std::holds_alternative<ast::Local>(t.node)) {
        tree.diags.error(t.span, "only a map or a local can be incremented or decremented").hint =
            "write `@name++` or `$name++`";
    }
    return tree.add(span, ast::Step{target, op, before});
}

}  // namespace lt
