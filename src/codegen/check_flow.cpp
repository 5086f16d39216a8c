// Loops, blocks and the locals declared in them. A local that is only assigned to belongs to the whole block of its
// probe; one declared with `let` to the block in which it stands.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "check.h"
#include "decided.h"
#include "operators.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

constexpr uint64_t most_unrolled = 100;
constexpr uint32_t most_kept = 4096;      // bytes of a structure in a variable
constexpr uint64_t most_declared = 1024;  // bytes of an array

}  // namespace

bool is_folded(const Type& t) {
    switch (t.aggregation) {
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::avg:
            return true;
        case Aggregation::none:
        case Aggregation::hist:
        case Aggregation::samples:
        case Aggregation::lhist:
        case Aggregation::tseries:
        case Aggregation::stats:
        case Aggregation::dist:
            return false;
    }
    return false;
}

void BodyChecker::in_scope_of_its_own(const std::function<void()>& body) {
    level_++;
    body();
    const auto is_over = [&](const Known& k) { return k.level == level_ && body_.locals[k.index].in_block; };
    std::erase_if(known_, is_over);
    for (Known& k : known_) k.is_open = k.is_open && k.level != level_;
    level_--;
}

BodyChecker::Known* BodyChecker::known_local(std::string_view name) {
    const auto found = std::find_if(known_.rbegin(), known_.rend(), [&](const Known& k) { return k.name == name; });
    return found == known_.rend() ? nullptr : &*found;
}

// As the round before found it to be, where it stood before what made it so: what lies in memory has one layout, that
// of its last use too.
void BodyChecker::learned_before(LocalInfo& info, const LocalInfo& last) {
    const Type& before = last.type;
    info.own_size = last.own_size;
    if (info.type.kind == Kind::none) {
        info.type = before;
    } else if (in_memory(info.type) && !apart(info.type, before)) {
        info.type = joined(info.type, before);
    } else if (info.type.kind == Kind::integer && before.kind == Kind::integer) {
        info.type.user_memory = info.has_type ? before.user_memory : user_memory_of(info.type, before);
    }
}

uint32_t BodyChecker::new_local(LocalInfo info) {
    const size_t index = body_.locals.size();
    if (index < before_.size() && before_[index].name == info.name) learned_before(info, before_[index]);
    body_.locals.push_back(std::move(info));
    return static_cast<uint32_t>(index);
}

uint32_t BodyChecker::declare(const std::string& name, Span where, LocalInfo info) {
    if (const Known* known = known_local(name); known != nullptr && known->is_open) {
        diags_.error(where, fmt::format("there is a ${} already", name)).hint = "use another name";
    }
    info.in_block = true;
    known_.push_back({name, new_local(std::move(info)), level_});
    return known_.back().index;
}

// A type of the language, or one of the kernel.
std::optional<Type> BodyChecker::declared_type(const ast::TypeName& written) {
    if (written.like) return type_named(written);
    const bool is_plain = written.pointers == 0;
    if (const auto type = lt::type_named(written.name, written.count.value_or(0)); type && is_plain) return type;
    if (const auto each = lt::type_named(written.name, 0); written.count && each) {
        const uint64_t size = (is_plain ? each->size : 8) * *written.count;
        const bool is_number = each->kind == Kind::integer || !is_plain;
        if (is_number && size > 0 && size <= most_declared) return type_named(written);
        diags_
            .error(written.span, fmt::format("a string has a size of up to {} bytes, an array of integers of up to {}",
                                             most_string_bytes, most_declared))
            .hint = "for example let $name : string[16]";
        return {};
    }
    const auto near = closest(written.name, type_names());
    if (near.empty() || written_type(written, types_here())) return type_named(written);
    diags_.error(written.span, fmt::format("there is no type `{}`", written.name)).hint =
        fmt::format("did you mean {}?", either(near));
    return {};
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::Let& node) {
    LocalInfo info{node.name, nothing()};
    if (node.type) {
        const std::optional<Type> named = declared_type(*node.type);
        if (!named) return;
        const bool is_whole = named->kind == Kind::structure || named->kind == Kind::array;
        if (is_whole && (named->size == 0 || named->size > most_kept)) {
            diags_
                .error(node.type->span,
                       fmt::format("{} of {} bytes cannot be kept in a variable", type_name(*named), named->size))
                .hint =
                fmt::format("up to {} bytes can; for what lies at an address write {} *", most_kept, node.type->name);
            return;
        }
        info.type = is_whole ? assume_layout(kernel_.whole(*named)) : *named;
        info.has_type = true;
    }
    const Type t = node.value ? value(*node.value) : nothing();
    const uint32_t index = declare(node.name, node.name_span, std::move(info));
    if (t.kind != Kind::none) assign_to(index, t, *node.value);
    declared(stmt) = index;
}

