// What only spans have: keys that pair two events, a threshold, values of the opening, spans asked about by their
// names; and parameters.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "check.h"

namespace lt {
namespace {

constexpr Type thread_key = integer_type(8, false);  // the key where none is written: the thread

// As a key of a span keeps it: integers in 8 bytes.
Type stored(Type t) {
    if (t.kind == Kind::integer) t.size = 8;
    t.user_memory = false;
    t.is_signed = false;
    return t;
}

SpanInfo::Entry* known_entry(SpanInfo& info, ast::ExprId argument) {
    const auto found = std::find_if(info.entries.begin(), info.entries.end(),
                                    [&](const SpanInfo::Entry& e) { return e.argument == argument; });
    return found == info.entries.end() ? nullptr : &*found;
}

}  // namespace

void BodyChecker::span_parts(const ast::SpanAction& node) {
    if (body_.role == Role::open) span_key(node.opens[body_.endpoint]);
    if (body_.role == Role::close) span_key(node.closes[body_.endpoint]);
    if (body_.role != Role::close) opening_predicates(node);
    // The block of a timeout belongs to the first place that opens the span.
    const bool first = &body_ == &typed_.bodies[typed_.spans[body_.span].opening];
    if (node.timeout && first) timeout(*node.timeout);
    if (body_.role == Role::open) {
        if (node.threshold) entries_in(*node.threshold);
        entries_in(node.body);
        if (node.timeout) entries_in(node.timeout->body);
        return;
    }
    threshold(node);
    region_ = Region::body;
    block(node.body);
}

void BodyChecker::span_key(const ast::Endpoint& endpoint) {
    std::vector<Type> types;
    for (ast::ExprId part : endpoint.key) types.push_back(stored(kept(part, value(part))));
    if (endpoint.key.empty()) {
        const ast::SpanAction& node = span_node();
        const auto has_key = [](const ast::Endpoint& e) { return !e.key.empty(); };
        if (std::any_of(node.opens.begin(), node.opens.end(), has_key) ||
            std::any_of(node.closes.begin(), node.closes.end(), has_key)) {
            diags_.error(endpoint.probe.span, "this event has no key, but another one of the span has").hint =
                "write what pairs them behind it in brackets; [tid] if it is the thread";
            return;
        }
        types = {thread_key};
    }
    merge_span_key(typed_.spans[body_.span], types, endpoint.probe.span);
}

void BodyChecker::opening_predicates(const ast::SpanAction& node) {
    region_ = Region::predicate;
    if (const auto& own = node.opens[body_.endpoint].predicate) condition(*own, "a predicate");
    const size_t before = diags_.all().size();
    if (node.predicate) condition(*node.predicate, "a predicate");
    at_each_opening(before);
}

// What is asked for at the opening has to make sense at every event that opens the span.
void BodyChecker::at_each_opening(size_t diags_before) {
    const ast::SpanAction& node = span_node();
    if (body_.role != Role::open || node.opens.size() == 1) return;
    diags_.explain(diags_before,
                   {node.opens[body_.endpoint].probe.span, "it is asked at each opening event, here too"});
}

void BodyChecker::merge_span_key(SpanInfo& info, const std::vector<Type>& types, Span where) {
    if (info.key.empty()) {
        info.key = types;
        return;
    }
    const auto& node = std::get<ast::SpanAction>(program_.items[info.item].node);
    const std::string_view opening = node.opens.size() > 1 ? "the first opening" : "the opening";
    if (info.key.size() != types.size()) {
        diags_
            .error(where, fmt::format("this key has {} part{}, that of {} {}", types.size(),
                                      types.size() == 1 ? "" : "s", opening, info.key.size()))
            .hint = "all events need the same key; without one it is the thread, [tid]";
        return;
    }
    for (size_t i = 0; i < types.size(); i++) {
        if (types[i].kind == Kind::none || info.key[i].kind == Kind::none) continue;
        if (types[i].kind != info.key[i].kind) {
            diags_.error(where, fmt::format("part {} of this key is {}, that of {} {}", i + 1, type_name(types[i]),
                                            opening, type_name(info.key[i])));
            continue;
        }
        info.key[i].size = std::max(info.key[i].size, types[i].size);
    }
}

void BodyChecker::threshold(const ast::SpanAction& node) {
    if (!node.threshold) return;
    region_ = Region::threshold;
    const Type t = value(*node.threshold);
    const bool is_plain = program_.settings.plain_integers && t.kind == Kind::integer;
    if (t.kind == Kind::none || t.view == View::duration || is_plain) return;
    diags_.error(span(*node.threshold), fmt::format("a threshold is a duration, not {}", type_name(t))).hint =
        "write a unit, as in `> 10ms`";
}

void BodyChecker::timeout(const ast::Timeout& node) {
    const ast::ExprNode& after = program_[node.after].node;
    const Type t = value(node.after);
    const bool known =
        std::holds_alternative<ast::Duration>(after) || std::holds_alternative<ParamUse>(use(node.after));
    if (t.kind != Kind::none && (t.view != View::duration || !known)) {
        diags_.error(span(node.after), "a timeout is a duration or a parameter that is one").hint =
            "for example timeout 5s { print(comm); }";
    }
    region_ = Region::timeout;
    const std::vector<LocalInfo> outside = std::exchange(body_.locals, {});
    const std::vector<Known> known_outside = std::exchange(known_, {});
    block(node.body);
    known_ = known_outside;
    body_.timeout_locals = std::exchange(body_.locals, outside);
}

// The arguments of entry() are typed where the span opens.
void BodyChecker::entries_in(ast::ExprId id) {
    const auto* call = std::get_if<ast::Call>(&program_[id].node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (row && row->id == Function::entry) {
        region_ = Region::predicate;
        const size_t before = diags_.all().size();
        for (ast::ExprId argument : call->arguments) merge_entry(argument, value(argument));
        at_each_opening(before);
        return;
    }
    ast::each_child(program_[id], [&](ast::ExprId child) { entries_in(child); });
    ast::each_block(program_[id], [&](const ast::Block& inner) { entries_in(inner); });
}

void BodyChecker::entries_in(const ast::Block& b) {
    for (ast::StmtId id : b.statements) {
        ast::each_expr(program_[id], [&](ast::ExprId child) { entries_in(child); });
        ast::each_block(program_[id], [&](const ast::Block& inner) { entries_in(inner); });
    }
}

// Openings differ in the lengths of strings and the widths of integers, but not in what a value is.
void BodyChecker::merge_entry(ast::ExprId argument, Type type) {
    if (type.kind == Kind::none) return;
    const auto here = static_cast<uint32_t>(&body_ - typed_.bodies.data());
    SpanInfo::Entry* known = known_entry(typed_.spans[body_.span], argument);
    if (!known) {
        typed_.spans[body_.span].entries.push_back({argument, type, here});
        return;
    }
    const Type first = known->type;
    if (apart(first, type) || (first.view == View::duration) != (type.view == View::duration)) {
        diags_
            .error(span(argument),
                   fmt::format("this is {} where {} opens the span, {} where {} does", type_name(first),
                               typed_.bodies[known->first].place.text, type_name(type), body_.place.text))
            .hint = "write a span for each of them";
        return;
    }
    if (first == type) return;
    known->type = joined(first, type);
    if (type.kind == Kind::integer) known->type.size = 8;
}

Type BodyChecker::entry(const ast::Call& node) {
    const ast::ExprId argument = node.arguments[0];
    if (body_.role == Role::call || opening()) {
        const Region outside = region_;
        region_ = Region::predicate;
        const Type t = value(argument);
        region_ = outside;
        return t;
    }
    if (body_.role == Role::action) return nothing();  // which was said already
    const SpanInfo::Entry* known = known_entry(typed_.spans[body_.span], argument);
    if (body_.role == Role::close) slot(argument) = known ? known->type : nothing();
    return known ? known->type : nothing();
}

const SpanInfo* BodyChecker::span_named(ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&program_[id].node);
    if (!name || name->name.empty()) return nullptr;
    const auto found =
        std::find_if(typed_.spans.begin(), typed_.spans.end(), [&](const SpanInfo& s) { return s.name == name->name; });
    return found == typed_.spans.end() ? nullptr : &*found;
}

Type BodyChecker::age(ast::ExprId id, const ast::Call& node) {
    const SpanInfo* info = node.arguments.empty() ? nullptr : span_named(node.arguments[0]);
    if (!info) {
        diags_.error(node.arguments.empty() ? span(id) : span(node.arguments[0]), "age() asks about a span by its name")
            .hint = "name it: span reading = k:vfs_read < ... >, then age(reading)";
        return nothing();
    }
    use(node.arguments[0]) = SpanUse{static_cast<uint32_t>(info - typed_.spans.data())};
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++)
        types.push_back(stored(kept(node.arguments[i], value(node.arguments[i]))));
    if (!info->between_events) {
        if (!types.empty())
            diags_.error(span(node.arguments[1]), fmt::format("{} is a span of the thread and has no key", info->name));
        return duration_type();
    }
    if (types.empty()) types = {thread_key};
    if (!info->key.empty())
        merge_span_key(typed_.spans[static_cast<size_t>(info - typed_.spans.data())], types, span(id));
    return duration_type();
}

std::optional<Type> BodyChecker::parameter(ast::ExprId id, std::string_view name) {
    const auto found =
        std::find_if(typed_.params.begin(), typed_.params.end(), [&](const ParamInfo& p) { return p.name == name; });
    if (found == typed_.params.end()) return {};
    use(id) = ParamUse{static_cast<uint32_t>(found - typed_.params.begin())};
    return found->type;
}

void check_names(const ast::Program& program, Typed& typed, Diags& diags) {
    std::vector<std::string_view> known;
    const auto note = [&](const std::string& name, Span where) {
        if (name.empty()) return;
        if (find_variable(name) || find_function(name)) {
            diags.error(where, fmt::format("`{}` means something already", name)).hint = "use another name";
        } else if (std::find(known.begin(), known.end(), name) != known.end()) {
            diags.error(where, fmt::format("the name `{}` stands for two things", name)).hint = "use another name";
        }
        known.push_back(name);
    };
    for (const ParamInfo& p : typed.params) note(p.name, p.span);
    for (const SpanInfo& s : typed.spans) note(s.name, std::get<ast::SpanAction>(program.items[s.item].node).name_span);
}

}  // namespace lt
