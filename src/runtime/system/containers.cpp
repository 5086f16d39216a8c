#include "runtime/system/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "runtime/os/mounts.h"

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

// systemd writes other bytes than letters, digits and :_. as \xNN in the names of units (systemd.unit(5)).
std::string unescaped(std::string_view unit) {
    std::string out;
    while (!unit.empty()) {
        const bool is_escape = unit.starts_with("\\x") && unit.size() >= 4;
        const auto byte = is_escape ? parse_number<unsigned char>(unit.substr(2, 2), 16) : std::nullopt;
        out += byte ? static_cast<char>(*byte) : unit.front();
        unit.remove_prefix(byte ? 4 : 1);
    }
    return out;
}

// LXC has lxc.payload.NAME, earlier lxc/NAME or lxc.payload/NAME; systemd has a scope of a machine, or the service that
// `machinectl start` starts.
bool has_name_of(const fs::path& folder, const std::string& name) {
    const std::string last = folder.filename(), above = folder.parent_path().filename();
    if (last == name) return above == "lxc" || above == "lxc.payload";
    if (last == "lxc.payload." + name) return true;
    const std::array units{fmt::format("machine-{}.scope", name), fmt::format("systemd-nspawn@{}.service", name)};
    return std::ranges::any_of(units, [&](const std::string& unit) { return last == unit || unescaped(last) == unit; });
}

// Container engines name folders by a container's id, with the engine's name before it and .scope after it.
bool is_of_id(std::string_view folder, const std::string& id) {
    const size_t at = folder.find(id);
    return at != std::string_view::npos && (at == 0 || folder[at - 1] == '-') && !folder.ends_with(".mount") &&
           !folder.starts_with("libpod-conmon-");
}

bool belongs_to(const fs::path& folder, const std::string& name, const std::vector<std::string>& ids) {
    const std::string last = folder.filename();
    return has_name_of(folder, name) || std::ranges::any_of(ids, [&](const auto& id) { return is_of_id(last, id); });
}

}  // namespace

Result<std::string> container_folder(const std::string& name, const ContainerPlaces& places) {
    std::vector<std::string> ids = docker_ids(name, places.docker);
    std::ranges::copy(podman_ids(name, places.podman), std::back_inserter(ids));
    std::erase_if(ids, [](const std::string& id) { return !is_id(id); });
    if (is_id(name)) ids.push_back(name);
    std::vector<std::string> found;
    walk_folders(places.cgroups, [&](const fs::path& folder) {
        if (!belongs_to(folder, name, ids)) return Visit::below;
        found.push_back(folder);
        return Visit::past;
    });
    std::ranges::sort(found);
    if (found.size() == 1) return found.front();
    if (!found.empty())
        return Error{fmt::format("`{}` is more than one container: {}", name, join(found, ", ")),
                     "give one of these: `--cgroup PATH`", 0};
    return Error{fmt::format("there is no running container `{}`", name),
                 "give the name or the id that its tool prints, or its cgroup: --cgroup PATH", 0};
}

}  // namespace lt
