#include "codegen/check/span.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/arch.h"
#include "base/text.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/statement.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

const ast::SpanAction& span_item(const CheckContext& c) {
    return std::get<ast::SpanAction>(c.program.items[c.body.item].node);
}

constexpr Type thread_key = integer_type(8, false);  // the default key: the thread

// The type as the key of a span stores it: integers in 8 bytes.
Type stored(Type t) {
    if (t.kind == Kind::integer) t.size = 8;
    t.user_memory = false;
    t.is_signed = false;
    return t;
}

SpanInfo::Entry* known_entry(SpanInfo& info, ast::ExprId argument) {
    const auto found =
        std::ranges::find_if(info.entries, [&](const SpanInfo::Entry& e) { return e.argument == argument; });
    return found == info.entries.end() ? nullptr : &*found;
}

void merge_span_key(CheckContext& c, SpanInfo& info, const std::vector<Type>& types, Span where) {
    if (info.key.empty()) {
        info.key = types;
        return;
    }
    const auto& node = std::get<ast::SpanAction>(c.program.items[info.item].node);
    const std::string_view opening = node.opens.size() > 1 ? "the first opening" : "the opening";
    if (info.key.size() != types.size()) {
        c.error(where, fmt::format("this key has {}, the key of {} has {}", plural(types.size(), "part"), opening,
                                   info.key.size()))
            .hint = "all events need the same key; the default is the thread, `[tid]`";
        return;
    }
    for (size_t i = 0; i < types.size(); i++) {
        if (types[i].kind == Kind::none || info.key[i].kind == Kind::none) continue;
        if (types[i].kind != info.key[i].kind) {
            c.error(where, fmt::format("part {} of this key is {}, but {} in {}", i + 1, type_name(types[i]),
                                       type_name(info.key[i]), opening));
            continue;
        }
        info.key[i].size = std::max(info.key[i].size, types[i].size);
    }
}

// Explains errors in expressions of the opening: they must be valid at every event that opens the span.
void explain_openings(CheckContext& c, size_t diags_before) {
    const ast::SpanAction& node = span_item(c);
    if (c.body.role != Role::open || node.opens.size() == 1) return;
    c.diags.explain(diags_before, {node.opens[c.body.endpoint].probe.span,
                                   "this is evaluated at each opening event, including this one"});
}

void check_key(CheckContext& c, const ast::Endpoint& endpoint) {
    std::vector<Type> types;
    for (ast::ExprId part : endpoint.key) types.push_back(stored(check_key_part(c, part)));
    if (endpoint.key.empty()) {
        const ast::SpanAction& node = span_item(c);
        const auto has_key = [](const ast::Endpoint& e) { return !e.key.empty(); };
        if (std::ranges::any_of(node.opens, has_key) || std::ranges::any_of(node.closes, has_key)) {
            c.error(endpoint.probe.span, "this event has no key, but another event of the span has one").hint =
                "write the key in brackets after it, for example `[tid]` for the thread";
            return;
        }
        types = {thread_key};
        if (in_program(c.place()) && user_function(c.place()).convention == Convention::go) {
            constexpr std::string_view fault =
                "goroutines move between threads: the thread does not identify the call that ends here";
            c.error(endpoint.probe.span, std::string(fault)).hint =
                fmt::format("write a key in brackets after each probe, for example `[reg(\"{}\")]` for the goroutine",
                            arch::native.goroutine.name);
            return;
        }
    }
    merge_span_key(c, c.typed.spans[c.body.span], types, endpoint.probe.span);
}

void check_opening_predicates(CheckContext& c, const ast::SpanAction& node) {
    c.region = Region::predicate;
    if (const auto& own = node.opens[c.body.endpoint].predicate) check_condition(c, *own, "a predicate");
    const size_t before = c.diags.all().size();
    if (node.predicate) check_condition(c, *node.predicate, "a predicate");
    explain_openings(c, before);
}

