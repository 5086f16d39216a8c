// Runs triage's programs in the kernel and returns what their maps hold.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/session/session.h"
#include "runtime/values/value.h"

namespace lt::triage {

struct WatchOptions {
    uint64_t duration_ns = 0;
    double budget = 0.01;  // of all CPUs' time during the duration; when it is used up, watching ends early
    std::span<const uint16_t> listening = {};
    int output = 1;  // if nothing reads from this descriptor any more, watching ends
    bool takes_signals = true;
    std::vector<std::pair<int, std::function<bool()>>> others = {};  // as of Options
};

struct Watched {
    std::map<std::string, std::vector<MapEntry>, std::less<>> maps;  // by name, "@cpu"
    uint64_t watched_ns = 0;
    double cost = 0;  // of the programs, as a share of all CPUs' time while they ran
    bool budget_used_up = false;
    std::vector<std::string> missing;  // sentences: what could not be seen, and why
};

// Sentences about what the programs did not count. `hidden_before`: context switches that the kernel did not report
// before the programs began to count. `skipped`: events.
std::vector<std::string> uncounted(const std::vector<Loss>& losses, uint64_t hidden_before, uint64_t skipped);

// `begun` is called when everything is attached.
Result<Watched> watch(Kernel& kernel, const WatchOptions& options, const std::function<void()>& begun);

}  // namespace lt::triage
