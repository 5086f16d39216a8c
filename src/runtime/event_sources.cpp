#include "event_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "mounts.h"

namespace lt {

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        names.push_back(at->path().filename().string());
    return names;
}

// Beside an event may lie files with its scale and its unit.
std::vector<std::string> source_events(const std::string& folder) {
    std::vector<std::string> out;
    for (const std::string& source : names_in(folder)) {
        for (const std::string& event : names_in(fmt::format("{}/{}/events", folder, source))) {
            if (event.find('.') == event.npos) out.push_back(fmt::format("{}/{}", source, event));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

// "55d0-55d1 r-xp 00001000 08:01 1234   /usr/bin/bash"
std::vector<std::string> mapped_files(int process) {
    const Result<std::string> maps = read_text(fmt::format("/proc/{}/maps", process));
    const std::string text = maps ? *maps : "";
    std::vector<std::string> files;
    for (std::string_view line : split(text, '\n')) {
        const size_t rights = line.find(' '), path = line.find('/');
        if (rights == line.npos || path == line.npos || line.substr(rights + 1, 4).find('x') == std::string_view::npos)
            continue;
        if (!line.ends_with(" (deleted)")) files.emplace_back(line.substr(path));
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

}  // namespace lt
