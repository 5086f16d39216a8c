// Metrics about the agent itself and its scripts: losses, accounts of spans, costs, and how its own work goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/agent/budget.h"
#include "driver/agent/script.h"
#include "driver/exposition/metrics.h"
#include "driver/http/server.h"
#include "driver/metrics/family_list.h"
#include "driver/report/report.h"

namespace lt::agent {

// The reaction to the cost of a probe.
struct Saving {
    uint64_t one_of = 1;  // it takes one in so many events
    bool detached = false;
};
using Savings = std::map<std::string, Saving>;  // by probe, as typed

// About one script, with its name in the label `script`. Counters are of its current run.
std::vector<Family> script_facts(const Script& script, const Savings& savings);

// Of a run that has ended: spans that were open then are not seen to close.
void abandon_open_spans(std::vector<Family>& facts);

// Adds the counters of the runs before a reload, and what else their accounts need to add up; the costs only while they
// are measured.
void add_earlier(std::vector<Family>& facts, const std::vector<Family>& before);

// The accounts of a script's spans. What can become smaller is a gauge.
void add_accounts(const std::string& script, const std::vector<AccountFact>& facts, FamilyList& out);

struct AgentFacts {
    std::string version;
    size_t most_series = 0;
    uint64_t reloads = 0, failed_reloads = 0;
    bool last_reload_failed = false;
    std::chrono::system_clock::time_point loaded;                   // the last (re)load that worked
    std::optional<std::chrono::system_clock::time_point> end = {};  // of --ttl
    std::chrono::nanoseconds collecting{};                          // of the last scrape
};
std::vector<Family> agent_facts(const AgentFacts& facts, const SharedBudget* budget, const HttpServer& server);

// Appends the series to the family of the same name and type, or the family if there is no such one.
void add_families(std::vector<Family>& into, std::vector<Family> more);

}  // namespace lt::agent