void BodyChecker::statement(const ast::Stmt&, const ast::Scope& node) { block(node.body); }

void BodyChecker::in_loop(const std::function<void()>& body) {
    loops_++;
    in_scope_of_its_own(body);
    loops_--;
}

void BodyChecker::statement(const ast::Stmt&, const ast::While& node) {
    condition(node.condition, "a condition");
    in_loop([&] { block(node.body); });
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::ForRange& node) {
    for (ast::ExprId end : {node.from, node.to}) {
        const Type t = value(end);
        if (t.kind == Kind::none || (t.kind == Kind::integer && t.view != View::duration)) continue;
        diags_.error(span(end), fmt::format("the ends of a range are integers, not {}", type_name(t))).hint =
            "for example for ($i : 0..10) { ... }";
    }
    in_loop([&] {
        declared(stmt) = declare(node.name, node.name_span, {node.name, integer_type()});
        block(node.body);
    });
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::ForMap& node) {
    const auto* map = std::get_if<ast::Map>(&program_[node.map].node);
    const bool chooses = map != nullptr && map->has_key;
    if ((node.order || node.limit || chooses) && !needs_host(span(node.map))) return;
    if (map == nullptr || (chooses && !has_any_part(*map))) {
        diags_.error(span(node.map), "a loop walks over a range of integers or over a map").hint =
            "for example for ($i : 0..10) { ... } or for ($pair : @map) { ... }";
        return;
    }
    const uint32_t index = map_at(node.map, *map, true);
    const bool assumes = typed_.assume_numbers && !maps_[index].seen_key;
    if (assumes) assume_key(maps_[index], 1);
    if (maps_[index].seen_key && maps_[index].key.empty()) {
        diags_.error(span(node.map), fmt::format("{} has no key: it is one value", maps_[index].name)).hint =
            "a loop walks over a map with keys";
    }
    if (chooses) chosen_parts(node.map, *map, index);
    if (node.order) order_fits(*node.order, index);
    if (node.limit) limit_fits(*node.limit);
    in_loop([&] {
        LocalInfo info{node.name, nothing()};
        info.pair_of = index;
        declared(stmt) = declare(node.name, node.name_span, std::move(info));
        block(node.body);
    });
    if (assumes) maps_[index].seen_key = true;  // with as many parts as the block has asked for
}

void BodyChecker::statement(const ast::Stmt&, const ast::Unroll& node) {
    const auto* count = std::get_if<ast::Integer>(&program_[node.count].node);
    slot(node.count) = integer_type();
    if (count == nullptr || count->value == 0 || count->value > most_unrolled) {
        diags_.error(span(node.count), fmt::format("'unroll' takes a number from 1 to {}", most_unrolled)).hint =
            "for more turns, or a number that is only known when it runs, write for ($i : 0..N) { ... }";
    }
    in_loop([&] { block(node.body); });
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::Jump& node) {
    if (loops_ > 0) return;
    diags_.error(stmt.span, fmt::format("'{}' stands in a loop", node.again ? "continue" : "break")).hint =
        "to end the probe's block, write return";
}

