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
void tell_stats(const Plan& plan, const Session& session);
void tell_times(std::span<const Timing> timings);

// --attach-with: all other ways are ruled out. False, with a diagnostic, for a name that is no way.
bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags);

}  // namespace lt
