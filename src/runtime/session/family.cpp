#include "runtime/session/family.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "base/text.h"
#include "runtime/bpf/map.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

struct State {
    char letter = 0;  // as in proc(5); Z: exited
    uint32_t parent = 0;
};

// The name in parentheses can contain anything, including parentheses and newlines.
std::optional<State> state_of(const std::string& process) {
    const Result<std::string> text = read_text("/proc/" + process + "/stat");
    if (!text) return std::nullopt;
    const size_t name_end = text->rfind(')');
    State s;
    if (name_end == std::string::npos || std::sscanf(text->c_str() + name_end, ") %c %u", &s.letter, &s.parent) != 2)
        return std::nullopt;
    return s;
}

Status put_in(int map, uint32_t process) {
    const uint32_t one = 1;
    const int code = bpf::update(map, &process, &one);
    return code == 0 ? Status(Done{}) : system_error(fmt::format("cannot follow process {}", process), -code);
}

bool has(int map, uint32_t process) {
    uint32_t value = 0;
    return bpf::lookup(map, &process, &value) == 0;
}

}  // namespace

Status ProcessFamily::add(int process) const {
    if (map_ < 0 || process <= 0) return Done{};
    if (const Status put = put_in(map_, static_cast<uint32_t>(process)); !put) return put;
    // A process that starts another one while this reads the list is seen in the next round.
    for (;;) {
        const Result<bool> any = add_children();
        if (!any) return any.error();
        if (!*any) return Done{};
    }
}

Result<bool> ProcessFamily::add_children() const {
    bool any = false;
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename();
        const auto process = parse_number<uint32_t>(name);
        if (!process || has(map_, *process)) continue;
        const auto state = state_of(name);
        if (!state || !has(map_, state->parent)) continue;
        if (const Status put = put_in(map_, *process); !put) return put.error();
        any = true;
    }
    return any;
}

bool ProcessFamily::lives() const {
    uint32_t key = 0;
    for (const uint32_t* last = nullptr; bpf::next_key(map_, last, &key) == 0; last = &key) {
        const auto state = state_of(std::to_string(key));
        if (state && state->letter != 'Z' && state->letter != 'X') return true;
    }
    return false;
}

}  // namespace lt
