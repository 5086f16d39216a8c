// How a script's maps are stored: the layout of a value, whether each CPU has its own, and what clear() may do, which
// depends on everything that the script does with the map.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/text.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/typed/host.h"
#include "runtime/border/kernel.h"
#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

uint32_t value_size(const Type& t) {
    if (in_memory(t)) return padded_size(t.size);
    return t.aggregation == Aggregation::none ? 8 : 8 * aggregation_words(t);
}

// A dist() with a key is one value of 8 KB (16 KB if values can be negative) for all CPUs, although updates of one key
// from many CPUs then wait for each other. A program that needs a new key gets per-CPU memory only from pages that
// happen to be ready: of 3000 new keys, one every 100 us, a third found no room on Linux 6.18; as one piece of ordinary
// memory, all did. Neither is preallocated (4096 keys would be 32 MB). Kernels before 6.1 refuse such hashes to
// perf-event programs; newer ones accept them from every kind of program.
MapShape shape_of(const MapInfo& info, bool counted) {
    const bool per_cpu = info.value.kind == Kind::aggregation || counted;
    if (info.key.empty()) return per_cpu ? MapShape::per_cpu_array : MapShape::array;
    return per_cpu && info.value.aggregation != Aggregation::dist ? MapShape::per_cpu_hash : MapShape::hash;
}

// Values that are per-CPU sums of the input.
bool adds_up(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::avg:
        case Aggregation::stats:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::why:
            return true;
        case Aggregation::none:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::dist:
        case Aggregation::tseries:
            return false;
        case Aggregation::samples:  // an extreme cannot be subtracted
            return samples_layout(type).extremes == 0;
    }
    return false;
}

// How the script uses its maps, by expression.
struct MapUses {
    explicit MapUses(const ast::Program& program)
        : collected(program.exprs.size(), false), reported(collected), cleared(collected), deleted(collected) {
        for (const ast::Stmt& stmt : program.stmts) {
            if (const auto* assign = std::get_if<ast::Assign>(&stmt.node))
                collected[static_cast<size_t>(assign->target)] = true;
        }
        for (const ast::Expr& expr : program.exprs) {
            const auto* call = std::get_if<ast::Call>(&expr.node);
            const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
            if (row) add(program, *row, *call);
        }
    }
    std::vector<bool> collected;  // the program aggregates into the map
    std::vector<bool> reported;   // the whole map is printed, cleared or set to zero
    std::vector<bool> cleared;    // or set to zero
    std::vector<bool> deleted;    // or set to zero, or one of its keys

  private:
    void add(const ast::Program& program, const FunctionRow& row, const ast::Call& call) {
        if (row.id == Function::remove || row.id == Function::zero) {
            for (ast::ExprId argument : call.arguments) deleted[static_cast<size_t>(argument)] = true;
        }
        const bool clears = row.id == Function::clear || row.id == Function::zero;
        const auto first = static_cast<size_t>(call.arguments[0]);
        const auto* argument = std::get_if<ast::Map>(&program.exprs[first].node);
        if (clears) cleared[first] = true;
        if (row.id == Function::percentile) reported[first] = true;  // the runtime reads it
        if (argument && !argument->has_key && (clears || row.id == Function::print)) reported[first] = true;
    }
};

bool holds_for_all(const Typed& typed, uint32_t map, const std::function<bool(const Body&, size_t)>& fits) {
    for (const Body& body : typed.bodies) {
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* use = std::get_if<MapUse>(&body.uses[i]);
            if (use && use->index == map && !fits(body, i)) return false;
        }
    }
    return true;
}

// Do all bodies only aggregate into the map, print it and clear it? Any other use must see the kernel's values. Blocks
// that lt runs read what a report sees; only what they delete or set to zero must also be so in the kernel.
bool only_collects(const MapUses& uses, const Typed& typed, uint32_t map, bool counted) {
    if (counted) return true;
    if (!adds_up(typed.maps[map].value)) return false;
    return holds_for_all(typed, map, [&](const Body& body, size_t i) {
        return uses.collected[i] || uses.reported[i] || (body.host && !uses.deleted[i]);
    });
}

// Can the map be cleared between two updates, although its values do not add up? Blocks that lt runs may read, print
// and clear it; what they collect goes into parts of their own, which belong to no generation.
bool has_generations(const MapUses& uses, const Typed& typed, uint32_t map) {
    const Aggregation a = typed.maps[map].value.aggregation;
    if (a != Aggregation::min && a != Aggregation::max && a != Aggregation::dist) return false;
    bool cleared = false;
    const bool fits = holds_for_all(typed, map, [&](const Body& body, size_t i) {
        cleared = cleared || uses.cleared[i];
        if (uses.reported[i]) return true;
        return body.host ? !uses.collected[i] && !uses.deleted[i] : uses.collected[i];
    });
    return fits && cleared;
}

// Can keys leave the map, into which programs in the kernel collect, by a clear()? A clear at the end takes none out.
bool is_emptied(const MapUses& uses, const Typed& typed, uint32_t map) {
    bool cleared = false, collected = false;
    holds_for_all(typed, map, [&](const Body& body, size_t i) {
        cleared = cleared || (uses.cleared[i] && body.place.kind != ProbeKind::end);
        collected = collected || (!body.host && !uses.reported[i]);
        return true;
    });
    return cleared && collected && !typed.maps[map].key.empty();
}

