#include "systemtap/grammar/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lt::stp {
namespace {

std::string text_of(const PointPart& part) {
    if (!part.argument) return part.name;
    if (const auto* number = std::get_if<int64_t>(&*part.argument)) return fmt::format("{}({})", part.name, *number);
    return fmt::format("{}(\"{}\")", part.name, std::get<std::string>(*part.argument));
}

}  // namespace

std::string text(const Point& point) {
    std::string out;
    for (const PointPart& part : point.parts) out += (out.empty() ? "" : ".") + text_of(part);
    return out;
}

// A shift is by 0 to 64 bits: a literal outside of that is the nearer of both.
void TreeBuilder::limit_shift(std::optional<ast::BinaryOp> op, ast::ExprId count) {
    constexpr int64_t most = 64;
    if (op != ast::BinaryOp::shift_left && op != ast::BinaryOp::shift_right) return;
    const auto bits = ast::literal_integer(program_, count);
    if (bits && (*bits < 0 || *bits > most))
        program_.put(count, ast::Integer{*bits < 0 ? uint64_t{0} : uint64_t{most}});
}

ast::ExprId TreeBuilder::binary(ast::BinaryOp op, ast::ExprId left, ast::ExprId right) {
    const auto* a = program_.get<ast::String>(left);
    const auto* b = program_.get<ast::String>(right);
    if (a && b && op == ast::BinaryOp::add)
        return expr(cover(program_[left].span, program_[right].span), ast::String{a->value + b->value});
    limit_shift(op, right);
    return expr(cover(program_[left].span, program_[right].span), ast::Binary{op, left, right});
}

ast::ExprId TreeBuilder::call(Span span, Span name_span, std::string name, Exprs arguments) {
    return expr(span, ast::Call{std::move(name), name_span, std::move(arguments)});
}

ast::ExprId TreeBuilder::match(Span span, ast::ExprId text, ast::ExprId pattern, bool negated) {
    const ast::ExprId found = call(span, std::string(regex_call), {text, pattern});
    return negated ? expr(span, ast::Unary{ast::UnaryOp::logical_not, found}) : found;
}

// A logical shift to the right.
ast::ExprId TreeBuilder::shift_zeros(Span span, ast::ExprId value, ast::ExprId by) {
    const ast::ExprId bits = expr(span, ast::Cast{{span, "uint64", 0, {}}, value});
    return expr(span, ast::Cast{{span, "int64", 0, {}}, binary(ast::BinaryOp::shift_right, bits, by)});
}

ast::ExprId TreeBuilder::step(Span span, ast::ExprId target, ast::BinaryOp op, bool before) {
    return expr(span, ast::Step{target, op, before});
}

// An assignment is an expression: its value is the assigned one.
ast::ExprId TreeBuilder::assignment(Span span, ast::ExprId target, std::optional<ast::BinaryOp> op, ast::ExprId value) {
    limit_shift(op, value);
    ast::BlockValue both;
    both.block.statements.push_back(stmt(span, ast::Assign{target, op, value}));
    both.value = target;
    return expr(span, std::move(both));
}

ast::ExprId TreeBuilder::index(Span span, ast::ExprId base, Exprs index) {
    for (ast::ExprId i : index) base = expr(span, ast::Index{base, i});
    return base;
}

ast::ExprId TreeBuilder::member_of(Span span, const std::string& map, Span map_span, Exprs key) {
    return call(span, std::string(in_call), {expr(map_span, ast::Map{map, std::move(key), true})});
}

// An expression whose value is not used.
ast::StmtId TreeBuilder::evaluate(Span span, ast::ExprId value) {
    const ast::ExprNode node = program_[value].node;
    if (const auto* block = std::get_if<ast::BlockValue>(&node)) return block->block.statements.front();
    if (const auto* s = std::get_if<ast::Step>(&node))
        return stmt(span, ast::Assign{s->target, s->op, expr(span, ast::Integer{1})});
    if (const auto* c = std::get_if<ast::Conditional>(&node))
        return stmt(span, ast::If{c->condition, {{evaluate(span, c->yes)}}, {{evaluate(span, c->no)}}});
    const auto* b = std::get_if<ast::Binary>(&node);
    if (b && b->op == ast::BinaryOp::logical_and) return stmt(span, ast::If{b->left, {{evaluate(span, b->right)}}, {}});
    if (b && b->op == ast::BinaryOp::logical_or) return stmt(span, ast::If{b->left, {}, {{evaluate(span, b->right)}}});
    return stmt(span, ast::Evaluate{value, !std::holds_alternative<ast::Call>(node)});
}

ast::StmtId TreeBuilder::remove(Span span, ast::ExprId what) {
    return stmt(span, ast::Evaluate{call(span, std::string(delete_call), {what})});
}

bool TreeBuilder::goes_on(const ast::Block& body) const {
    return std::any_of(body.statements.begin(), body.statements.end(), [&](ast::StmtId id) {
        const ast::Stmt& s = program_[id];
        if (const auto* jump = std::get_if<ast::Jump>(&s.node)) return jump->again;
        if (std::holds_alternative<ast::While>(s.node)) return false;  // that loop's own
        bool found = false;
        ast::each_block(s, [&](const ast::Block& inner) { found = found || goes_on(inner); });
        return found;
    });
}

