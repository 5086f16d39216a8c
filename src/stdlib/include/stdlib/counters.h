// Events that perf knows by name and that are counted: of the kernel's software and of the processor.
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
    uint64_t every;  // where no count is given
};

std::span<const CounterRow> software_counters();
std::span<const CounterRow> hardware_counters();

// Events of caches by perf's names: "L1-dcache-load-misses", "LLC-loads". The config of PERF_TYPE_HW_CACHE.
std::optional<uint64_t> cache_counter(std::string_view name);

}  // namespace lt
