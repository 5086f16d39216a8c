#include "runtime/session/budget.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace lt {
namespace {

// Makes the rest fit into the available time, with half of it to spare.
uint64_t next_sampling(const Suspect& suspect, double room_ns) {
    const auto run = static_cast<double>(suspect.cost.run_ns);
    if (room_ns <= 0 || 2 * run / room_ns >= static_cast<double>(most_sampling)) return most_sampling;
    const auto factor = std::max(least_sampling, std::bit_ceil(static_cast<uint64_t>(2 * run / room_ns) + 1));
    return std::min(suspect.one_of * factor, most_sampling);
}

}  // namespace

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