void check_threshold(CheckContext& c, const ast::SpanAction& node) {
    if (!node.threshold) return;
    c.region = Region::threshold;
    const Type t = check_value(c, *node.threshold);
    const bool is_plain = c.settings().conventions.plain_integers && t.kind == Kind::integer;
    if (t.kind == Kind::none || t.view == View::duration || is_plain) return;
    c.error(*node.threshold, fmt::format("a threshold is a duration, not {}", type_name(t))).hint =
        "write a unit, as in `> 10ms`";
}

void check_timeout(CheckContext& c, const ast::Timeout& node) {
    const ast::ExprNode& after = c.expr(node.after).node;
    const Type t = check_value(c, node.after);
    const bool known =
        std::holds_alternative<ast::Duration>(after) || std::holds_alternative<ParamUse>(c.use(node.after));
    if (t.kind != Kind::none && (t.view != View::duration || !known)) {
        c.error(node.after, "a timeout is a literal duration or a parameter that is a duration").hint =
            "for example `timeout 5s { print(comm); }`";
    }
    c.region = Region::timeout;
    const std::vector<LocalInfo> outside = std::exchange(c.body.locals, {});
    const std::vector<NamedLocal> known_outside = std::exchange(c.named, {});
    check_block(c, node.body);
    c.named = known_outside;
    c.body.timeout_locals = std::exchange(c.body.locals, outside);
}

// Is it a value of a call's opening: args.NAME, args, arg0, all_args()?
bool is_of_call(const ast::Program& program, ast::ExprId id) {
    if (const auto* call = program.get<ast::Call>(id)) return call->name == function_row(Function::all_args).name;
    const auto* member = program.get<ast::Member>(id);
    const auto* name = program.get<ast::Name>(member ? member->base : id);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    return row && (row->id == Variable::args || (row->id == Variable::arg && !member));
}

// Openings can differ in the lengths of strings and the widths of integers, but not in the kind of a value. A value of
// a call also needs one layout: the span's own block has it with the type of its call.
void merge_entry(CheckContext& c, ast::ExprId argument, Type type) {
    if (type.kind == Kind::none) return;
    const auto here = static_cast<uint32_t>(&c.body - c.typed.bodies.data());
    SpanInfo::Entry* known = known_entry(c.typed.spans[c.body.span], argument);
    if (!known) {
        c.typed.spans[c.body.span].entries.push_back({argument, type, here});
        return;
    }
    const Type first = known->type;
    const bool shares = c.body.role == Role::call && is_of_call(c.program, argument);
    if (apart(first, type) || units_differ(first, type) || names_differ(first, type) ||
        (shares && in_memory(type) && first != type)) {
        c.error(argument, fmt::format("this is {} if `{}` opens the span, but {} if `{}` does", type_name(first),
                                      c.typed.bodies[known->first].place.text, type_name(type), c.place().text))
            .hint = "write a span for each of them";
        return;
    }
    if (first == type) return;
    known->type = joined(first, type);
    if (type.kind == Kind::integer) known->type.size = 8;
}

void check_opened(CheckContext& c, ast::ExprId value) {
    c.region = Region::predicate;
    const size_t before = c.diags.all().size();
    merge_entry(c, value, check_value(c, value));
    explain_openings(c, before);
}

const ast::Call* entry_call(const ast::Program& program, ast::ExprId id) {
    const auto* call = program.get<ast::Call>(id);
    return call && call->name == function_row(Function::entry).name ? call : nullptr;
}

// The arguments of entry() get their types where the span opens.
template <class Part>
void check_entries(CheckContext& c, const Part& part) {
    ast::walk(c.program, part, [&](ast::ExprId id) {
        const ast::Call* call = entry_call(c.program, id);
        if (!call) return true;
        for (ast::ExprId argument : call->arguments) check_opened(c, argument);
        return false;
    });
}

