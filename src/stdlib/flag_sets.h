// Names that the kernel's headers have for arguments of system calls: flags, commands, options. The numbers are those
// of the processor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lt {

// The name of these bits, in the part of a number under the mask.
struct FlagRow {
    uint64_t mask;
    uint64_t bits;
    std::string_view name;
};

struct FlagSet {
    std::string_view name;
    std::span<const FlagRow> rows;

    std::string table() const;  // the table for lt_names() of the BPF library
    uint32_t room() const;      // bytes for the longest text, as lt_names() needs them
};

std::span<const FlagSet> flag_sets();
const FlagSet* find_flag_set(std::string_view name);  // null: not found

}  // namespace lt
