// How the maps of a program are kept: what one value is, whether each CPU has its own, and what clear() may do with it,
// which depends on all that the program does with the map.
#include <algorithm>
#include <functional>

#include "lower.h"
#include "operators.h"
#include "runtime/samples.h"
#include "runtime/series.h"

namespace lt {
namespace {

uint32_t value_size(const Type& t) {
    if (in_memory(t)) return padded(t.size);
    switch (t.aggregation) {
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
            return 8;
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::avg:
        case Aggregation::stats:
            return 16;
        case Aggregation::hist:
        case Aggregation::lhist:
            return 8 * bucket_count(t);
        case Aggregation::dist:
            return 8 * dist_words;
        case Aggregation::samples:
            return 8 * samples_layout(t).words;
        case Aggregation::tseries:
            return 8 * series_size(t);
    }
    return 8;
}

// A dist() with a key is one of 8 KB for all CPUs, though updates of one key by many CPUs then wait for each other: a
// program that needs room for a new key gets memory per CPU only from pages that happen to lie ready. Of 3000 new keys,
// one every 100 us, a third found no room on Linux 6.18; as one piece of ordinary memory all did. Neither is
// preallocated (4096 keys would be 32 MB): before 6.1 kernels refused such hashes to programs of perf events, since
// then they take them from every kind of program.
MapShape shape_of(const MapInfo& info, bool counted) {
    const bool per_cpu = info.value.kind == Kind::aggregation || counted;
    if (info.key.empty()) return per_cpu ? MapShape::per_cpu_array : MapShape::array;
    return per_cpu && info.value.aggregation != Aggregation::dist ? MapShape::per_cpu_hash : MapShape::hash;
}

// Values that are sums of what came, per CPU.
bool adds_up(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::avg:
        case Aggregation::stats:
        case Aggregation::hist:
        case Aggregation::lhist:
            return true;
        case Aggregation::none:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::dist:
        case Aggregation::tseries:
            return false;
        case Aggregation::samples:  // of extremes nothing can be subtracted
            return samples_layout(type).extremes == 0;
    }
    return false;
}

// What is done with maps, by expression.
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
    std::vector<bool> collected;  // into this one
    std::vector<bool> reported;   // the whole is printed, cleared or set to zero
    std::vector<bool> cleared;    // or set to zero
    std::vector<bool> deleted;    // or set to zero, or a key of it

  private:
    void add(const ast::Program& program, const FunctionRow& row, const ast::Call& call) {
        if (row.id == Function::remove || row.id == Function::zero) {
            for (ast::ExprId argument : call.arguments) deleted[static_cast<size_t>(argument)] = true;
        }
        const bool clears = row.id == Function::clear || row.id == Function::zero;
        const auto first = static_cast<size_t>(call.arguments[0]);
        const auto* argument = std::get_if<ast::Map>(&program.exprs[first].node);
        if (clears) cleared[first] = true;
        if (row.id == Function::percentile) reported[first] = true;  // it is read by the runtime
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

// Is a map only collected into, printed and cleared, in all bodies? Whatever else is done with it must see what the
// kernel has. Blocks that lt runs read what a report sees; only what they delete or set to zero must be so there, too.
bool only_collects(const MapUses& uses, const Typed& typed, uint32_t map, bool counted) {
    if (counted) return true;
    if (!adds_up(typed.maps[map].value)) return false;
    return holds_for_all(typed, map, [&](const Body& body, size_t i) {
        return uses.collected[i] || uses.reported[i] || (body.host && !uses.deleted[i]);
    });
}

// Is it to be cleared between two updates, though what it holds does not add up? Blocks that lt runs have parts of
// their own, which are of no generation.
bool has_generations(const MapUses& uses, const Typed& typed, uint32_t map) {
    const Aggregation a = typed.maps[map].value.aggregation;
    if (a != Aggregation::min && a != Aggregation::max && a != Aggregation::dist) return false;
    bool cleared = false;
    const bool fits = holds_for_all(typed, map, [&](const Body& body, size_t i) {
        cleared = cleared || uses.cleared[i];
        return !body.host && (uses.collected[i] || uses.reported[i]);
    });
    return fits && cleared;
}

// Does a block that lt runs go over the map?
bool is_walked(const ast::Program& program, const Typed& typed, uint32_t map) {
    return std::ranges::any_of(program.stmts, [&](const ast::Stmt& stmt) {
        const auto* loop = std::get_if<ast::ForMap>(&stmt.node);
        return loop && std::ranges::any_of(typed.bodies, [&](const Body& body) {
                   const auto* use = std::get_if<MapUse>(&body.uses[static_cast<size_t>(loop->map)]);
                   return body.host && use && use->index == map;
               });
    });
}

}  // namespace

void note_arrival(Builder& b, const PlannedMap& map, ir::Value slot) {
    constexpr int helper_ktime_get_ns = 5;
    if (!map.keeps_order) return;
    const uint32_t at = map.value_size - arrival_mark;
    b.branch(b.load(slot, at), [] {}, [&] { b.store(slot, at, b.helper(helper_ktime_get_ns)); });
}

void Unit::plan_map(const MapInfo& info) {
    PlannedMap m;
    m.name = info.name;
    m.symbol = info.name == "@" ? "at" : "at_" + info.name.substr(1);
    const auto index = static_cast<uint32_t>(out_.plan.maps.size());
    m.shape = shape_of(info, counted_[index]);
    m.key = info.key;
    for (const Type& t : info.key) m.key_size += padded(t.size);
    m.value = info.value;
    m.value_size = value_size(info.value);
    const MapUses uses(program);
    m.cleared_by_difference = only_collects(uses, typed, index, counted_[index]);
    if (has_generations(uses, typed, index)) m.generation = generations_++;
    m.max_entries = info.entries == 0 ? typed.max_keys.value_or(program.settings.max_map_keys) : info.entries;
    if (info.key.empty()) {
        m.key_size = 4;
        m.max_entries = 1;
        m.value_size += scalar_mark;
    } else if (program.settings.keeps_order && is_walked(program, typed, index)) {
        m.keeps_order = true;
        m.value_size += arrival_mark;
    }
    ir::Storage storage = static_cast<ir::Storage>(m.shape);
    if (info.declared && info.declared->forgets && !info.key.empty())
        storage = info.declared->per_cpu ? ir::Storage::lru_per_cpu_hash : ir::Storage::lru_hash;
    const bool shared = m.shape == MapShape::array && has_host_;
    out_.maps.push_back({m.symbol, storage, m.key_size, m.value_size, m.max_entries, false, shared});
    if (m.generation) {
        out_.maps.back().max_entries *= 2;
        if (!m.key.empty()) out_.maps.back().key_size += generation_size;
    }
    out_.plan.maps.push_back(std::move(m));
}

uint32_t Unit::generations() {
    if (!generations_map_) {
        generations_map_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back(
            {std::string(generations_symbol), ir::Storage::array, 4, generation_size * generations_, 1, false});
    }
    return *generations_map_;
}

}  // namespace lt
