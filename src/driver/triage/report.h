// The result of triage as a screen of text, or as one object of JSON.
#pragma once

#include <string>
#include <vector>

#include "driver/triage/suspects.h"

namespace lt::triage {

struct Report {
    double seconds = 0;  // that were watched
    uint32_t cpus = 1;
    double cost = 0;     // of the programs in the kernel, as a share of all CPUs while they ran
    double own_cpu = 0;  // seconds of CPU time of lt itself, with the compiler
    std::vector<Suspect> suspects = {};
    std::vector<std::string> missing = {};  // sentences about what could not be seen
};

// On one screen. A machine with too few CPUs has many suspects that had one, which hide the others.
constexpr size_t most_shown = 8, most_of_kind = 3;

std::string text_of(const Report& report, bool all);
std::string json_of(const Report& report);

}  // namespace lt::triage
