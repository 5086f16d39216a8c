#include "stdlib/counters.h"

#include <linux/perf_event.h>

#include <array>

namespace lt {
namespace {

constexpr uint32_t software = PERF_TYPE_SOFTWARE, hardware = PERF_TYPE_HARDWARE;

// name, alias, type, config, every
constexpr std::array software_rows{
    CounterRow{"cpu-clock", "cpu", software, PERF_COUNT_SW_CPU_CLOCK, 1000000},
    CounterRow{"task-clock", "", software, PERF_COUNT_SW_TASK_CLOCK, 1000000},
    CounterRow{"page-faults", "faults", software, PERF_COUNT_SW_PAGE_FAULTS, 100},
    CounterRow{"context-switches", "cs", software, PERF_COUNT_SW_CONTEXT_SWITCHES, 1000},
    CounterRow{"cpu-migrations", "migrations", software, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
    CounterRow{"minor-faults", "", software, PERF_COUNT_SW_PAGE_FAULTS_MIN, 100},
    CounterRow{"major-faults", "", software, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
    CounterRow{"alignment-faults", "", software, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1},
    CounterRow{"emulation-faults", "", software, PERF_COUNT_SW_EMULATION_FAULTS, 1},
    CounterRow{"dummy", "", software, PERF_COUNT_SW_DUMMY, 1},
    CounterRow{"bpf-output", "", software, PERF_COUNT_SW_BPF_OUTPUT, 1},
};
constexpr std::array hardware_rows{
    CounterRow{"cpu-cycles", "cycles", hardware, PERF_COUNT_HW_CPU_CYCLES, 1000000},
    CounterRow{"instructions", "", hardware, PERF_COUNT_HW_INSTRUCTIONS, 1000000},
    CounterRow{"cache-references", "", hardware, PERF_COUNT_HW_CACHE_REFERENCES, 1000000},
    CounterRow{"cache-misses", "", hardware, PERF_COUNT_HW_CACHE_MISSES, 1000000},
    CounterRow{"branch-instructions", "branches", hardware, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000},
    CounterRow{"branch-misses", "", hardware, PERF_COUNT_HW_BRANCH_MISSES, 100000},
    CounterRow{"bus-cycles", "", hardware, PERF_COUNT_HW_BUS_CYCLES, 100000},
    CounterRow{"frontend-stalls", "stalled-cycles-frontend", hardware, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 1000000},
    CounterRow{"backend-stalls", "stalled-cycles-backend", hardware, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1000000},
    CounterRow{"ref-cycles", "", hardware, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000},
};

struct CacheRow {
    std::string_view name;
    uint64_t config;
};
constexpr std::array caches{
    CacheRow{"L1-dcache-", PERF_COUNT_HW_CACHE_L1D}, CacheRow{"L1-icache-", PERF_COUNT_HW_CACHE_L1I},
    CacheRow{"LLC-", PERF_COUNT_HW_CACHE_LL},        CacheRow{"dTLB-", PERF_COUNT_HW_CACHE_DTLB},
    CacheRow{"iTLB-", PERF_COUNT_HW_CACHE_ITLB},     CacheRow{"branch-", PERF_COUNT_HW_CACHE_BPU},
    CacheRow{"node-", PERF_COUNT_HW_CACHE_NODE},
};
constexpr uint64_t cache_config(uint64_t operation, uint64_t result) { return operation << 8 | result << 16; }
constexpr std::array cache_operations{
    CacheRow{"loads", cache_config(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    CacheRow{"load-misses", cache_config(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    CacheRow{"stores", cache_config(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    CacheRow{"store-misses", cache_config(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    CacheRow{"prefetches", cache_config(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    CacheRow{"prefetch-misses", cache_config(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS)},
};

}  // namespace

std::span<const CounterRow> software_counters() { return software_rows; }
std::span<const CounterRow> hardware_counters() { return hardware_rows; }

std::optional<uint64_t> cache_counter(std::string_view name) {
    for (const CacheRow& cache : caches) {
        if (!name.starts_with(cache.name)) continue;
        for (const CacheRow& operation : cache_operations) {
            if (name.substr(cache.name.size()) == operation.name) return cache.config | operation.config;
        }
    }
    return {};
}

}  // namespace lt
