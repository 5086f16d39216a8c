// What the system's own files list: named perf events, and the files that a process has mapped.
#pragma once

#include <string>
#include <vector>

namespace lt {

// What a folder holds, in no order; empty where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

// "SOURCE/EVENT" of all below a folder of event sources, sorted.
std::vector<std::string> source_events(const std::string& folder);

// Those with code, sorted; empty where the process is gone.
std::vector<std::string> mapped_files(int process);

}  // namespace lt
