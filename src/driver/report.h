// What lt says about a run besides its results: losses, costs, times. All of it goes to standard error.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
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

struct Telling {
    bool stats = false;       // also what every run has
    std::string source = {};  // the program's name, for places in it
};

// None where it is not told: what every run has only stands in --stats.
std::optional<LossFact> loss_fact(const Plan& plan, const Loss& loss, const Telling& how);

bool is_of_span(LossKind kind);  // the subject of such a loss is a span

MissedFact missed_fact(const Plan& plan, const Missed& missed);

// What became of a span.
AccountFact account_fact(const Plan& plan, uint32_t span, const Session::Account& account,
                         const std::vector<Loss>& losses);
std::string account_text(const AccountFact& account);

// What a run missed and lost, and with `stats` what it cost: to standard error, and to the printer for those who read
// its output by program. `messages` stands for standard error.
void tell_end(const Plan& plan, const Session& session, Printer& printer, const Telling& how,
              std::FILE* messages = stderr);
// That tracing costs more than it may, when it happens.
void tell_overhead(const OverheadNews& news, Printer& printer, std::FILE* messages);
void tell_times(std::span<const Timing> timings);

// --attach-with: all other ways are ruled out. False, with a diagnostic, for a name that is no way.
bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags);
// --no-feature: the ways that need one of these are ruled out.
bool rule_out_features(const std::vector<std::string>& names, ResolveOptions& options, Diags& diags);

}  // namespace lt
