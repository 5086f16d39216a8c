// Finds a section of an ELF file by its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

struct Elf;

namespace lt {

struct Section {
    uint64_t address = 0;    // in the program, 0 if it is not loaded
    std::string_view bytes;  // as in the file, compressed or not; valid as long as the Elf is open
};

// No value if the file has no such section, or if the section has no bytes in the file.
std::optional<Section> find_section(Elf* elf, std::string_view name);

}  // namespace lt