// for (first; condition; step) body. If the body has a `continue`, the step runs before each iteration but the first.
ast::StmtId TreeBuilder::repeat(Span span, std::optional<ast::StmtId> first, std::optional<ast::ExprId> condition,
                                std::optional<ast::StmtId> step, ast::Block body) {
    ast::Block all;
    if (first) all.statements.push_back(*first);
    const auto number = [&](uint64_t n) { return expr(span, ast::Integer{n}); };
    if (!step || !goes_on(body)) {
        if (step) body.statements.push_back(*step);
        all.statements.push_back(stmt(span, ast::While{condition ? *condition : number(1), std::move(body)}));
        return stmt(span, ast::Scope{std::move(all)});
    }
    const std::string begun = fmt::format("begun#{}", ++loops_);
    const auto mark = [&] { return expr(span, ast::Name{begun}); };
    all.statements.push_back(stmt(span, ast::Assign{mark(), {}, number(0)}));
    ast::Block turn;
    turn.statements.push_back(stmt(span, ast::If{mark(), {{*step}}, {}}));
    turn.statements.push_back(stmt(span, ast::Assign{mark(), {}, number(1)}));
    if (condition) {
        const ast::ExprId over = expr(span, ast::Unary{ast::UnaryOp::logical_not, *condition});
        turn.statements.push_back(stmt(span, ast::If{over, {{stmt(span, ast::Jump{false})}}, {}}));
    }
    turn.statements.insert(turn.statements.end(), body.statements.begin(), body.statements.end());
    all.statements.push_back(stmt(span, ast::While{number(1), std::move(turn)}));
    return stmt(span, ast::Scope{std::move(all)});
}

// The sort criterion: one of the keys, or the value.
std::optional<ast::MapOrder> TreeBuilder::order_of(const Each& each) {
    std::optional<ast::MapOrder> order;
    const auto take = [&](const Each::Sort& sort, ast::MapOrder::By by, std::optional<uint32_t> part) {
        if (!sort.asked) return;
        if (order) diags_.error(sort.span, "an array can only be sorted in one order").hint = "remove this sign";
        const auto statistic = sort.by.empty() ? std::nullopt : ast::order_named(std::string_view(sort.by).substr(1));
        if (!sort.by.empty() && !statistic) diags_.error(sort.span, fmt::format("`{}` is not a sort order", sort.by));
        order = {statistic.value_or(by), part, sort.descending, sort.span};
    };
    const bool several = each.keys.size() > 1;
    for (uint32_t i = 0; i < each.keys.size(); i++)
        take(each.keys[i].sort, ast::MapOrder::By::key, several ? std::optional(i) : std::nullopt);
    if (each.value) take(each.value->sort, ast::MapOrder::By::value, std::nullopt);
    take(each.sort, ast::MapOrder::By::value, std::nullopt);
    return order;
}

std::optional<int64_t> buckets_of(const ast::Program& program, const ast::Call& histogram) {
    constexpr int64_t of_log = 128;
    if (histogram.name == "@hist_log") return of_log;
    if (histogram.name != "@hist_linear" || histogram.arguments.size() != 4) return {};
    const auto bound = [&](size_t i) { return ast::literal_integer(program, histogram.arguments[i]); };
    const auto low = bound(1), high = bound(2), step = bound(3);
    if (!low || !high || !step || *step <= 0 || *high < *low) return {};
    return (*high - *low) / *step + 3;
}

// The key of a histogram's statistic as locals, which `before` declares.
void TreeBuilder::save_key(ast::ExprId statistic, std::vector<ast::StmtId>& before) {
    const auto* keyed = program_.get<ast::Map>(statistic);
    if (keyed == nullptr) return;
    ast::Map once = *keyed;
    for (ast::ExprId& part : once.key) {
        if (program_.get<ast::Integer>(part) || program_.get<ast::String>(part)) continue;
        const Span where = program_[part].span;
        const std::string name = fmt::format("key#{}", ++loops_);
        before.push_back(stmt(where, ast::Let{name, where, std::nullopt, part}));
        part = expr(where, ast::Local{name});
    }
    program_.put(statistic, std::move(once));
}

