#include "budget.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

namespace lt {
namespace {

// What a run costs beside the time that the kernel measures of the program, measuring included. Tracepoints (of system
// calls, with the longer way that these then take), raw tracepoints and uprobes: what an event of bench/load.c adds to
// the CPU time of the traced thread while the kernel measures, less what it has measured; Linux 6.18 in a virtual
// machine, minima. A return of a uprobe has the entry's trap in it where only the return is asked for, and little of it
// in a span: the figure lies between. The others, which that kernel lacks, are estimates: those of the kernel's
// functions from raw tracepoints, which do the least, those of interrupts from uprobes.
struct Dispatch {
    Way way;
    uint64_t entry, at_return;
};
constexpr std::array dispatches{
    Dispatch{Way::run, 0, 0},
    Dispatch{Way::tracepoint, 150, 150},
    Dispatch{Way::raw_tracepoint, 90, 90},
    Dispatch{Way::fentry, 90, 100},
    Dispatch{Way::kprobe_session, 150, 150},
    Dispatch{Way::kprobe_multi, 120, 200},
    Dispatch{Way::kprobe, 150, 250},
    Dispatch{Way::uprobe_session, 550, 550},
    Dispatch{Way::uprobe_multi, 600, 800},
    Dispatch{Way::uprobe, 600, 800},
    Dispatch{Way::walk, 0, 0},
    Dispatch{Way::iterator, 0, 0},
    Dispatch{Way::perf_event, 1000, 1000},
    Dispatch{Way::host, 0, 0},
    Dispatch{Way::breakpoint, 1000, 1000},
    Dispatch{Way::sockets, 100, 100},
    Dispatch{Way::system_call, 150, 150},
};

// So that what is left fits into the room, with a half to spare.
uint64_t next_sampling(const Suspect& suspect, double room_ns) {
    const auto run = static_cast<double>(suspect.cost.run_ns);
    if (room_ns <= 0 || 2 * run / room_ns >= static_cast<double>(most_sampling)) return most_sampling;
    const auto factor = std::max(least_sampling, std::bit_ceil(static_cast<uint64_t>(2 * run / room_ns) + 1));
    return std::min(suspect.one_of * factor, most_sampling);
}

}  // namespace

uint64_t dispatch_ns(Way way, bool at_return) {
    const auto row = std::ranges::find(dispatches, way, &Dispatch::way);
    return row == dispatches.end() ? 0 : at_return ? row->at_return : row->entry;
}

Remedy find_remedy(std::span<const Suspect> suspects, double capacity_ns, double budget) {
    std::vector<size_t> costliest(suspects.size());
    std::iota(costliest.begin(), costliest.end(), size_t{0});
    std::ranges::stable_sort(
        costliest, [&](size_t a, size_t b) { return suspects[a].cost.total_ns() > suspects[b].cost.total_ns(); });
    double total = 0;
    for (const Suspect& each : suspects) total += static_cast<double>(each.cost.total_ns());
    const double allowed = capacity_ns * budget;
    if (suspects.empty() || total <= allowed) return {};
    for (const size_t index : costliest) {
        const Suspect& suspect = suspects[index];
        if (suspect.cost.runs == 0) break;
        if (suspect.can_be_sampled && suspect.one_of < most_sampling) {
            const double room = allowed - (total - static_cast<double>(suspect.cost.run_ns));
            return {Remedy::What::sample, index, next_sampling(suspect, room)};
        }
        if (suspect.can_be_detached) return {Remedy::What::detach, index, suspect.one_of};
    }
    return {Remedy::What::too_late, costliest.front(), 1};
}

}  // namespace lt
