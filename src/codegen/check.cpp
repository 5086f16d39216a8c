// Statements and maps: what is assigned to a map decides what it holds, and every other use must agree.
#include "check.h"
#include "decided.h"
#include "operators.h"
#include "runtime/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host.h"

namespace lt {
namespace {

bool units_differ(Type a, Type b) {
    return a.kind == Kind::integer && (a.view == View::duration) != (b.view == View::duration);
}

// Does what was learned of the maps still grow?
bool same_maps(const std::vector<MapInfo>& a, const std::vector<MapInfo>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const MapInfo& x, const MapInfo& y) {
        return x.key == y.key && x.value == y.value && x.seen_key == y.seen_key && x.written == y.written &&
               x.extracted == y.extracted;
    });
}

bool same_entries(const std::vector<SpanInfo::Entry>& a, const std::vector<SpanInfo::Entry>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const SpanInfo::Entry& x, const SpanInfo::Entry& y) { return x.type == y.type; });
}

bool same_spans(const std::vector<SpanInfo>& a, const std::vector<SpanInfo>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SpanInfo& x, const SpanInfo& y) {
        return x.key == y.key && same_entries(x.entries, y.entries);
    });
}

// What all locals are, which changes while their types are being found.
std::vector<Type> local_types(const Typed& typed) {
    std::vector<Type> all;
    for (const Body& body : typed.bodies) {
        for (const LocalInfo& local : body.locals) all.push_back(local.type);
    }
    return all;
}

void round(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags) {
    MapTable maps(typed.maps);
    for (Body& body : typed.bodies) BodyChecker(program, typed, body, maps, kernel, diags).run();
}

// Until nothing changes; false where it would go on. Each round that changes something lengthens a string or fixes a
// type.
bool settled(const ast::Program& program, Typed& typed, Kernel& kernel) {
    constexpr int most_rounds = 16;
    for (int i = 0; i < most_rounds; i++) {
        const std::vector<MapInfo> before = typed.maps;
        const std::vector<SpanInfo> spans_before = typed.spans;
        const std::vector<Type> locals_before = local_types(typed);
        Diags scratch;
        round(program, typed, kernel, scratch);
        if (same_maps(before, typed.maps) && same_spans(spans_before, typed.spans) &&
            locals_before == local_types(typed))
            return true;
    }
    return false;
}

// A string that is joined to itself in a loop would be longer in each round: it gets all the room that strings have.
void rounds(const ast::Program& program, Typed& typed, Kernel& kernel) {
    if (typed.strings_grow || settled(program, typed, kernel)) return;
    typed.strings_grow = true;
    settled(program, typed, kernel);
}

void unassigned_maps(const Typed& typed, Diags& diags) {
    for (const MapInfo& map : typed.maps) {
        if (map.value.kind != Kind::none) continue;
        const std::string_view fault = map.written ? "nothing says what {} holds" : "nothing is ever assigned to {}";
        diags.error(map.first, fmt::format(fmt::runtime(fault), map.name)).hint =
            fmt::format("assign to it, as in `{} = count()`", map.name);
    }
}

// Aggregations are kept by CPU, other values once: a declaration must say so.
void declared_maps(const Typed& typed, Diags& diags) {
    for (const MapInfo& map : typed.maps) {
        if (!map.declared) continue;
        const bool per_cpu = map.value.kind == Kind::aggregation && map.value.aggregation != Aggregation::dist;
        if (map.declared->per_cpu != per_cpu) {
            const auto fitting = std::ranges::find_if(map_kinds, [&](const MapKind& k) {
                return k.per_cpu == per_cpu && k.forgets == map.declared->forgets;
            });
            diags
                .error(map.declared_at, fmt::format("{} holds {}, which is not kept in a {}", map.name,
                                                    type_name(map.value), map.declared->name))
                .hint = fmt::format("write {}({})", fitting->name, map.entries);
        } else if (map.key.empty()) {
            diags.warning(map.declared_at, fmt::format("{} has no key: it is kept as one value, not in a {}", map.name,
                                                       map.declared->name));
        }
    }
}

}  // namespace

uint32_t MapTable::index(const std::string& name, Span where) {
    const std::string full = "@" + name;
    for (uint32_t i = 0; i < maps_.size(); i++) {
        if (maps_[i].name == full) return i;
    }
    maps_.push_back({full, where, {}, nothing(), false, false});
    return static_cast<uint32_t>(maps_.size() - 1);
}