void BodyChecker::statement(const ast::Stmt&, const ast::Return& node) {
    const bool in_call = !calls_.empty();
    if (!in_call) {
        if (node.value) value(*node.value);  // nobody gets it, but it may count something up
        return;
    }
    const auto* result =
        calls_.back()->value ? std::get_if<ast::Local>(&program_[*calls_.back()->value].node) : nullptr;
    if (!node.value || result == nullptr) {
        if (node.value)
            diags_.error(span(*node.value), "this function has no value").hint = "give it a type: fn f() : int64";
        return;
    }
    const Type t = value(*node.value);
    if (t.kind == Kind::none) return;
    if (const Known* known = known_local(result->name)) assign_to(known->index, t, *node.value);
}

void BodyChecker::statement(const ast::Stmt& stmt, const ast::Attempt& node) {
    constexpr uint32_t usual = 64;  // bytes of lt's own messages
    in_scope_of_its_own([&] {
        if (!node.name.empty()) declared(stmt) = declare(node.name, node.name_span, {node.name, string_type(usual)});
        attempts_.push_back(node.name.empty() ? no_local : declared(stmt));
        block(node.body);
        attempts_.pop_back();
        block(node.handler);
    });
}

void BodyChecker::statement(const ast::Stmt&, const ast::Raise& node) {
    const Type t = value(node.message);
    if (t.kind == Kind::none) return;
    if (t.kind != Kind::string) {
        diags_.error(span(node.message), fmt::format("the message of an error is a string, not {}", type_name(t)));
        return;
    }
    if (!attempts_.empty() && attempts_.back() != no_local) assign_to(attempts_.back(), t, node.message);
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Step& node) {
    if (const auto* map = std::get_if<ast::Map>(&program_[node.target].node)) {
        const uint32_t index = map_at(node.target, *map, false);
        maps_[index].written = true;
        if (maps_[index].value.kind == Kind::none) merge_value(index, integer_type(), span(node.target));
    }
    const Type t = value(node.target);
    if (t.kind == Kind::integer && t.view == View::boolean) return counted_truth(node.target);
    if (pointee(t)) assume_size(*pointee(t));
    if (t.kind == Kind::none || t.kind == Kind::integer) return t;
    diags_.error(span(id), fmt::format("`{0}{0}` takes an integer, not {1}", spelling(node.op), type_name(t)));
    return nothing();
}

// What held a truth value and is counted up or down holds a number.
Type BodyChecker::counted_truth(ast::ExprId target) {
    if (const auto* map = std::get_if<MapUse>(&use(target))) merge_value(map->index, integer_type(), span(target));
    const auto* local = std::get_if<LocalUse>(&use(target));
    if (local == nullptr) return integer_type();
    LocalInfo& info = body_.locals[local->index];
    if (!info.has_type) info.type = integer_type();
    return info.type;
}

// Gone once the command line is known.
Type BodyChecker::type_of(ast::ExprId, const ast::Positional&) { return integer_type(); }

std::optional<int64_t> BodyChecker::known(ast::ExprId id) const { return known_value(program_, body_, id); }
std::optional<std::string_view> BodyChecker::known_text(ast::ExprId id) const {
    return lt::known_text(program_, body_, id);
}

// Is it there? What is said against it is not told.
Type BodyChecker::type_of(ast::ExprId id, const ast::Defined& node) {
    if (node.is_value) return known_type(id, node.value);
    const size_t before = diags_.all().size();
    const Type t = value(node.value);
    use(id) = ConstantUse{t.kind != Kind::none && diags_.all().size() == before};
    diags_.forget(before);
    return integer_type(8, true);
}

Type BodyChecker::known_type(ast::ExprId id, ast::ExprId operand) {
    const Type t = value(operand);
    const auto number = known(operand);
    use(id) = ConstantUse{number.value_or(0)};
    if (t.kind == Kind::none || number) return t;
    diags_.error(span(operand), "this is not known when the program is compiled").hint =
        "numbers, sizes, enumerators, and functions such as is_str() are";
    return nothing();
}

