// A program is checked repeatedly until a round finds no new types, and then once more for its errors.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/body.h"
#include "codegen/check/names/why.h"
#include "codegen/check/slips.h"
#include "codegen/compile.h"

namespace lt {
namespace {

// True if a round learned nothing about the maps.
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

// The types of all locals, which change until they are settled.
std::vector<Type> local_types(const Typed& typed) {
    std::vector<Type> all;
    for (const Body& body : typed.bodies) {
        for (const LocalInfo& local : body.locals) all.push_back(local.type);
    }
    return all;
}

void round(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags) {
    MapTable maps(typed.maps);
    for (Body& body : typed.bodies) {
        CheckContext c{program, typed, body, maps, kernel, diags};
        check_body(c);
    }
}

// Checks all bodies once; true if that changed no type.
bool learns_nothing(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags) {
    const std::vector<MapInfo> maps_before = typed.maps;
    const std::vector<SpanInfo> spans_before = typed.spans;
    const std::vector<Type> locals_before = local_types(typed);
    round(program, typed, kernel, diags);
    return same_maps(maps_before, typed.maps) && same_spans(spans_before, typed.spans) &&
           locals_before == local_types(typed);
}

// Repeats until nothing changes; false if types still change after most_rounds. Each round that changes something
// lengthens a string or finds a type, from which the next round may find another.
bool settled(const ast::Program& program, Typed& typed, Kernel& kernel, int most_rounds) {
    for (int i = 0; i < most_rounds; i++) {
        Diags scratch;
        if (learns_nothing(program, typed, kernel, scratch)) return true;
    }
    return false;
}

// A string that is joined to itself in a loop would get longer in each round: it gets the maximum size of strings.
void rounds(const ast::Program& program, Typed& typed, Kernel& kernel) {
    constexpr int few = 48, many = 256;
    if (!typed.strings_grow) {
        const Typed before = typed;
        if (settled(program, typed, kernel, few) && !typed.strings_grow) return;
        typed = before;  // without the sizes to which strings grew
        typed.strings_grow = true;
    }
    settled(program, typed, kernel, many);
}

// `signs` is as in MapInfo. True if that changed the type.
bool sign_literals(Type& type, const Type& signs) {
    if (type.kind != signs.kind) return false;
    bool any = false;
    if (type.kind == Kind::tuple) {
        for (size_t i = 0; i < type.shape->parts.size(); i++)
            any = sign_literals(type.shape->parts[i], signs.shape->parts[i]) || any;
    }
    if (type.kind != Kind::integer || type.is_signed || signs.is_signed) return any;
    type.is_signed = true;
    return true;
}

// Only literals are signed, as one is by itself. It can be known only when nothing else was found.
bool sign_literals(Typed& typed) {
    bool any = false;
    for (MapInfo& map : typed.maps) {
        any = sign_literals(map.value, map.value_signs) || any;
        for (size_t i = 0; i < map.key.size() && i < map.key_signs.size(); i++)
            any = sign_literals(map.key[i], map.key_signs[i]) || any;
    }
    for (Body& body : typed.bodies)
        for (LocalInfo& local : body.locals) any = sign_literals(local.type, local.signs) || any;
    return any;
}

void unassigned_maps(const Typed& typed, Diags& diags) {
    for (const MapInfo& map : typed.maps) {
        if (map.value.kind != Kind::none) continue;
        const std::string_view fault =
            map.written ? "the type of `{}` cannot be determined" : "nothing is ever assigned to `{}`";
        diags.error(map.first, fmt::format(fmt::runtime(fault), map.name)).hint =
            fmt::format("assign to it, as in `{} = count()`", map.name);
    }
}

// Each CPU has its own aggregations, other values exist once: a declaration must say so.
void declared_maps(const Typed& typed, Diags& diags) {
    for (const MapInfo& map : typed.maps) {
        if (!map.declared) continue;
        const bool per_cpu = map.value.kind == Kind::aggregation && map.value.aggregation != Aggregation::dist;
        if (map.declared->per_cpu != per_cpu) {
            const auto fitting = std::ranges::find_if(map_kinds, [&](const MapKind& k) {
                return k.per_cpu == per_cpu && k.forgets == map.declared->forgets;
            });
            diags
                .error(map.declared_at, fmt::format("`{}` holds {}, which does not fit a `{}`", map.name,
                                                    type_name(map.value), map.declared->name))
                .hint = fmt::format("write `{}({})`", fitting->name, map.entries);
        } else if (map.key.empty()) {
            diags.warning(map.declared_at,
                          fmt::format("`{}` has no key: it is one value, and the declared `{}` is not used", map.name,
                                      map.declared->name));
        }
    }
}

// The type of a map that only probes missing from this kernel write: their aggregation, or a number.
Type never_written(const ast::Program& program, const MapInfo& map) {
    for (const ast::Stmt& stmt : program.stmts) {
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        const auto* target = assign ? program.get<ast::Map>(assign->target) : nullptr;
        const auto* call = assign ? program.get<ast::Call>(assign->value) : nullptr;
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

// Reports names that are taken or that stand for two things.
void check_names(const ast::Program& program, Typed& typed, Diags& diags) {
    std::vector<std::string_view> known;
    const auto note = [&](const std::string& name, Span where) {
        if (name.empty()) return;
        if (find_variable(name) || find_function(name)) {
            diags.error(where, fmt::format("the name `{}` is already taken", name)).hint = "use another name";
        } else if (std::ranges::find(known, name) != known.end()) {
            diags.error(where, fmt::format("the name `{}` is used twice", name)).hint = "use another name";
        }
        known.push_back(name);
    };
    for (const ParamInfo& p : typed.params) note(p.name, p.span);
    for (const SpanInfo& s : typed.spans) note(s.name, std::get<ast::SpanAction>(program.items[s.item].node).name_span);
}

}  // namespace

void check(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags) {
    check_names(program, typed, diags);
    rounds(program, typed, kernel);
    // For maps whose type only depends on themselves: $n = @x[tid]; @x[tid] = $n + 1
    const auto is_unknown = [](const MapInfo& map) { return map.value.kind == Kind::none; };
    if (std::ranges::any_of(typed.maps, is_unknown)) {
        typed.assume_sums = true;
        rounds(program, typed, kernel);
    }
    if (program.settings.numbers_by_default) {
        typed.assume_numbers = true;
        // A map that only missing probes write is 0, as a map that nothing writes.
        for (MapInfo& map : typed.maps) {
            if (map.value.kind == Kind::none && !map.written) map.value = never_written(program, map);
        }
        rounds(program, typed, kernel);
    }
    if (sign_literals(typed)) rounds(program, typed, kernel);
    Diags last;
    const bool is_settled = learns_nothing(program, typed, kernel, last);
    if (!last.has_errors()) {
        if (!is_settled && !typed.bodies.empty()) {
            last.error(program.items[typed.bodies.front().item].span,
                       "the types of this program depend on each other endlessly")
                .hint = "fix the length of a string, as in `$s = (string[64])($s + \"x\")`";
        }
        unassigned_maps(typed, last);
        declared_maps(typed, last);
        coarser_causes(typed, last);
        warn_of_slips(program, typed, last);
    }
    diags.take(std::move(last));
}

}  // namespace lt