// What probes that this kernel has none of would collect into a map, or a number.
static Type never_written(const ast::Program& program, const MapInfo& map) {
    for (const ast::Stmt& stmt : program.stmts) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        const auto* target = assign ? std::get_if<ast::Map>(&program[assign->target].node) : nullptr;
        const auto* call = assign ? std::get_if<ast::Call>(&program[assign->value].node) : nullptr;
        const FunctionRow* row = call ? find_function(call->name) : nullptr;
        if (!target || !row || row->aggregation == Aggregation::none || "@" + target->name != map.name) continue;
        Type type = aggregation_type(row->aggregation, View::plain);
        type.is_signed = row->aggregation != Aggregation::count;
        if (row->aggregation != Aggregation::samples) return type;
        Shape shape;
        shape.buckets = map.extracted.empty() ? std::vector<int64_t>{0, 0, 0, 0} : map.extracted;
        type.shape = std::move(shape);
        return type;
    }
    return integer_type();
}

void check(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags) {
    check_names(program, typed, diags);
    rounds(program, typed, kernel);
    // What gets its type from itself alone: $n = @x[tid]; @x[tid] = $n + 1
    const auto is_unknown = [](const MapInfo& map) { return map.value.kind == Kind::none; };
    if (std::ranges::any_of(typed.maps, is_unknown)) {
        typed.assume_sums = true;
        rounds(program, typed, kernel);
    }
    if (program.settings.numbers_by_default) {
        typed.assume_numbers = true;
        // What is written in probes alone that this kernel has none of is 0, as what nothing writes.
        for (MapInfo& map : typed.maps) {
            if (map.value.kind == Kind::none && !map.written) map.value = never_written(program, map);
        }
        rounds(program, typed, kernel);
    }
    Diags last;
    round(program, typed, kernel, last);
    if (!last.has_errors()) {
        unassigned_maps(typed, last);
        declared_maps(typed, last);
    }
    diags.take(std::move(last));
}

void BodyChecker::run() {
    body_.types.assign(program_.exprs.size(), nothing());
    body_.uses.assign(program_.exprs.size(), std::monostate{});
    body_.declared.assign(program_.stmts.size(), 0);
    before_ = std::exchange(body_.locals, {});
    const ast::ItemNode& node = program_.items[body_.item].node;
    body_.host = body_.host || (host_possible(body_.place) && wants_host(node));
    if (const auto* span_action = std::get_if<ast::SpanAction>(&node)) return span_parts(*span_action);
    const auto& action = std::get<ast::Action>(node);
    if (action.predicate) {
        region_ = Region::predicate;
        condition(*action.predicate, "a predicate");
    }
    region_ = Region::body;
    block(action.body);
}

bool BodyChecker::wants_host(const ast::ItemNode& node) const {
    const auto* action = std::get_if<ast::Action>(&node);
    return program_.settings.reports_on_host || (action && empties_what_it_uses(program_, action->body));
}

void BodyChecker::block(const ast::Block& b) {
    in_scope_of_its_own([&] {
        for (ast::StmtId id : b.statements) statement(program_[id]);
    });
}

void BodyChecker::statement(const ast::Stmt& stmt) {
    std::visit([&](const auto& node) { statement(stmt, node); }, stmt.node);
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::Evaluate& node) {
    if (const FunctionRow* row = aggregation_of(node.value)) {
        diags_.error(stmt.span, fmt::format("{}() collects into a map", row->name)).hint =
            fmt::format("write `@name = {}`", signature(*row));
        return;
    }
    if (const auto* inner = std::get_if<ast::BlockValue>(&program_[node.value].node); inner && !inner->is_call)
        return unused(*inner);
    const Type t = expression(node.value);
    if (node.discard) return;
    if (t.kind != Kind::none && !std::holds_alternative<ast::Call>(program_[node.value].node) &&
        !std::holds_alternative<ast::BlockValue>(program_[node.value].node)) {
        diags_.error(stmt.span, "this value is not used").hint =
            "print it: print(...), or assign it to a map: @name = ...";
    }
}

// A block whose value nobody wants, as that of a macro: it may end with a call that has none.
void BodyChecker::unused(const ast::BlockValue& node) {
    in_scope_of_its_own([&] {
        for (ast::StmtId s : node.block.statements) statement(program_[s]);
        if (node.value) statement({span(*node.value), {}}, ast::Evaluate{*node.value, true});
    });
}

