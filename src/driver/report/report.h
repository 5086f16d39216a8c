// Reports about a run besides its results: losses, costs, times. All of it goes to standard error.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/session/session.h"

namespace lt {

struct Timing {
    std::string_view stage;
    std::chrono::nanoseconds spent;
};

struct ReportOptions {
    bool stats = false;       // also report what every run has
    std::string source = {};  // the script's name, for places in it
};

// None if it is not reported: losses that every run has are only in --stats.
std::optional<LossFact> loss_fact(const Plan& plan, const Loss& loss, const ReportOptions& how);

// A loss in another run's output, without advice; a kind that this lt does not know by its name.
LossFact printed_loss(std::string_view kind, const std::string& subject, uint64_t count);

MissedFact missed_fact(const Plan& plan, const Missed& missed);

// The kind of those that were open when their span was detached. Unlike losses they become fewer: when its thread ends,
// such a span counts as one that died.
constexpr std::string_view abandoned_spans = "abandoned";

// How many of a span were opened, closed and lost.
AccountFact account_fact(const Plan& plan, uint32_t span, const Session::Account& account,
                         const std::vector<Loss>& losses);
std::string account_text(const AccountFact& account);

// Reports what a run missed and lost and, with `stats`, what it cost: to standard error, and to the printer for
// programs that read the output. `messages` replaces standard error.
void report_end(const Plan& plan, const Session& session, Printer& printer, const ReportOptions& how,
                std::FILE* messages = stderr);
// Reports during a run that tracing costs more than allowed, or that its cost is not known.
void report_overhead(const OverheadNews& news, Printer& printer, std::FILE* messages);
void print_times(std::span<const Timing> timings);

}  // namespace lt
