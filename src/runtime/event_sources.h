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
// Of all processes, each file once; one that only a process in a container sees is named through its /proc/PID/root.
std::vector<std::string> files_of_all_processes();

}  // namespace lt
