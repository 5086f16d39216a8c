#include "runtime/load/map_forms.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/border/recording.h"
#include "runtime/border/run_words.h"
#include "runtime/border/why.h"

namespace lt {
namespace {

constexpr uint32_t index_size = sizeof(uint32_t);
constexpr std::optional<uint64_t> any_size = std::nullopt;  // of values whose readers ask the kernel for it

// Those that forget keys have the same entries.
bpf_map_type remembering(bpf_map_type type) {
    if (type == BPF_MAP_TYPE_LRU_HASH) return BPF_MAP_TYPE_HASH;
    return type == BPF_MAP_TYPE_LRU_PERCPU_HASH ? BPF_MAP_TYPE_PERCPU_HASH : type;
}

bpf_map_type map_type_of(MapShape shape) {
    if (is_array(shape)) return is_per_cpu(shape) ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY;
    return is_per_cpu(shape) ? BPF_MAP_TYPE_PERCPU_HASH : BPF_MAP_TYPE_HASH;
}

struct MapForm {
    std::string_view symbol;
    bpf_map_type kind;
    uint64_t key;
    std::optional<uint64_t> value;
};

// A map that does not exist is fine.
bool has_form(const bpf_object* object, const MapForm& form) {
    const bpf_map* map = bpf_object__find_map_by_name(object, std::string(form.symbol).c_str());
    return !map || (remembering(bpf_map__type(map)) == form.kind && bpf_map__key_size(map) == form.key &&
                    bpf_map__value_size(map) == form.value.value_or(bpf_map__value_size(map)));
}

// Programs alone read what is in the storage of tasks.
bool span_agrees(const bpf_object* object, const PlannedSpan& span) {
    uint64_t key = 0;
    for (const Type& t : span.key) key += padded_size(t.size);
    constexpr bpf_map_type hash = BPF_MAP_TYPE_HASH;
    switch (span.state) {
        case SpanState::task:
            return true;
        case SpanState::thread:
            return has_form(object, {span.symbol, hash, sizeof(uint32_t),
                                     span_thread_header + uint64_t{span.depth} * span.opening_size});
        case SpanState::key:
            return has_form(object, {span.symbol, hash, key, span.opening_size});
        case SpanState::frame:
            return has_form(object, {span.symbol, hash, span_call_key, span.opening_size});
    }
    return false;
}

bool has_room(const bpf_object* object, const char* section, size_t room) {
    const bpf_map* map = bpf_object__find_map_by_name(object, section);
    return !map || bpf_map__value_size(map) <= room;
}

Error disagree(std::string_view name) {
    return {fmt::format("the plan and its object disagree about {}", name), "save it again", 0};
}

Status script_maps_agree(const Plan& plan, const bpf_object* object) {
    uint64_t generations = 0;
    for (const PlannedMap& map : plan.maps) {
        const bool is_keyed = map.generation && !map.key.empty();
        const uint64_t key = uint64_t{map.key_size} + (is_keyed ? generation_size : 0);
        if (!has_form(object, {map.symbol, map_type_of(map.shape), key, map.value_size})) return disagree(map.name);
        generations += map.generation ? generation_size : 0;
    }
    if (!has_form(object, {generations_symbol, BPF_MAP_TYPE_ARRAY, index_size, generations}))
        return disagree("generations");
    for (const PlannedCounter& counter : plan.counters)
        if (!has_form(object, {counter.symbol, BPF_MAP_TYPE_PERF_EVENT_ARRAY, index_size, sizeof(uint32_t)}))
            return disagree(counter.name);
    for (const PlannedSpan& span : plan.spans)
        if (!span_agrees(object, span)) return disagree(span.text);
    return Done{};
}

}  // namespace

Status maps_agree(const Plan& plan, const bpf_object* object) {
    if (Status agree = script_maps_agree(plan, object); !agree) return agree;
    uint64_t opening = 0;
    for (const PlannedSpan& span : plan.spans) opening = std::max<uint64_t>(opening, span.opening_size);
    constexpr uint64_t word = sizeof(uint64_t);
    struct Row {
        std::string_view name;
        MapForm form;
    };
    const Row rows[] = {
        {"the flight recorder", {keep_rings_map, BPF_MAP_TYPE_ARRAY, index_size, sizeof(KeptRing)}},
        {"the flight recorder", {keep_slots_map, BPF_MAP_TYPE_ARRAY, index_size, sizeof(KeptSlot)}},
        {"stuck spans", {"lt_stuck", BPF_MAP_TYPE_ARRAY, index_size, stuck_header + opening}},
        {"stacks", {stacks_symbol, BPF_MAP_TYPE_HASH, 2 * word, (1 + stack_frames) * word}},
        {"functions in which threads wait", {why_places, BPF_MAP_TYPE_ARRAY, index_size, why_places_size}},
        {"additions", {handed_symbol, BPF_MAP_TYPE_ARRAY, index_size, any_size}},
        {"sampling", {left_out_symbol, BPF_MAP_TYPE_PERCPU_ARRAY, index_size, any_size}},
        {"the account of spans", {plan.books, BPF_MAP_TYPE_PERCPU_ARRAY, index_size, any_size}},
        {"the processes that it follows", {plan.family, BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(uint32_t)}},
    };
    for (const Row& row : rows)
        if (!has_form(object, row.form)) return disagree(row.name);
    if (!has_room(object, ".data.params", plan.param_bytes.size())) return disagree("parameters");
    return has_room(object, run_words_section, sizeof(RunWords)) ? Status(Done{}) : Status(disagree("the run"));
}

}  // namespace lt
