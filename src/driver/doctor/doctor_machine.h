// The limits of tracing on this machine besides the features of its kernel: one row each.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Of the names in /proc/kallsyms, so many of them with an address. `restricted` is kernel.kptr_restrict.
Finding addresses_finding(size_t names, size_t shown, std::string_view restricted, bool has_syslog);

}  // namespace lt
