#include "runtime/system/event_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace lt {

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        names.push_back(at->path().filename().string());
    return names;
}

// Files with an event's scale and unit can be next to it.
std::vector<std::string> source_events(const std::string& folder) {
    std::vector<std::string> out;
    for (const std::string& source : names_in(folder)) {
        for (const std::string& event : names_in(fmt::format("{}/{}/events", folder, source))) {
            if (event.find('.') == event.npos) out.push_back(fmt::format("{}/{}", source, event));
        }
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace lt