Type BodyChecker::type_of(ast::ExprId id, const ast::AnyPart&) {
    diags_.error(span(id), "a `*` in a key chooses the entries of a loop").hint =
        "for example for ($pair : sort(@map[*, 1])) { ... }";
    return nothing();
}

Type BodyChecker::type_of(ast::ExprId, const ast::BlockValue& node) {
    const uint32_t loops = loops_;
    if (node.is_call) {
        calls_.push_back(&node);
        loops_ = 0;
    }
    Type t = nothing();
    in_scope_of_its_own([&] {
        for (ast::StmtId s : node.block.statements) statement(program_[s]);
        if (node.value) t = node.is_call ? expression(*node.value) : value(*node.value);
    });
    if (node.is_call) calls_.pop_back();
    loops_ = loops;
    return t;
}

// $pair.0, $pair.0.1, $pair.1; no value where it is something else.
std::optional<Type> BodyChecker::pair_member(ast::ExprId id, const ast::Member& node) {
    const auto* inner = std::get_if<ast::Member>(&program_[node.base].node);
    const bool is_part = inner != nullptr && inner->field == "0";
    const auto* local = std::get_if<ast::Local>(&program_[is_part ? inner->base : node.base].node);
    const Known* known = local == nullptr ? nullptr : known_local(local->name);
    if (known == nullptr || body_.locals[known->index].pair_of == no_map) return std::nullopt;
    const uint32_t map = body_.locals[known->index].pair_of;
    MapInfo& info = maps_[map];
    const bool is_value = !is_part && node.field == "1";
    uint32_t part = 0;
    const char* end = node.field.data() + node.field.size();
    const bool is_number = std::from_chars(node.field.data(), end, part).ptr == end;
    if (is_number && !is_value) assume_key(info, is_part ? part + 1 : 1);
    if (!is_number || part > (is_part ? info.key.size() : 1)) {
        diags_.error(node.field_span, fmt::format("${} has no `{}`", local->name, node.field)).hint =
            fmt::format("${0}.0 is the key, ${0}.1 the value", local->name);
        return nothing();
    }
    use(id) = PairUse{known->index, map, is_value, is_part ? part : 0};
    if (is_value) return pair_value(info);
    if (!is_part) return pair_key(info);
    return part < info.key.size() ? info.key[part] : nothing();
}

// Where numbers are what is said of nothing: a map that has a key nowhere else, and so never an entry.
void BodyChecker::assume_key(MapInfo& info, size_t parts) {
    constexpr size_t most = 16;
    if (!typed_.assume_numbers || parts > most) return;
    if (!info.seen_key && info.key.size() < parts) info.key.resize(parts, integer_type());
    for (Type& part : info.key)
        if (part.kind == Kind::none) part = integer_type();
}

Type BodyChecker::pair_key(const MapInfo& info) {
    if (info.key.empty()) return nothing();
    return info.key.size() == 1 ? info.key.front() : tuple_type(info.key);
}

// Of what is added up over CPUs the sum.
Type BodyChecker::pair_value(const MapInfo& info) {
    return is_folded(info.value) ? integer_type(8, info.value.is_signed, info.value.view) : info.value;
}

Type BodyChecker::whole_pair(ast::ExprId id, uint32_t local) {
    const MapInfo& info = maps_[body_.locals[local].pair_of];
    std::vector<Type> parts = {pair_key(info), pair_value(info)};
    if (parts[0].kind == Kind::none || parts[1].kind == Kind::none) return nothing();
    if (parts[1].kind == Kind::aggregation) {
        diags_
            .error(span(id), fmt::format("{}() of {} cannot be taken out of it",
                                         aggregation_name(info.value.aggregation), info.name))
            .hint = fmt::format("print({}) shows the map", info.name);
        return nothing();
    }
    use(id) = PairUse{local, body_.locals[local].pair_of, false, 0, true};
    return tuple_type(std::move(parts));
}

}  // namespace lt
