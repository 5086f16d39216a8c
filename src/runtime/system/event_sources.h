// Named perf events, from the folders of their sources.
#pragma once

#include <string>
#include <vector>

namespace lt {

// The names in a folder, unordered; empty if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

// "SOURCE/EVENT" for everything below a folder of event sources, sorted.
std::vector<std::string> source_events(const std::string& folder);

}  // namespace lt
