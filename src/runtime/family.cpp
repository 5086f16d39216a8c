#include "family.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace lt {
namespace {

struct State {
    char letter = 0;  // as in proc(5): Z has ended
    uint32_t parent = 0;
};

// The name in parentheses may hold anything, parentheses too.
std::optional<State> state_of(const std::string& process) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    const size_t name_end = line.rfind(')');
    State s;
    if (name_end == std::string::npos || std::sscanf(line.c_str() + name_end, ") %c %u", &s.letter, &s.parent) != 2)
        return std::nullopt;
    return s;
}

Status put_in(int map, uint32_t process) {
    const uint32_t one = 1;
    if (bpf_map_update_elem(map, &process, &one, BPF_ANY) == 0) return Done{};
    return system_error(fmt::format("cannot follow process {}", process), errno);
}

bool has(int map, uint32_t process) {
    uint32_t value = 0;
    return bpf_map_lookup_elem(map, &process, &value) == 0;
}

}  // namespace

Status Family::add(int process) const {
    if (map_ < 0 || process <= 0) return Done{};
    if (const Status put = put_in(map_, static_cast<uint32_t>(process)); !put) return put;
    // A process that starts another one while this reads the list is seen the next time.
    for (;;) {
        const Result<bool> any = add_children();
        if (!any) return any.error();
        if (!*any) return Done{};
    }
}

Result<bool> Family::add_children() const {
    bool any = false;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        uint32_t process = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (wrong != std::errc{} || end != name.data() + name.size() || has(map_, process)) continue;
        const auto state = state_of(name);
        if (!state || !has(map_, state->parent)) continue;
        if (const Status put = put_in(map_, process); !put) return put.error();
        any = true;
    }
    return any;
}

bool Family::lives() const {
    uint32_t key = 0;
    for (const uint32_t* last = nullptr; bpf_map_get_next_key(map_, last, &key) == 0; last = &key) {
        const auto state = state_of(std::to_string(key));
        if (state && state->letter != 'Z' && state->letter != 'X') return true;
    }
    return false;
}

}  // namespace lt
