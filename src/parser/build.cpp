#include "build.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "type_text.h"

namespace lt {
namespace {

constexpr uint32_t most_depth = 256;

// What a value that stands alone as a statement may have been meant to be.
struct AloneHint {
    std::string operator()(const ast::Name& n) const {
        return find_function(n.name) != nullptr ? fmt::format("to call the function, write {}()", n.name) : general;
    }
    std::string operator()(const ast::Binary& b) const {
        return b.op == ast::BinaryOp::equal ? "to assign, write '='" : general;
    }
    std::string operator()(const ast::Map& m) const { return fmt::format("to print a map, write print(@{})", m.name); }
    std::string operator()(const auto&) const { return general; }

    std::string general = "assign it, as in @x = ..., or call a function with it";
};

bool takes_key(Function f) { return f == Function::remove || f == Function::has_key; }

auto find_keyed(const std::vector<ast::Endpoint>& endpoints) {
    const auto has_key = [](const ast::Endpoint& e) { return !e.key.empty(); };
    return std::find_if(endpoints.begin(), endpoints.end(), has_key);
}

}  // namespace

uint32_t Builder::depth_of(const Exprs& exprs) const {
    uint32_t depth = 0;
    for (ast::ExprId e : exprs) depth = std::max(depth, expr_depths_[static_cast<size_t>(e)]);
    return depth;
}

uint32_t Builder::depth_of(const ast::Block& block) const {
    uint32_t depth = 0;
    for (ast::StmtId s : block.statements) depth = std::max(depth, stmt_depths_[static_cast<size_t>(s)]);
    return depth;
}

// The depth, or 0 for a node that must not get its children; said once per program.
uint32_t Builder::check_depth(Span span, uint32_t depth) {
    if (depth <= most_depth) return depth;
    if (!said_too_deep_) diags_.error(span, "this is nested too deeply").hint = "split it into several statements";
    said_too_deep_ = true;
    return 0;
}

ast::ExprId Builder::add(Span span, ast::ExprNode node, const Exprs& children) {
    const uint32_t depth = check_depth(span, depth_of(children) + 1);
    if (depth == 0) node = ast::Integer{0};
    expr_depths_.push_back(depth);
    return program_.add(span, std::move(node));
}

ast::ExprId Builder::leaf(Span span, ast::ExprNode node) {
    const auto* name = std::get_if<ast::Name>(&node);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    if (row && !row->members.empty()) {
        const auto task = add(span, ast::Name{std::string(variable_row(Variable::curtask).name)}, {});
        return members_of_task(span, row->members, task);
    }
    return add(span, std::move(node), {});
}

ast::ExprId Builder::members_of_task(Span span, std::string_view members, ast::ExprId value) {
    for (std::string_view each : split(members, '.')) value = member(span, value, std::string(each), span);
    return value;
}

// A key of several parts is a tuple: @x[(a, b)] is @x[a, b].
ast::ExprId Builder::map(Span span, std::string name, Exprs key) {
    if (const auto* tuple = std::get_if<ast::Tuple>(&program_[key.front()].node);
        tuple && key.size() == 1 && tuple->names.empty() && !tuple->parts.empty()) {
        key = Exprs(tuple->parts);
    }
    ast::Map node = {std::move(name), key, true};
    return add(span, std::move(node), key);
}

ast::ExprId Builder::member(Span span, ast::ExprId base, std::string field, Span field_span) {
    return add(span, ast::Member{base, std::move(field), field_span}, {base});
}

ast::ExprId Builder::index(Span span, ast::ExprId base, ast::ExprId index) {
    return add(span, ast::Index{base, index}, {base, index});
}

ast::ExprId Builder::tuple(Span span, ast::ExprId first, Exprs others) {
    others.insert(others.begin(), first);
    ast::Tuple node = {others};
    return add(span, std::move(node), others);
}

ast::ExprId Builder::record(Span span, ast::Tuple fields) {
    for (size_t i = 0; i < fields.names.size(); i++) {
        if (std::find(fields.names.begin(), fields.names.begin() + static_cast<ptrdiff_t>(i), fields.names[i]) ==
            fields.names.begin() + static_cast<ptrdiff_t>(i))
            continue;
        diags_.error(program_[fields.parts[i]].span,
                     fmt::format("the record has a field `{}` already", fields.names[i]));
    }
    const Exprs parts = fields.parts;
    return add(span, std::move(fields), parts);
}

// container_of(address, type, member): the structure in which the member lies.
ast::ExprId Builder::container(Span span, const std::string& name, Span name_span, const Exprs& arguments,
                               ast::TypeName type, std::vector<std::string> path) {
    if (name != function_row(Function::container_of).name || arguments.size() != 1) {
        diags_.error(type.span, fmt::format("{}() takes no type here", name)).hint =
            "container_of(address, struct NAME, member) takes one";
        return leaf(name_span, ast::Integer{0});
    }
    const ast::ExprId number = cast(span, {span, "uint64"}, arguments[0]);
    const ast::ExprId offset = leaf(span, ast::OffsetOf{type, std::move(path)});
    type.pointers++;
    const ast::ExprId begin = add(span, ast::Binary{ast::BinaryOp::subtract, number, offset}, {number, offset});
    return cast(span, std::move(type), begin);
}

// a.b.c, where it is nothing but names
std::vector<std::string> Builder::path_of(ast::ExprId id) const {
    const ast::ExprNode& node = program_[id].node;
    if (const auto* name = std::get_if<ast::Name>(&node)) return {name->name};
    const auto* member = std::get_if<ast::Member>(&node);
    std::vector<std::string> path = member ? path_of(member->base) : std::vector<std::string>{};
    if (!path.empty()) path.push_back(member->field);
    return path;
}

// int32[4]*: the array is part of the name.
ast::TypeName Builder::address_type(Span span, ast::TypeName to) {
    if (to.count) to = {span, ast::text(to)};
    to.span = span;
    to.pointers++;
    return to;
}

ast::TypeName Builder::array_type(Span span, ast::TypeName of, uint64_t count) {
    if (of.count || of.like)
        diags_.error(span, of.like ? "typeof() makes no array" : "a variable cannot be an array of arrays").hint =
            "an array of one dimension can be declared, as in let $x : int32[4]";
    of.span = span;
    of.count = count;
    return of;
}

// typeof() as an argument: a type by itself, of which no offset is asked.
const ast::TypeName* Builder::given_type(ast::ExprId id) const {
    const auto* type = std::get_if<ast::OffsetOf>(&program_[id].node);
    return type != nullptr && type->path.empty() ? &type->type : nullptr;
}

ast::ExprId Builder::cast(Span span, ast::TypeName type, ast::ExprId value) {
    return add(span, ast::Cast{std::move(type), value}, {value});
}

ast::ExprId Builder::type_call(Span span, const std::string& name, ast::TypeName type) {
    if (name == function_row(Function::type_info).name) {  // that of what lies at an address of the type
        type.pointers++;
        const ast::ExprId at = cast(span, std::move(type), leaf(span, ast::Integer{0}));
        return call(span, name, span, {unary(span, ast::UnaryOp::dereference, at)});
    }
    if (name != function_row(Function::size_of).name) {
        diags_.error(type.span, fmt::format("{}() takes a value, not a type", name)).hint =
            "only sizeof(), offsetof() and typeinfo() take a type";
    }
    return leaf(span, ast::SizeOf{std::move(type)});
}

// f(@map, key) is f(@map[key]).
Builder::Exprs Builder::with_key(Span span, Exprs arguments) {
    const auto* map = std::get_if<ast::Map>(&program_[arguments[0]].node);
    if (map == nullptr || map->has_key) return arguments;
    return {this->map(span, map->name, {arguments[1]})};
}

ast::ExprId Builder::call(Span span, std::string name, Span name_span, Exprs arguments) {
    // values may be written as calls: pid()
    const VariableRow* variable = find_variable(name);
    const bool is_value = variable != nullptr || name == "config";
    if (arguments.empty() && is_value) return leaf(span, ast::Name{std::move(name)});
    // ppid(task)
    if (arguments.size() == 1 && variable != nullptr && !variable->members.empty())
        return members_of_task(span, variable->members, arguments[0]);
    if (const FunctionRow* row = find_function(name); row != nullptr && takes_key(row->id) && arguments.size() == 2) {
        arguments = with_key(span, std::move(arguments));
    }
    if (name == function_row(Function::container_of).name && arguments.size() == 3) {
        const std::vector<std::string> type = path_of(arguments[1]), path = path_of(arguments[2]);
        if (const ast::TypeName* given = given_type(arguments[1]); given != nullptr && !path.empty())
            return container(span, name, name_span, {arguments[0]}, *given, path);
        if (type.size() == 1 && !path.empty())
            return container(span, name, name_span, {arguments[0]}, {program_[arguments[1]].span, type[0]}, path);
    }
    if (name == function_row(Function::find).name && arguments.size() == 3) return found(span, std::move(arguments));
    if (name == function_row(Function::offset_of).name && arguments.size() == 2) {
        const std::vector<std::string> path = path_of(arguments[1]);
        ast::TypeName like = {program_[arguments[0]].span, ""};
        like.like = arguments[0];
        if (const ast::TypeName* given = given_type(arguments[0])) like = *given;
        if (!path.empty()) return add(span, ast::OffsetOf{std::move(like), path}, {arguments[0]});
    }
    if (const ast::TypeName* type = arguments.size() == 1 ? given_type(arguments[0]) : nullptr;
        type != nullptr &&
        (name == function_row(Function::size_of).name || name == function_row(Function::type_info).name))
        return type_call(span, name, *type);
    const auto* word = arguments.size() == 1 ? std::get_if<ast::Name>(&program_[arguments[0]].node) : nullptr;
    if (word != nullptr && name == function_row(Function::type_info).name && is_surely_type(word->name))
        return type_call(span, name, {program_[arguments[0]].span, word->name});
    if (name == "defined" && arguments.size() == 1) return add(span, ast::Defined{arguments[0]}, arguments);
    ast::Call node = {std::move(name), name_span, arguments};
    return add(span, std::move(node), arguments);
}

ast::ExprId Builder::known(Span span, ast::ExprId value) { return add(span, ast::Defined{value, true}, {value}); }

// find(@map, key, $name) is { $found = has_key(@map[key]); if ($found) { $name = @map[key]; } $found }, where no
// program can name the first variable.
ast::ExprId Builder::found(Span span, Exprs arguments) {
    const auto* map = std::get_if<ast::Map>(&program_[arguments[0]].node);
    const bool is_variable = std::holds_alternative<ast::Local>(program_[arguments[2]].node);
    if (map == nullptr || map->has_key || !is_variable) {
        diags_.error(span, "find() takes a map, a key and a variable").hint = "for example find(@start, tid, $at)";
        return leaf(span, ast::Integer{0});
    }
    const std::string asks = fmt::format("__found_{}", span.begin);
    const auto mark = [&] { return leaf(span, ast::Local{asks}); };
    const std::string name = map->name;
    const ast::ExprId one = with_key(span, {arguments[0], arguments[1]})[0];
    const ast::ExprId has = call(span, std::string(function_row(Function::has_key).name), span, {one});
    const ast::StmtId asked = let(span, asks, span, {}, has);
    const ast::StmtId taken = assign(span, arguments[2], {}, this->map(span, name, {arguments[1]}));
    const ast::ExprId condition = mark();
    return block_value(span, {asked, choose(span, condition, {{taken}}, {}), evaluate(span, mark())});
}

ast::ExprId Builder::unary(Span span, ast::UnaryOp op, ast::ExprId operand) {
    return add(span, ast::Unary{op, operand}, {operand});
}

ast::ExprId Builder::binary(ast::BinaryOp op, ast::ExprId left, ast::ExprId right) {
    return add(cover(program_[left].span, program_[right].span), ast::Binary{op, left, right}, {left, right});
}

ast::ExprId Builder::conditional(Span span, ast::ExprId condition, ast::ExprId yes, ast::ExprId no) {
    return add(span, ast::Conditional{condition, yes, no}, {condition, yes, no});
}

ast::ExprId Builder::step(Span span, ast::ExprId target, ast::BinaryOp op, bool before) {
    const ast::Expr& t = program_[target];
    if (!std::holds_alternative<ast::Map>(t.node) && !std::holds_alternative<ast::Local>(t.node)) {
        diags_.error(t.span, "only a map or a local can be counted up or down").hint = "write @name++ or $name++";
    }
    return add(span, ast::Step{target, op, before}, {target});
}

ast::StmtId Builder::add_leaf(Span span, ast::StmtNode node) {
    stmt_depths_.push_back(1);
    return program_.add(span, std::move(node));
}

ast::StmtId Builder::evaluate(Span span, ast::ExprId value) {
    const ast::StmtId id = add_leaf(span, ast::Evaluate{value});
    stmt_depths_.back() = depth_of(Exprs{value});
    return id;
}

ast::StmtId Builder::used(ast::StmtId statement) {
    const auto* node = std::get_if<ast::Evaluate>(&program_[statement].node);
    if (node == nullptr || node->discard || said_too_deep_) return statement;
    if (const auto* step = std::get_if<ast::Step>(&program_[node->value].node)) {  // `x++` alone is `x += 1`
        const ast::Step s = *step;
        const ast::ExprId one = leaf(program_[statement].span, ast::Integer{1});
        program_.stmts[static_cast<size_t>(statement)].node = ast::Assign{s.target, s.op, one};
        return statement;
    }
    if (const auto* choice = std::get_if<ast::Conditional>(&program_[node->value].node);
        choice && choice->yes != choice->condition && acts(node->value)) {
        const ast::Conditional both = *choice;
        ast::StmtNode as_if = choice_of_calls(both);
        program_.stmts[static_cast<size_t>(statement)].node = std::move(as_if);
        return statement;
    }
    const ast::ExprNode& value = program_[node->value].node;
    // A name that means nothing yet may be a macro's.
    const auto* name = std::get_if<ast::Name>(&value);
    const bool is_macro =
        name != nullptr && find_variable(name->name) == nullptr && find_function(name->name) == nullptr;
    // bpftrace warns of these
    if (!std::holds_alternative<ast::Call>(value) && !is_macro && program_.settings.announces_probes) {
        diags_.warning(program_[statement].span, "a value alone does nothing").hint = "write _ = before it";
        program_.stmts[static_cast<size_t>(statement)].node = ast::Evaluate{node->value, true};
        return statement;
    }
    if (!std::holds_alternative<ast::Call>(value) && !is_macro) {
        diags_.error(program_[statement].span, "a value alone does nothing").hint = std::visit(AloneHint{}, value);
        program_.stmts[static_cast<size_t>(statement)].node = ast::Evaluate{node->value, true};
    }
    return statement;
}

ast::StmtId Builder::assign(Span span, ast::ExprId target, std::optional<ast::BinaryOp> op, ast::ExprId value) {
    const ast::Expr& t = program_[target];
    const auto* name = std::get_if<ast::Name>(&t.node);
    if (name != nullptr && name->name == "_" && !op) return add_leaf(span, ast::Evaluate{value, true});
    if (!std::holds_alternative<ast::Map>(t.node) && !std::holds_alternative<ast::Local>(t.node)) {
        diags_.error(t.span, "only a map or a local can be assigned to").hint = "write @name = ... or $name = ...";
    }
    const ast::StmtId id = add_leaf(span, ast::Assign{target, op, value});
    stmt_depths_.back() = std::max(depth_of(Exprs{target}), depth_of(Exprs{value}));
    return id;
}

ast::StmtId Builder::choose(Span span, ast::ExprId condition, ast::Block yes, ast::Block no) {
    const uint32_t depth = check_depth(span, std::max(depth_of(yes), depth_of(no)) + 1);
    if (depth == 0) yes = no = {};
    stmt_depths_.push_back(depth);
    return program_.add(span, ast::If{condition, std::move(yes), std::move(no)});
}

ast::StmtId Builder::repeat(Span span, ast::StmtNode loop) {
    uint32_t inside = 0;
    ast::each_block({span, loop}, [&](const ast::Block& b) { inside = depth_of(b); });
    const uint32_t depth = check_depth(span, inside + 1);
    stmt_depths_.push_back(depth);
    return program_.add(span, depth == 0 ? ast::Scope{} : std::move(loop));
}

ast::StmtId Builder::leave(Span span, std::optional<ast::ExprId> value) { return add_leaf(span, ast::Return{value}); }

ast::StmtId Builder::jump(Span span, bool again) { return add_leaf(span, ast::Jump{again}); }

ast::StmtId Builder::let(Span span, std::string name, Span name_span, std::optional<ast::TypeName> type,
                         std::optional<ast::ExprId> value) {
    return add_leaf(span, ast::Let{std::move(name), name_span, std::move(type), value});
}

void Builder::add_item(Span span, ast::ItemNode node) {
    after_broken_ = false;
    program_.items.push_back({span, std::move(node)});
}

// An import inside of a block is one of the whole program.
ast::StmtId Builder::import(Span span, std::string path, Span path_span) {
    program_.items.push_back({span, ast::Import{std::move(path), path_span}});
    return add_leaf(span, ast::Scope{});
}

void Builder::macro(Span span, std::string name, Span name_span, Exprs parameters, std::vector<ast::StmtId> body) {
    for (ast::ExprId p : parameters) {
        const auto* map = std::get_if<ast::Map>(&program_[p].node);
        const bool is_map = map != nullptr && !map->has_key;
        if (is_map || std::holds_alternative<ast::Local>(program_[p].node) ||
            std::holds_alternative<ast::Name>(program_[p].node))
            continue;
        diags_.error(program_[p].span, "a macro's parameter is $local, @map or a name for any expression").hint =
            "for example macro add($to, @from, value) { ... }";
    }
    ast::Macro node = {std::move(name), name_span, std::move(parameters), {}, {}};
    const bool is_alone = !body.empty() && std::holds_alternative<ast::Evaluate>(program_[body.back()].node);
    // With a `;` behind it the last call is a statement; as a value that nobody uses it is the same.
    if (ends_with_value(body) && (is_alone || !only_calls(body))) {
        node.value = value_of(body.back());
        body.pop_back();
    } else {
        settle(body);
    }
    node.body.statements = std::move(body);
    add_item(span, std::move(node));
}

void Builder::broken() { after_broken_ = true; }

Span Builder::key_span(const ast::Endpoint& endpoint) const {
    return cover(program_[endpoint.key.front()].span, program_[endpoint.key.back()].span);
}

// Of what only spans have, the first is refused.
void Builder::refuse_span_parts(const ast::SpanAction& head, Span body) {
    const auto keyed = find_keyed(head.opens);
    if (!head.closes.empty()) {
        diags_.error({body.begin, body.begin + 1}, "the block of a span stands in < ... >").hint =
            "write '<' instead of '{' and '>' instead of '}'";
    } else if (!head.name.empty()) {
        diags_.error(head.name_span, "only a span has a name").hint = "the block of a span stands in < ... >";
    } else if (keyed != head.opens.end()) {
        diags_.error(key_span(*keyed), "only the events of a span have keys").hint =
            "a span is written t:...[key] -> t:...[key] < ... >";
    }
}

ast::SpanAction Builder::predicates(ast::SpanAction head) {
    ast::Endpoint& last = head.closes.empty() ? head.opens.back() : head.closes.back();
    head.predicate = std::exchange(last.predicate, std::nullopt);
    if (head.closes.empty()) {
        refuse_predicates(head.opens, "a predicate stands behind the last probe and is for all of them",
                          "write an item of its own for each probe that has another predicate");
    } else {
        refuse_predicates(head.closes, "a closing event has no predicate",
                          "write it behind the last event: it is asked when the span opens");
    }
    return head;
}

void Builder::refuse_predicates(const std::vector<ast::Endpoint>& events, std::string_view what,
                                std::string_view hint) {
    for (const ast::Endpoint& e : events) {
        if (e.predicate) diags_.error(e.predicate_span, std::string(what)).hint = hint;
    }
}

void Builder::action(Span span, ast::SpanAction head, Span body_span, ast::Block body) {
    refuse_span_parts(head, body_span);
    ast::Action action = {{}, head.predicate, std::move(body)};
    for (ast::Endpoint& e : head.opens) action.probes.push_back(std::move(e.probe));
    add_item(span, std::move(action));
}

void Builder::check_endpoints(const ast::SpanAction& span) {
    const auto keyed = find_keyed(span.opens);
    if (span.closes.empty() && keyed != span.opens.end()) {
        diags_.error(key_span(*keyed), "a key needs '->' and the event that closes the span").hint =
            "add '-> t:...[key]' after it";
    }
}

void Builder::span(Span span, ast::SpanAction head, ast::Block body) {
    check_endpoints(head);
    head.body = std::move(body);
    add_item(span, std::move(head));
}

void Builder::timeout(Span span, Span word, ast::ExprId after, ast::Block body) {
    if (after_broken_) return;
    auto* of = program_.items.empty() ? nullptr : std::get_if<ast::SpanAction>(&program_.items.back().node);
    if (of == nullptr) {
        diags_.error(word, "'timeout' stands after the block of a span").hint =
            "for example k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }";
    } else if (of->timeout) {
        diags_.error(word, "a span has one timeout").hint = "remove this one";
    } else {
        of->timeout = {span, after, std::move(body)};
        program_.items.back().span.end = span.end;
    }
}

void Builder::parameter(Span span, std::string name, Span name_span, ast::ExprId value, std::string help) {
    add_item(span, ast::Parameter{std::move(name), name_span, value, std::move(help)});
}

}  // namespace lt
