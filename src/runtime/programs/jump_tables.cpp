#include "runtime/programs/jump_tables.h"

namespace lt {
namespace {

constexpr unsigned offset_size = 4;
constexpr unsigned pointer_size = 8;
constexpr uint64_t most_entries = 65536;

// The load from the table, whose index has the size of the loaded value. The jump itself may be the load.
std::optional<DataUse> table_load(std::span<const DataUse> recent) {
    for (const DataUse& use : recent) {
        if (use.kind == DataUse::offset && use.scale == offset_size) return use;
        if (use.kind == DataUse::pointer && use.scale == pointer_size) return use;
    }
    return {};
}

}  // namespace

std::vector<uint64_t> table_targets(std::span<const DataUse> recent, std::span<const DataUse> taken,
                                    const std::function<std::optional<uint64_t>(uint64_t, unsigned)>& constant,
                                    const std::function<bool(uint64_t)>& is_inner) {
    const std::optional<DataUse> load = table_load(recent);
    if (!load) return {};
    const bool relative = load->kind == DataUse::offset;
    std::vector<uint64_t> tables;
    if (load->base == 0 && !relative) tables.push_back(load->displacement);
    for (const DataUse& each : taken)
        if (load->base != 0 && each.to == load->base && load->displacement == 0) tables.push_back(each.displacement);
    std::vector<uint64_t> targets;
    for (const uint64_t table : tables)
        for (uint64_t i = 0; i < most_entries; i++) {
            const unsigned size = relative ? offset_size : pointer_size;
            const std::optional<uint64_t> entry = constant(table + i * size, size);
            if (!entry) break;
            const uint64_t target = relative ? table + static_cast<uint64_t>(static_cast<int32_t>(*entry)) : *entry;
            if (!is_inner(target)) break;
            targets.push_back(target);
        }
    return targets;
}

}  // namespace lt