// Any of the span's calls can be the one that is stuck: each must have the values that the block of the timeout uses,
// as the first body has checked it.
void check_stuck_calls(CheckContext& c, const ast::Timeout& node) {
    const Body& first = c.typed.bodies[c.typed.spans[c.body.span].opening];
    ast::walk(c.program, node.body, [&](ast::ExprId id) {
        if (c.program.get<ast::Defined>(id)) return false;
        const ast::Call* call = entry_call(c.program, id);
        if (!call && !is_of_call(c.program, id)) return true;
        if (std::holds_alternative<std::monostate>(first.uses[static_cast<size_t>(id)])) return false;
        const Type shown = c.type(id);
        if (!call) check_opened(c, id);
        if (&c.body == &first) c.type(id) = shown;
        for (size_t i = 0; call && i < call->arguments.size(); i++) check_opened(c, call->arguments[i]);
        return false;
    });
}

}  // namespace

void check_span(CheckContext& c, const ast::SpanAction& node) {
    if (c.body.role == Role::open) check_key(c, node.opens[c.body.endpoint]);
    if (c.body.role == Role::close) check_key(c, node.closes[c.body.endpoint]);
    if (c.body.role != Role::close) check_opening_predicates(c, node);
    // The block of a timeout belongs to the first body that opens the span.
    const bool first = &c.body == &c.typed.bodies[c.typed.spans[c.body.span].opening];
    if (node.timeout && first) check_timeout(c, *node.timeout);
    if (node.timeout && c.body.role == Role::call) check_stuck_calls(c, *node.timeout);
    if (c.body.role == Role::open) {
        if (node.threshold) check_entries(c, *node.threshold);
        check_entries(c, node.body);
        if (node.timeout) check_entries(c, node.timeout->body);
        return;
    }
    c.opened = std::exchange(c.named, {});  // the block is another program than the predicate
    check_threshold(c, node);
    c.region = Region::body;
    check_block(c, node.body);
}

Type entry_type(CheckContext& c, const ast::Call& node) {
    const ast::ExprId argument = node.arguments[0];
    const bool is_in_call = c.body.role == Role::call && c.region != Region::timeout;
    if (is_in_call || c.is_opening()) {
        const bool is_of_block = !c.is_opening();  // its variables have no value yet when the span opens
        const Region outside = std::exchange(c.region, Region::predicate);
        if (is_of_block) std::swap(c.named, c.opened);
        const Type t = check_value(c, argument);
        if (is_of_block) std::swap(c.named, c.opened);
        c.region = outside;
        return t;
    }
    if (c.body.role == Role::action) return nothing();  // an error was reported
    const SpanInfo::Entry* known = known_entry(c.typed.spans[c.body.span], argument);
    if (c.body.role == Role::close) c.type(argument) = known ? known->type : nothing();
    return known ? known->type : nothing();
}

const SpanInfo* find_span(const CheckContext& c, ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&c.expr(id).node);
    if (!name || name->name.empty()) return nullptr;
    const auto found = std::ranges::find_if(c.typed.spans, [&](const SpanInfo& s) { return s.name == name->name; });
    return found == c.typed.spans.end() ? nullptr : &*found;
}

Type age_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const SpanInfo* info = node.arguments.empty() ? nullptr : find_span(c, node.arguments[0]);
    if (!info) {
        c.error(node.arguments.empty() ? c.span(id) : c.span(node.arguments[0]), "`age()` takes the name of a span")
            .hint = "name the span: `span reading = k:vfs_read < ... >`, then write `age(reading)`";
        return nothing();
    }
    c.use(node.arguments[0]) = SpanUse{static_cast<uint32_t>(info - c.typed.spans.data())};
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) types.push_back(stored(check_kept(c, node.arguments[i])));
    if (info->by_frame) {
        c.error(id, fmt::format("the thread that runs here cannot look up the calls of {}", info->name)).hint =
            "`print()` lists the calls that are open";
        return nothing();
    }
    if (!info->between_events) {
        if (!types.empty())
            c.error(node.arguments[1], fmt::format("{} is a span of one thread and has no key", info->name));
        return duration_type();
    }
    if (types.empty()) types = {thread_key};
    if (!info->key.empty())
        merge_span_key(c, c.typed.spans[static_cast<size_t>(info - c.typed.spans.data())], types, c.span(id));
    return duration_type();
}

}  // namespace lt
