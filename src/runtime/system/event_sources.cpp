#include "runtime/system/event_sources.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/text.h"
#include "runtime/os/mounts.h"

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
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

std::vector<std::string> files_of_all_processes() {
    std::map<std::pair<dev_t, ino_t>, std::string> names_by_file;
    for (const std::string& process : names_in("/proc")) {
        const auto id = parse_number<int>(process);
        if (!id) continue;
        for (const std::string& path : mapped_files(*id)) {
            const std::string there = fmt::format("/proc/{}/root{}", *id, path);
            struct stat seen{}, own{};
            if (::stat(there.c_str(), &seen) != 0) continue;
            const bool same = ::stat(path.c_str(), &own) == 0 && own.st_dev == seen.st_dev && own.st_ino == seen.st_ino;
            std::string& name = names_by_file[{seen.st_dev, seen.st_ino}];
            if (name.empty() || (same && name.starts_with("/proc/"))) name = same ? path : there;
        }
    }
    std::vector<std::string> files;
    for (auto& [file, name] : names_by_file) files.push_back(std::move(name));
    std::ranges::sort(files);
    return files;
}

}  // namespace lt