// foreach (count = bucket in @hist_log(x) limit n): the numbers of the buckets, in order.
std::optional<ast::StmtId> TreeBuilder::over_buckets(Span span, const Each& each, ast::Block& body) {
    const ast::ExprId histogram = *each.statistic;
    const ast::Call call = *program_.get<ast::Call>(histogram);
    const auto count = buckets_of(program_, call);
    if (!count) return {};
    const Each::Name& bucket = each.keys.front();
    if (each.keys.size() > 1 || each.sort.asked || bucket.sort.asked || (each.value && each.value->sort.asked))
        diags_.error(bucket.span, "buckets can only be visited one by one, from the lowest to the highest").hint =
            fmt::format("write `foreach ({} in {}(...))`", bucket.name, call.name);
    ast::ForRange loop{fmt::format("bucket_number#{}", ++loops_), bucket.span, expr(span, ast::Integer{0}), {}, {}};
    loop.to = expr(span, ast::Integer{static_cast<uint64_t>(*count)});
    ast::Block all;
    const auto give = [&](const Each::Name& name, ast::ExprId value) {
        const ast::ExprId target = expr(name.span, ast::Name{name.name});
        loop.body.statements.push_back(stmt(name.span, ast::Assign{target, std::nullopt, value}));
    };
    const auto number = [&] { return expr(bucket.span, ast::Name{bucket.name}); };
    give(bucket, expr(bucket.span, ast::Local{loop.name}));
    if (each.limit) {
        const Span where = program_[*each.limit].span;
        ast::ExprId limit = *each.limit;
        if (program_.get<ast::Integer>(limit) == nullptr) {
            const std::string name = fmt::format("limit#{}", ++loops_);
            all.statements.push_back(stmt(where, ast::Let{name, where, std::nullopt, limit}));
            limit = expr(where, ast::Local{name});
        }
        const ast::ExprId over = binary(ast::BinaryOp::greater_equal, number(), limit);
        loop.body.statements.push_back(stmt(where, ast::If{over, {{stmt(where, ast::Jump{false})}}, {}}));
    }
    if (each.value) {
        save_key(call.arguments[0], all.statements);
        give(*each.value, index(each.value->span, histogram, {number()}));
    }
    loop.body.statements.insert(loop.body.statements.end(), body.statements.begin(), body.statements.end());
    const ast::StmtId visit = stmt(span, std::move(loop));
    if (all.statements.empty()) return visit;
    all.statements.push_back(visit);
    return stmt(span, ast::Scope{std::move(all)});
}

ast::StmtId TreeBuilder::foreach (Span span, Each each, ast::Block body) {
    if (each.statistic)
        if (const auto loop = over_buckets(span, each, body)) return *loop;
    ast::ForMap loop;
    loop.name = fmt::format("pair#{}", ++loops_);
    loop.name_span = each.keys.front().span;
    loop.order = order_of(each);
    loop.limit = each.limit;
    if (each.statistic) {
        loop.map = *each.statistic;
    } else {
        loop.map = each.slice.empty() ? expr(each.array_span, ast::Name{each.array})
                                      : expr(each.array_span, ast::Map{each.array, each.slice, true});
    }
    std::vector<ast::StmtId> first;
    const auto give = [&](const Each::Name& name, ast::ExprId value) {
        first.push_back(stmt(name.span, ast::Assign{expr(name.span, ast::Name{name.name}), std::nullopt, value}));
    };
    const auto part = [&](Span where, ast::ExprId base, size_t n) {
        return expr(where, ast::Member{base, std::to_string(n), where});
    };
    for (size_t i = 0; i < each.keys.size(); i++) {
        const Span where = each.keys[i].span;
        const ast::ExprId key = part(where, expr(where, ast::Local{loop.name}), 0);
        give(each.keys[i], each.keys.size() == 1 ? key : part(where, key, i));
    }
    if (each.value) give(*each.value, part(each.value->span, expr(each.value->span, ast::Local{loop.name}), 1));
    body.statements.insert(body.statements.begin(), first.begin(), first.end());
    loop.body = std::move(body);
    return stmt(span, std::move(loop));
}

// The message is stored in a local of its own, because its target may be a global.
ast::StmtId TreeBuilder::attempt(Span span, ast::Block body, const std::string& name, Span name_span,
                                 ast::Block handler) {
    ast::Attempt attempt{std::move(body), "", name_span, std::move(handler)};
    if (!name.empty()) {
        attempt.name = fmt::format("caught#{}", ++loops_);
        const ast::ExprId message = expr(name_span, ast::Local{attempt.name});
        const ast::StmtId given = stmt(name_span, ast::Assign{expr(name_span, ast::Name{name}), {}, message});
        attempt.handler.statements.insert(attempt.handler.statements.begin(), given);
    }
    return stmt(span, std::move(attempt));
}

void TreeBuilder::alias(Span span, std::vector<Point> names, std::vector<Point> points, ast::Block before,
                        ast::Block after) {
    for (Point& name : names) tree_.aliases.push_back({span, std::move(name.parts), points, before, after});
}

std::vector<Point> TreeBuilder::product(const std::vector<Point>& left, const std::vector<Point>& right) {
    constexpr size_t most_parts = 200000;
    if (left.size() * right.size() * (left.front().parts.size() + 1) > most_parts) {
        if (!std::exchange(has_too_many_points_, true))
            diags_.error(right.front().span, "these are too many probe points").hint =
                "write fewer alternatives in braces";
        return left;
    }
    std::vector<Point> out;
    for (const Point& l : left) {
        for (const Point& r : right) {
            Point both = l;
            both.parts.insert(both.parts.end(), r.parts.begin(), r.parts.end());
            both.optional |= r.optional;
            both.sufficient |= r.sufficient;
            if (r.armed) both.armed = r.armed;
            out.push_back(std::move(both));
        }
    }
    return out;
}

}  // namespace lt::stp
