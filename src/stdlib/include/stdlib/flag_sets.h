// Names that the kernel's headers have for arguments of system calls: flags, commands, options. The numbers are those
// of x86-64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lt {

// The name of these bits in what the mask leaves of a number.
struct FlagRow {
    uint32_t mask;
    uint32_t bits;
    std::string_view name;
};

struct FlagSet {
    std::string_view name;
    std::span<const FlagRow> rows;

    std::string table() const;  // as lt_names() of the library in BPF C takes it
    uint32_t room() const;      // bytes for any text, as lt_names() wants them
};

std::span<const FlagSet> flag_sets();
const FlagSet* find_flag_set(std::string_view name);  // null: there is none

}  // namespace lt
