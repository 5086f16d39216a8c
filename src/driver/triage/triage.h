// `lt triage`: what costs this machine's threads time, as a ranked list of suspects.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/cli/command.h"
#include "driver/triage/report.h"
#include "runtime/border/kernel.h"

namespace lt::triage {

constexpr uint64_t usual_duration_ns = 10'000'000'000;

struct Options {
    uint64_t duration_ns = usual_duration_ns;
    bool takes_signals = true;  // SIGINT, SIGTERM and SIGHUP end it early; else `others` do
    bool shows_progress = false;
    bool is_alone = true;  // this process does nothing else, so all of its CPU time is that of triage
    int output = 1;        // if nothing reads from this descriptor any more, it ends
    // Called while these descriptors are readable; true ends it early.
    std::vector<std::pair<int, std::function<bool()>>> others = {};
};

// "10s" as a script's durations are written.
Result<uint64_t> read_duration(const std::string& text);

Result<Report> look(Kernel& kernel, const Options& options);

constexpr int found_status = 3;  // the exit status if there is a suspect

// Those of a command line. An error is in the command line.
Result<Options> read_options(const Command& command);

// To standard output or the file of -o. Returns the exit status.
Result<int> run(const Command& command, Options options);

}  // namespace lt::triage
