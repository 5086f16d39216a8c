// Data from system files: named perf events, and the files that a process has mapped.
#pragma once

#include <string>
#include <vector>

namespace lt {

// The names in a folder, unordered; empty if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

// "SOURCE/EVENT" for everything below a folder of event sources, sorted.
std::vector<std::string> source_events(const std::string& folder);

// Files mapped with code, sorted; empty if the process is gone.
std::vector<std::string> mapped_files(int process);
// Of all processes, each file once; a file that only a container sees is named through its process's /proc/PID/root.
std::vector<std::string> files_of_all_processes();

}  // namespace lt