// Does a block that lt runs iterate over the map?
bool is_walked(const ast::Program& program, const Typed& typed, uint32_t map) {
    return std::ranges::any_of(program.stmts, [&](const ast::Stmt& stmt) {
        const auto* loop = std::get_if<ast::ForMap>(&stmt.node);
        return loop && std::ranges::any_of(typed.bodies, [&](const Body& body) {
                   const auto* use = std::get_if<MapUse>(&body.uses[static_cast<size_t>(loop->map)]);
                   return body.host && use && use->index == map;
               });
    });
}

// The key as text if it is written as literals.
std::optional<std::string> literal_key(const ast::Program& program, const ast::Map& map) {
    std::string key;
    for (const ast::ExprId part : map.key) {
        const ast::ExprNode& node = program.exprs[static_cast<size_t>(part)].node;
        if (const auto* text = std::get_if<ast::String>(&node)) {
            key += quoted(text->value) + ',';
        } else if (const auto* number = std::get_if<ast::Integer>(&node)) {
            key += std::to_string(number->value) + ',';
        } else {
            return {};
        }
    }
    return key;
}

// How many keys the map can have; empty if one of them is not a literal.
std::optional<uint32_t> number_of_keys(const ast::Program& program, const Typed& typed, uint32_t map) {
    std::set<std::string> keys;
    const bool known = holds_for_all(typed, map, [&](const Body&, size_t i) {
        const auto* use = std::get_if<ast::Map>(&program.exprs[i].node);
        if (!use || !use->has_key) return true;
        const std::optional<std::string> key = literal_key(program, *use);
        if (key) keys.insert(*key);
        return key.has_value();
    });
    if (!known || keys.empty()) return {};
    return static_cast<uint32_t>(keys.size());
}

// The kernel allocates a small map beforehand. Without that, a program that interrupts or switches threads may get
// memory for one new key of 8 KB, and none for the next.
uint32_t room_of(const Unit& unit, const MapInfo& info, uint32_t index) {
    if (info.entries != 0) return info.entries;
    if (unit.typed.max_keys) return *unit.typed.max_keys;
    const uint32_t usual = unit.program.settings.max_map_keys;
    if (info.value.aggregation != Aggregation::dist) return usual;
    return std::min(usual, number_of_keys(unit.program, unit.typed, index).value_or(usual));
}

struct Counted {
    std::vector<bool> at_all, per_cpu;  // by map
};

void plan_map(Unit& unit, const MapInfo& info, const Counted& counted, const MapUses& uses) {
    PlannedMap m;
    m.name = info.name;
    m.symbol = info.name == "@" ? "at" : "at_" + info.name.substr(1);
    const auto index = static_cast<uint32_t>(unit.plan().maps.size());
    m.shape = shape_of(info, counted.per_cpu[index]);
    m.key = info.key;
    for (const Type& t : info.key) m.key_size += padded_size(t.size);
    m.value = info.value;
    m.value_size = value_size(info.value);
    // A key that the kernel evicts may return with less than the amount to subtract.
    const bool evicts = info.declared && info.declared->forgets && !info.key.empty();
    m.cleared_by_difference = !evicts && only_collects(uses, unit.typed, index, counted.at_all[index]);
    m.shrinks = evicts || !holds_for_all(unit.typed, index,
                                         [&](const Body&, size_t i) { return !uses.cleared[i] && !uses.deleted[i]; });
    if (has_generations(uses, unit.typed, index) || (m.cleared_by_difference && is_emptied(uses, unit.typed, index)))
        m.generation = generations(unit);
    m.max_entries = room_of(unit, info, index);
    if (info.key.empty()) {
        m.key_size = 4;
        m.max_entries = 1;
        m.value_size += scalar_mark;
    } else if (unit.program.settings.keeps_order && is_walked(unit.program, unit.typed, index)) {
        m.keeps_order = true;
        m.value_size += arrival_mark;
    }
    ir::Storage storage = static_cast<ir::Storage>(m.shape);
    if (evicts) storage = info.declared->per_cpu ? ir::Storage::lru_per_cpu_hash : ir::Storage::lru_hash;
    const bool shared = m.shape == MapShape::array && std::ranges::any_of(unit.typed.bodies, &Body::host);
    ir::MapDefinition definition{m.symbol, storage, m.key_size, m.value_size, m.max_entries, false, shared};
    // Keys that are cleared by difference leave the kernel's map one round later: two rounds of keys need room.
    const bool stays_a_round = info.declared && counted.at_all[index] && m.cleared_by_difference && !m.key.empty();
    if (m.generation || stays_a_round) definition.max_entries *= 2;
    if (m.generation && !m.key.empty()) definition.key_size += generation_size;
    refuse_large_key(unit, definition.key_size, info.name, info.declared ? info.declared_at : info.first);
    unit.add_map(std::move(definition));
    unit.plan().maps.push_back(std::move(m));
}

}  // namespace

void refuse_large_key(Unit& unit, uint32_t size, std::string_view whose, Span at) {
    if (size <= largest_stack_key || unit.typed.abilities.large_keys) return;
    unit.diags
        .error(at, fmt::format("the key of {} has {} bytes; this kernel permits {} (more need Linux 5.11)", whose, size,
                               largest_stack_key))
        .hint = "use fewer or shorter parts, such as `str(arg1, 64)`";
}

void plan_maps(Unit& unit) {
    const Counted counted{only_counted(unit.program, unit.typed), kept_per_cpu(unit.program, unit.typed)};
    const MapUses uses(unit.program);
    for (size_t i = 0; i < unit.typed.maps.size(); i++) plan_map(unit, unit.typed.maps[i], counted, uses);
}

}  // namespace lt
