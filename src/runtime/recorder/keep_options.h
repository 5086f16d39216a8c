// The user's options for the flight recorder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/load/keep_size.h"

namespace lt {

struct KeepOptions {
    uint64_t time_ns = 10'000'000'000;   // how far back; a promise that is measured, and reported
    uint64_t bytes = 0;                  // not 0: this much memory, whatever time that is
    std::string folder = ".";            // where the files go
    uint64_t pause_ns = 10'000'000'000;  // between two snapshots
    uint64_t most_per_hour = 60;
    // For the header of files.
    std::string version;
    std::string script;
    std::vector<std::string> arguments;
};

// "10s", "64MB"
Status read_keep(const std::string& text, KeepOptions& to);

// On this machine. Time becomes memory by an estimate of the rate of records.
KeepSize keep_size(const KeepOptions& options);

}  // namespace lt
