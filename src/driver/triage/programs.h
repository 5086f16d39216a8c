// The programs that triage runs in the kernel: scripts in lt's own language, from the folder programs. The first one is
// needed, the others fill maps that it reads or have their own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lt::triage {

struct Program {
    std::string_view name;
    std::string_view text;
    std::string_view without;  // what triage cannot see without it
};
std::span<const Program> programs();

// One script of those that are chosen; `listening` are the ports of this machine to which clients connect.
std::string script(const std::vector<bool>& chosen, std::span<const uint16_t> listening);

}  // namespace lt::triage
