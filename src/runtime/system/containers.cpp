#include "runtime/system/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "json/json.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

nlohmann::json read_json(const std::string& path) {
    std::ifstream file(path);
    return parse_json(std::string(std::istreambuf_iterator(file), {}));
}

std::vector<std::string> docker_ids(const std::string& name, const std::string& folder) {
    std::vector<std::string> ids;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const nlohmann::json config = read_json(at->path() / "config.v2.json");
        if (config.is_object() && config.value("Name", "") == "/" + name) ids.push_back(at->path().filename());
    }
    return ids;
}

std::vector<std::string> podman_ids(const std::string& name, const std::string& path) {
    std::vector<std::string> ids;
    const nlohmann::json all = read_json(path);
    if (!all.is_array()) return ids;
    for (const nlohmann::json& each : all) {
        if (!each.is_object() || !each.contains("names") || !each["names"].is_array()) continue;
        const auto& names = each["names"];
        if (std::ranges::find(names, nlohmann::json(name)) != names.end()) ids.push_back(each.value("id", ""));
    }
    return ids;
}

constexpr size_t shortest_id = 12;
bool is_id(std::string_view text) {
    return text.size() >= shortest_id && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Folders contain a container's id, with the engine's name before it and .scope after it; LXC and systemd use names.
bool belongs_to(std::string_view folder, const std::string& name, const std::vector<std::string>& ids) {
    if (folder == "lxc.payload." + name || folder == "machine-" + name + ".scope" || folder == "lxc/" + name)
        return true;
    return std::ranges::any_of(ids, [&](const std::string& id) {
        const size_t at = folder.find(id);
        return at != std::string_view::npos && (at == 0 || folder[at - 1] == '-') && !folder.ends_with(".mount") &&
               !folder.starts_with("libpod-conmon-");
    });
}

}  // namespace

Result<std::string> container_folder(const std::string& name, const ContainerPlaces& places) {
    std::vector<std::string> ids = docker_ids(name, places.docker);
    std::ranges::copy(podman_ids(name, places.podman), std::back_inserter(ids));
    std::erase_if(ids, [](const std::string& id) { return !is_id(id); });
    if (is_id(name)) ids.push_back(name);
    std::vector<std::string> found;
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(places.cgroups, error);
         each != fs::recursive_directory_iterator(); each.increment(error)) {
        if (!each->is_directory(error) || !belongs_to(each->path().filename().string(), name, ids)) continue;
        found.push_back(each->path());
        each.disable_recursion_pending();
    }
    if (found.size() == 1) return found.front();
    if (!found.empty())
        return Error{fmt::format("`{}` is more than one container: {}", name, join(found, ", ")),
                     "give one of these: `--cgroup PATH`", 0};
    return Error{fmt::format("there is no running container `{}`", name),
                 "give the name or the id that its tool prints, or its cgroup: --cgroup PATH", 0};
}

}  // namespace lt
