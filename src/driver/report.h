// What lt says about a run besides its results: losses, costs, times. All of it goes to standard error.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "codegen/compile.h"
#include "runtime/session.h"

namespace lt {

struct Timing {
    std::string_view stage;
    std::chrono::nanoseconds spent;
};

// Empty where it is not told: what every run has only stands in --stats.
std::string loss_text(const Plan& plan, const Loss& loss, bool stats);

// What became of a span: opened = closed + open + each loss, and what does not add up.
std::string account_text(const Plan& plan, uint32_t span, const Session::Account& account,
                         const std::vector<Loss>& losses);
void tell_stats(const Plan& plan, const Session& session);
void tell_times(std::span<const Timing> timings);

// --attach-with: all other ways are ruled out. False, with a diagnostic, for a name that is no way.
bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags);

}  // namespace lt
