// The limits of tracing on this machine besides the features of its kernel: one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lt {

enum class Health : uint8_t { good, limited, bad };

struct Finding {
    Health health = Health::good;
    std::string text;
    std::string advice = {};  // what to do; empty if all is well
};

struct MachineRow {
    std::string_view name;
    Finding (*look)();
};
std::span<const MachineRow> machine_rows();

}  // namespace lt
