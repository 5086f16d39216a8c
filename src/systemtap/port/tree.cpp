#include "systemtap/port/tree.h"

#include <algorithm>

#include "parser/tree/print.h"
#include "stdlib/functions/builtins.h"

namespace lt::port {

ast::ExprId Tree::origin(ast::ExprId id) const {
    const auto found = origins_.find(id);
    return found == origins_.end() ? id : found->second;
}

template <class Part>
Part Tree::copy_of(const Part& part) {
    const Part out = ast::clone(program, part);
    const auto all = [](ast::ExprId) { return true; };
    const std::vector<ast::ExprId> from = find(part, all), to = find(out, all);
    for (size_t i = 0; i < std::min(from.size(), to.size()); i++) origins_[to[i]] = origin(from[i]);
    return out;
}
ast::ExprId Tree::copy(ast::ExprId id) { return copy_of(id); }
ast::Block Tree::copy(const ast::Block& block) { return copy_of(block); }

void Tree::put_copy(ast::ExprId to, ast::ExprId from) {
    become(to, copy(from));
    origins_[to] = origin(from);
}

ast::ExprId Tree::bare(ast::ExprId id) const {
    for (const auto* cast = get<ast::Cast>(id); cast && cast->type.name == "int64" && cast->type.pointers == 0;
         cast = get<ast::Cast>(id))
        id = cast->value;
    return id;
}

namespace {

// Compares two nodes without their children.
bool same_alone(const ast::ExprNode& a, const ast::ExprNode& b) {
    if (a.index() != b.index()) return false;
    if (const auto* x = std::get_if<ast::Integer>(&a)) return x->value == std::get<ast::Integer>(b).value;
    if (const auto* x = std::get_if<ast::String>(&a)) return x->value == std::get<ast::String>(b).value;
    if (const auto* x = std::get_if<ast::Name>(&a)) return x->name == std::get<ast::Name>(b).name;
    if (const auto* x = std::get_if<ast::Local>(&a)) return x->name == std::get<ast::Local>(b).name;
    if (const auto* x = std::get_if<ast::Map>(&a)) return x->name == std::get<ast::Map>(b).name;
    if (const auto* x = std::get_if<ast::Member>(&a)) return x->field == std::get<ast::Member>(b).field;
    if (const auto* x = std::get_if<ast::Call>(&a)) return x->name == std::get<ast::Call>(b).name;
    if (const auto* x = std::get_if<ast::Cast>(&a)) return ast::text(x->type) == ast::text(std::get<ast::Cast>(b).type);
    if (const auto* x = std::get_if<ast::Unary>(&a)) return x->op == std::get<ast::Unary>(b).op;
    if (const auto* x = std::get_if<ast::Binary>(&a)) return x->op == std::get<ast::Binary>(b).op;
    const bool is_plain = std::holds_alternative<ast::Index>(a) || std::holds_alternative<ast::Conditional>(a) ||
                          std::holds_alternative<ast::Tuple>(a) || std::holds_alternative<ast::AnyPart>(a) ||
                          std::holds_alternative<ast::Defined>(a);
    return is_plain;
}

std::vector<ast::ExprId> children(const ast::Program& program, ast::ExprId id) {
    std::vector<ast::ExprId> out;
    ast::each_child(program[id], [&](ast::ExprId child) { out.push_back(child); });
    return out;
}

}  // namespace

bool Tree::same(ast::ExprId a, ast::ExprId b) const {
    a = bare(a), b = bare(b);
    if (!same_alone(node(a), node(b))) return false;
    const auto below_a = children(program, a), below_b = children(program, b);
    return std::equal(below_a.begin(), below_a.end(), below_b.begin(), below_b.end(),
                      [&](ast::ExprId x, ast::ExprId y) { return same(x, y); });
}

bool Tree::same(const ast::Block& a, const ast::Block& b) const {
    const auto text = [&](const ast::Block& block) {
        ast::Program alone;
        alone.exprs = program.exprs;
        alone.stmts = program.stmts;
        alone.items.push_back({{}, ast::Action{{{{}, {{{}, "BEGIN"}}, "", {}}}, std::nullopt, block}});
        return ast::print(alone);
    };
    return text(a) == text(b);
}

void Tree::each_expr(ast::ExprId id, const Exprs& visit) const { ast::each_expr_in(program, id, visit); }

void Tree::each_expr(const ast::Block& block, const Exprs& visit) const { ast::each_expr_in(program, block, visit); }

void Tree::each_stmt(const ast::Block& block, const Stmts& visit) const { ast::each_statement(program, block, visit); }

void Tree::each_expr(const ast::Item& item, const Exprs& visit) const {
    const auto maybe = [&](const std::optional<ast::ExprId>& id) {
        if (id) each_expr(*id, visit);
    };
    if (const auto* action = std::get_if<ast::Action>(&item.node)) maybe(action->predicate);
    if (const auto* span = std::get_if<ast::SpanAction>(&item.node)) maybe(span->predicate), maybe(span->threshold);
    if (const ast::Block* block = body(item)) each_expr(*block, visit);
}

void Tree::change_blocks(ast::Block& block, const std::function<void(std::vector<ast::StmtId>&)>& change) {
    for (ast::StmtId id : block.statements) {
        ast::StmtNode copy = program[id].node;
        ast::each_block_slot(copy, [&](ast::Block& inner) { change_blocks(inner, change); });
        put(id, copy);
        ast::each_expr(ast::Stmt{{}, copy}, [&](ast::ExprId child) {
            const auto found = find(child, [&](ast::ExprId e) { return get<ast::BlockValue>(e) != nullptr; });
            for (auto e = found.rbegin(); e != found.rend(); ++e) {
                auto value = std::get<ast::BlockValue>(node(*e));
                change(value.block.statements);
                put(*e, value);
            }
        });
    }
    change(block.statements);
}

ast::Block* Tree::body(ast::Item& item) {
    if (auto* action = std::get_if<ast::Action>(&item.node)) return &action->body;
    if (auto* span = std::get_if<ast::SpanAction>(&item.node)) return &span->body;
    if (auto* function = std::get_if<ast::FunctionItem>(&item.node)) return &function->body;
    return nullptr;
}
const ast::Block* Tree::body(const ast::Item& item) { return body(const_cast<ast::Item&>(item)); }

void Tree::each_body(const std::function<void(ast::Block&)>& visit) {
    for (ast::Item& item : program.items) {
        if (ast::Block* block = body(item)) visit(*block);
    }
}

const ast::Call* Tree::call(ast::ExprId id, Names functions) const {
    const auto* found = get<ast::Call>(id);
    return found && std::ranges::find(functions, found->name) != functions.end() ? found : nullptr;
}

const ast::Call* Tree::call(ast::StmtId id, Names functions) const {
    return program.call(id) ? call(get<ast::Evaluate>(id)->value, functions) : nullptr;
}

bool Tree::is_pure(ast::ExprId id) const {
    return !any_expr(id, [&](ast::ExprId e) {
        if (const auto* call = get<ast::Call>(e)) {
            const FunctionRow* row = find_function(call->name);
            return row == nullptr && find_variable(call->name) == nullptr;
        }
        return get<ast::Step>(e) != nullptr || get<ast::BlockValue>(e) != nullptr;
    });
}

size_t Tree::writes(const ast::Block& block, const std::string& local) const {
    size_t n = 0;
    each_stmt(block, [&](ast::StmtId id) {
        if (const auto* assign = get<ast::Assign>(id)) n += is<ast::Local>(assign->target, local);
    });
    each_expr(block, [&](ast::ExprId id) {
        if (const auto* step = get<ast::Step>(id)) n += is<ast::Local>(step->target, local);
    });
    return n;
}

std::set<std::string> Tree::maps() const {
    std::set<std::string> out;
    for (const ast::Item& item : program.items) out.merge(maps(item));
    return out;
}

std::set<std::string> Tree::maps(const ast::Item& item) const {
    std::set<std::string> out;
    each_expr(item, [&](ast::ExprId id) {
        if (const auto* map = get<ast::Map>(id)) out.insert(map->name);
    });
    return out;
}

}  // namespace lt::port
