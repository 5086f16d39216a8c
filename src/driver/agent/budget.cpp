#include "driver/agent/budget.h"

#include <algorithm>
#include <limits>

namespace lt::agent {

double SharedBudget::allowance(const std::string& script, double share) {
    shares_[script] = share;
    const double others = total() - share;
    const bool is_costliest = std::ranges::none_of(shares_, [&](const auto& other) { return other.second > share; });
    if (others + share > budget_ && !is_costliest) return std::numeric_limits<double>::infinity();
    return std::max(budget_ - others, 0.0);
}

double SharedBudget::share(const std::string& script) const {
    const auto found = shares_.find(script);
    return found == shares_.end() ? 0 : found->second;
}

double SharedBudget::total() const {
    double out = 0;
    for (const auto& [script, share] : shares_) out += share;
    return out;
}

}  // namespace lt::agent
