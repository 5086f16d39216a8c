// Events that perf counts by name: software events of the kernel, and events of the processor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lt {

struct CounterRow {
    std::string_view name;
    std::string_view alias;  // may be empty
    uint32_t type;           // PERF_TYPE_*
    uint64_t config;
    uint64_t every;  // if no count is given
};

std::span<const CounterRow> software_counters();
std::span<const CounterRow> hardware_counters();

// Cache events by perf's names: "L1-dcache-load-misses", "LLC-loads". Returns the config for PERF_TYPE_HW_CACHE.
std::optional<uint64_t> cache_counter(std::string_view name);

}  // namespace lt
