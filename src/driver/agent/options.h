// The command line of `lt agent`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/agent/exporter.h"
#include "driver/cli/command.h"
#include "driver/http/address.h"

namespace lt::agent {

struct AgentOptions {
    std::vector<std::string> words;  // files and folders
    ListenAddress listen = {};
    std::optional<std::chrono::nanoseconds> ttl = {};
    double budget = 0.05;       // of all CPUs' time
    bool has_budget = false;    // the user gave it
    size_t most_series = 1000;  // of one metric
    std::optional<int> ready_fd = {};
    std::optional<OtlpOptions> otlp = {};
    std::optional<std::chrono::nanoseconds> late = {};
    bool quiet = false;
};

Result<AgentOptions> agent_options(const Command& command);

// The options that each script gets: without those above, and with the parameters that are its own.
Command for_script(const Command& command, const std::vector<std::string>& own_params);

}  // namespace lt::agent