void BodyChecker::statement(const ast::Stmt&, const ast::If& node) {
    condition(node.condition, "a condition");
    const auto known = decided(program_, body_, node.condition);
    const auto ahead = foreseen(program_, body_, node.condition);
    const auto check = [&](const ast::Block& branch, bool taken) {
        if (known.value_or(taken) != taken) return;
        const bool is_passed_over = ahead.value_or(taken) != taken;
        passed_over_ += is_passed_over;
        block(branch);
        passed_over_ -= is_passed_over;
    };
    check(node.yes, true);
    check(node.no, false);
}

void BodyChecker::condition(ast::ExprId id, std::string_view what) {
    const Type t = value(id);
    if (t.kind == Kind::none || t.kind == Kind::integer) return;
    diags_.error(span(id), fmt::format("{} is an integer or a comparison, not {}", what, type_name(t))).hint =
        t.kind == Kind::string ? "compare it: comm == \"bash\"" : "";
}

const FunctionRow* BodyChecker::aggregation_of(ast::ExprId id) const {
    const auto* call = std::get_if<ast::Call>(&program_[id].node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    return row && row->aggregation != Aggregation::none ? row : nullptr;
}

void BodyChecker::statement(const ast::Stmt&, const ast::Assign& node) {
    if (const auto* map = std::get_if<ast::Map>(&program_[node.target].node)) {
        assign_map(node, *map);
    } else if (const auto* local = std::get_if<ast::Local>(&program_[node.target].node)) {
        assign_local(node, *local);
    } else {
        diags_.error(span(node.target), "only maps (@name) and variables ($name) can be assigned to");
    }
}

void BodyChecker::assign_map(const ast::Assign& node, const ast::Map& target) {
    if (const FunctionRow* row = aggregation_of(node.value)) {
        if (node.op) {
            diags_.error(span(node.value), fmt::format("{}() is assigned with `=`", row->name));
            return;
        }
        return collect(node.target, node.value, *row);
    }
    const uint32_t index = map_at(node.target, target, false);
    maps_[index].written = true;
    const Type t = value(node.value);
    if (t.kind == Kind::none) return;
    if (node.op && t.kind != Kind::integer) {
        diags_.error(span(node.value), fmt::format("{} cannot be added to a map", type_name(t)));
        return;
    }
    Type held = kept(node.value, t);
    if (held.kind == Kind::none) return;
    if (node.op && maps_[index].value.view == View::duration && *node.op != ast::BinaryOp::add &&
        *node.op != ast::BinaryOp::subtract) {
        held.view = View::duration;  // @d *= 2 stays a duration
    }
    const bool moves = node.op && (*node.op == ast::BinaryOp::add || *node.op == ast::BinaryOp::subtract);
    if (moves && maps_[index].value.view == View::hex) held = maps_[index].value;  // an address that is moved stays one
    if (!node.op || maps_[index].value.kind == Kind::none || maps_[index].value != held)
        merge_value(index, held, span(node.target));
    slot(node.target) = maps_[index].value;
}

void BodyChecker::collect(ast::ExprId target, ast::ExprId call, const FunctionRow& row) {
    const auto& map = std::get<ast::Map>(program_[target].node);
    const auto& node = std::get<ast::Call>(program_[call].node);
    const uint32_t index = map_at(target, map, false);
    arguments(call, node, row);
    use(call) = CallUse{row.id};
    if (!node.arguments.empty() && slot(node.arguments[0]).kind == Kind::none) return;  // an error has been told
    const View view = node.arguments.empty() ? View::plain : slot(node.arguments[0]).view;
    Type type = aggregation_type(row.aggregation, view == View::duration ? view : View::plain);
    if (!node.arguments.empty()) type.is_signed = slot(node.arguments[0]).is_signed || view == View::duration;
    if (row.aggregation == Aggregation::count) type.is_signed = false;
    type =
        row.aggregation == Aggregation::tseries ? series(node, std::move(type)) : bucketed(node, row, std::move(type));
    collected_shape(index, type);
    if (type.kind == Kind::none) return;
    slot(call) = type;
    merge_value(index, type, span(target));
    slot(target) = type;
}

// The interval and the number of intervals of tseries(), and what is told of each.
Type BodyChecker::series(const ast::Call& node, Type type) {
    const auto interval = number_as_it_stands(program_, node.arguments[1]);
    const auto count = number_as_it_stands(program_, node.arguments[2]);
    if (!interval || !count) return nothing();  // told
    int64_t of = 0;
    if (node.arguments.size() > 3) {
        const auto* text = std::get_if<ast::String>(&program_[node.arguments[3]].node);
        if (!text) return nothing();  // told
        const auto* const name = std::ranges::find(series_names, text->value);
        if (name == series_names.end() || name == series_names.begin()) {
            diags_.error(span(node.arguments[3]), fmt::format("tseries() has no `{}` of an interval", text->value))
                .hint = "there are \"avg\", \"max\", \"min\" and \"sum\"; without it it is the last value";
            return nothing();
        }
        of = name - series_names.begin();
    }
    const bool in_time = program_.settings.plain_integers || slot(node.arguments[1]).view == View::duration;
    if (*interval <= 0 || !in_time) {
        diags_.error(span(node.arguments[1]), "an interval is a duration, as it stands").hint = "for example 100ms";
        return nothing();
    }
    if (*count < 1 || *count > most_series) {
        diags_.error(span(node.arguments[2]), fmt::format("from 1 to {} intervals are kept", most_series));
        return nothing();
    }
    Shape shape;
    shape.buckets = {*interval, *count, of};
    type.shape = std::move(shape);
    return type;
}

// The bounds of lhist(), and the bits of a hist() that has some.
Type BodyChecker::bucketed(const ast::Call& node, const FunctionRow& row, Type type) {
    std::vector<int64_t> buckets;
    for (size_t i = 1; i < node.arguments.size() && node.arguments.size() > 1; i++) {
        const bool duration = slot(node.arguments[i]).view == View::duration;
        const auto bound = number_as_it_stands(program_, node.arguments[i]);
        if (!bound) return nothing();  // told
        const bool fits = duration == (type.view == View::duration) || *bound == 0;
        if (!fits && row.aggregation == Aggregation::lhist) {
            diags_.error(span(node.arguments[i]), "bounds and values are all durations, or none of them is").hint =
                duration ? "divide the value by a unit: latency / 1us" : "give the number a unit: 10us";
            return nothing();
        }
        buckets.push_back(*bound);
    }
    if (buckets.empty() || (row.aggregation == Aggregation::hist && buckets[0] == 0)) return type;
    if (row.aggregation == Aggregation::hist && (type.view == View::duration || buckets[0] > 5)) {
        diags_
            .error(span(node.arguments[1]), type.view == View::duration
                                                ? "a histogram of durations has buckets of its own"
                                                : "bits are from 0 to 5")
            .hint = type.view == View::duration
                        ? "write hist(value), or dist(value) for 32 buckets for each doubling"
                        : "write hist(value, 2), or dist(value) for 32 buckets for each doubling";
        return nothing();
    }
    constexpr int64_t most_steps = 1000;
    if (row.aggregation == Aggregation::lhist &&
        (buckets[2] <= 0 || buckets[1] <= buckets[0] || (buckets[1] - buckets[0] - 1) / buckets[2] >= most_steps)) {
        diags_.error(span(node.arguments[3]), fmt::format("from min to max there are 1 to {} steps", most_steps)).hint =
            fmt::format("for example {}", row.example);
        return nothing();
    }
    Shape shape;
    shape.buckets = std::move(buckets);
    type.shape = std::move(shape);
    return type;
}

bool BodyChecker::merge_value(uint32_t map, Type type, Span where) {
    MapInfo& info = maps_[map];
    if (info.value.kind == Kind::none) {
        info.value = type;
        return true;
    }
    const bool clash = apart(info.value, type) || info.value.aggregation != type.aggregation ||
                       units_differ(info.value, type) ||
                       (type.kind == Kind::aggregation && info.value.shape != type.shape) ||
                       (type.kind == Kind::aggregation && info.value.view != type.view);
    if (clash) {
        Diag& d = diags_.error(where, fmt::format("{} holds {} and cannot take {} as well", info.name,
                                                  type_name(info.value), type_name(type)));
        d.notes.push_back({info.first, "it was given its type here"});
        const bool buckets = type.kind == Kind::aggregation && info.value.aggregation == type.aggregation;
        d.hint = buckets && info.value.shape != type.shape
                     ? "one map has one set of buckets or intervals: use the same, or a map of another name"
                     : "use a map of another name";
        return false;
    }
    info.value = joined(info.value, type);
    return true;
}

bool is_key_of_parts(const Type& key) {
    if (key.kind != Kind::tuple || key.naming != Naming::none) return false;
    return key.shape->names.empty() && !key.shape->parts.empty();
}

void BodyChecker::merge_key(uint32_t map, const Type& held, size_t i, Span where) {
    MapInfo& info = maps_[map];
    if (i >= info.key.size()) {
        info.key.push_back(held);
        return;
    }
    if (held.kind == Kind::none) return;  // an error has been told
    if (info.key[i].kind == Kind::none) info.key[i] = held;
    if (apart(info.key[i], held)) {
        Diag& d = diags_.error(where, fmt::format("part {} of the key of {} is {} elsewhere, not {}", i + 1, info.name,
                                                  type_name(info.key[i]), type_name(held)));
        d.notes.push_back({info.first, "its key was first written here"});
        return;
    }
    info.key[i] = joined(info.key[i], held);
}

// The map that an expression names, its key checked; `whole`: the map itself is meant, as in print(@x).
uint32_t BodyChecker::map_at(ast::ExprId id, const ast::Map& node, bool whole) {
    const uint32_t index = maps_.index(node.name, span(id));
    use(id) = MapUse{index};
    if (whole) return index;
    std::vector<Type> parts;
    for (ast::ExprId part : node.key) parts.push_back(kept(part, value(part)));
    const bool is_one = parts.size() == 1;
    if (is_one && parts[0].kind == Kind::none) return index;  // it may still become a tuple
    if (is_one && is_key_of_parts(parts[0])) parts = std::vector(parts[0].shape->parts);
    MapInfo& info = maps_[index];
    if (info.seen_key && info.key.size() != parts.size()) {
        Diag& d = diags_.error(span(id), fmt::format("{} has a key of {} part{} elsewhere, not {}", info.name,
                                                     info.key.size(), info.key.size() == 1 ? "" : "s", parts.size()));
        d.notes.push_back({info.first, "it was first used here"});
        return index;
    }
    for (size_t i = 0; i < parts.size(); i++) merge_key(index, parts[i], i, span(node.key[is_one ? 0 : i]));
    info.seen_key = true;
    return index;
}

void BodyChecker::assign_local(const ast::Assign& node, const ast::Local& target) {
    if (const FunctionRow* row = aggregation_of(node.value)) {
        diags_.error(span(node.target), fmt::format("{}() collects into a map, not a variable", row->name)).hint =
            fmt::format("write `@{} = {}`", target.name, signature(*row));
        return;
    }
    const Type t = kept(node.value, value(node.value));
    if (t.kind == Kind::none) return;
    Known* known = known_local(target.name);
    if (known != nullptr && !known->is_open && body_.locals[known->index].type.kind != t.kind && !node.op)
        known = nullptr;
    if (known == nullptr) {
        if (node.op) {
            diags_.error(span(node.target), fmt::format("${} has no value yet", target.name)).hint =
                "assign to it with `=` first";
            return;
        }
        known_.push_back({target.name, new_local({target.name, t}), level_});
        known = &known_.back();
    }
    use(node.target) = LocalUse{known->index};
    if (node.op && t.kind != Kind::integer) {
        diags_.error(span(node.value), fmt::format("`{}=` takes an integer, not {}", spelling(*node.op), type_name(t)));
        return;
    }
    assign_to(known->index, t, node.value);
    slot(node.target) = body_.locals[known->index].type;
}

// The bytes of an integer, in a local those of what was assigned.
uint32_t BodyChecker::width(ast::ExprId id) {
    const auto* local = std::get_if<LocalUse>(&use(id));
    const uint32_t assigned = local ? body_.locals[local->index].width : 0;
    return assigned != 0 ? assigned : slot(id).size;
}

void BodyChecker::assign_to(uint32_t local, const Type& t, ast::ExprId value) {
    LocalInfo& info = body_.locals[local];
    const Type kept = this->kept(value, t);
    const Span where = span(value);
    if (kept.kind == Kind::none) return;
    if (info.type.kind == Kind::none) info.type = kept;
    if (info.pair_of != no_map) {
        diags_.error(where, fmt::format("${} is the pair of its loop and cannot be assigned to", info.name));
    } else if (apart(info.type, kept) || units_differ(info.type, kept)) {
        // Of a function's or macro's copy the user knows the name before the mark.
        const std::string name = info.name.substr(0, info.name.find('#'));
        diags_.error(where, fmt::format("${} is {}, not {}", name, type_name(info.type), type_name(kept)));
    } else if (kept.kind == Kind::integer) {
        info.own_size = std::max(info.own_size, info.has_type ? info.type.size : own_size(value));
        info.type.user_memory =
            info.has_type ? info.type.user_memory || kept.user_memory : user_memory_of(info.type, kept);
        info.width = std::max(info.width, width(value));
        const bool was_truth = info.type.view == View::boolean && !info.has_type;
        if (was_truth && kept.view != View::boolean) info.type = joined(info.type, kept);
    } else if (in_memory(kept)) {
        info.type = joined(info.type, kept);
        if (kept.kind == Kind::tuple) info.own_size = std::max(info.own_size, own_size(value));
    }
}

}  // namespace lt
