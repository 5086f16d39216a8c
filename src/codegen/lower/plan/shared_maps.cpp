#include "codegen/lower/plan/shared_maps.h"

#include <algorithm>
#include <bit>

#include "runtime/border/frames.h"
#include "runtime/border/recording.h"
#include "runtime/border/why.h"

namespace lt {
namespace {

// Bytes: for programs that print while they run, and for programs with few records.
constexpr uint32_t large_ring = 4 << 20;
constexpr uint32_t small_ring = 64 << 10;

constexpr uint32_t most_per_cpu = 32000;  // a value of a per-CPU map has at most 32 KiB
constexpr uint32_t frames_nested =
    4;  // claimed at one time on one CPU; same as LT_FRAMES_NESTED in stdlib/bpf/scratch.bpf.c
constexpr uint32_t most_of_family = 65536;  // threads at once

bool calls(const ast::Program& program, Function function) {
    return std::ranges::any_of(program.exprs, [function](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return call && call->name == function_row(function).name;
    });
}

// The kernel requires a power of two.
uint32_t ring_size(const Unit& unit) {
    constexpr uint32_t page = 4096, usual = 1024;
    const Settings& settings = unit.program.settings;
    if (settings.ring_pages != 0) return std::bit_ceil(settings.ring_pages) * page;
    const bool prints = calls(unit.program, Function::printf);
    return prints || settings.max_strlen > usual ? large_ring : small_ring;
}

}  // namespace

uint32_t ring_map(Unit& unit) {
    const uint32_t ring = unit.shared_map({"lt_events", ir::Storage::ring_buffer, 0, 0, ring_size(unit), false});
    unit.loss(LossKind::ring_buffer_full, 0);
    return ring;
}

// Several of them, so that one can be read while the next is written; with a size in the settings, one at least.
void fit_ring(Unit& unit, uint32_t record) {
    constexpr uint64_t several = 4, header = 16;
    const uint64_t records = (unit.program.settings.ring_pages != 0 ? 1 : several) * (record + header);
    const uint64_t least = std::bit_ceil(records + records / 8);  // a sixteenth is reserved: lt_room()
    ir::MapDefinition& ring = unit.map_definition(ring_map(unit));
    ring.max_entries = std::max(ring.max_entries, static_cast<uint32_t>(least));
}

uint32_t frame_map(Unit& unit, uint32_t size) {
    constexpr uint32_t header = 8;  // the claim
    const uint32_t index =
        unit.shared_map({std::string(frames_symbol), ir::Storage::per_cpu_array, 4, 0, frames_nested, false});
    ir::MapDefinition& map = unit.map_definition(index);
    map.value_size = std::max(map.value_size, header + size);
    if (map.value_size > most_per_cpu) map.storage = ir::Storage::array;
    return index;
}

uint32_t family_map(Unit& unit) {
    unit.plan().family = "lt_family";
    return unit.shared_map({unit.plan().family, ir::Storage::hash, 4, 4, most_of_family, false});
}

uint32_t stuck_map(Unit& unit) {
    uint32_t size = 0;
    for (const PlannedSpan& planned : unit.plan().spans) size = std::max(size, planned.opening_size);
    return unit.shared_map({"lt_stuck", ir::Storage::array, 4, stuck_header + size, 1, false});
}

uint32_t books_map(Unit& unit) {
    unit.plan().books = "lt_books";
    return unit.shared_map({unit.plan().books, ir::Storage::per_cpu_array, 4, book_size * unit.spans(), 1, false});
}

uint32_t left_out_map(Unit& unit) {
    return unit.shared_map({std::string(left_out_symbol), ir::Storage::per_cpu_array, 4, 0, 1, false});
}

uint32_t generations_map(Unit& unit) {
    return unit.shared_map(
        {std::string(generations_symbol), ir::Storage::array, 4, generation_size * generations(unit), 1, false});
}

bool reports_waits(const Typed& typed) { return std::ranges::any_of(typed.spans, &SpanInfo::longest_wait); }

uint32_t why_threads_map(Unit& unit) {
    const uint32_t size = reports_waits(unit.typed) ? why_thread + why_waits : why_thread;
    return unit.shared_map({std::string(why_threads), ir::Storage::task_storage, 4, size, 0, false});
}

uint32_t why_cpus_map(Unit& unit) {
    return unit.shared_map({"lt_why_cpus", ir::Storage::per_cpu_array, 4, why_cpu, 1, false});
}

uint32_t why_places_map(Unit& unit) {
    return unit.shared_map({std::string(why_places), ir::Storage::array, 4, why_places_size, 1, false});
}

bool keeps_records(const Unit& unit) { return calls(unit.program, Function::snapshot); }

KeepMaps keep_maps(Unit& unit) {
    return {unit.shared_map({std::string(keep_rings_map), ir::Storage::array, 4, sizeof(KeptControl), 1, false, true}),
            unit.shared_map({std::string(keep_slots_map), ir::Storage::array, 4, sizeof(KeptSlot), 1, false, true})};
}

uint32_t generations(const Unit& unit) {
    const auto has_one = [](const PlannedMap& m) { return m.generation.has_value(); };
    return static_cast<uint32_t>(std::ranges::count_if(unit.plan().maps, has_one));
}

}  // namespace lt
