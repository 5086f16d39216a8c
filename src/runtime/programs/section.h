// Sections of an ELF file, and the symbols in its tables.
#pragma once

#include <gelf.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace lt {

struct Section {
    uint64_t address = 0;    // in the program, 0 if it is not loaded
    std::string_view bytes;  // as in the file, compressed or not; valid as long as the Elf is open
};

// No value if the file has no such section, or if the section has no bytes in the file.
std::optional<Section> find_section(Elf* elf, std::string_view name);

// The first section of this type (SHT_SYMTAB ...), and its header; null if there is none.
Elf_Scn* section_of_type(Elf* elf, uint32_t type, GElf_Shdr& header);

// The symbols that are defined and have a name, of .symtab and then of .dynsym. The name is in the file and has no
// version.
void each_symbol(Elf* elf, const std::function<void(std::string_view name, const GElf_Sym& symbol)>& take);

// How many bytes of names are read of a file. In a damaged one they can overlap, and be far more than the file.
class NameBudget {
  public:
    bool takes(std::string_view name) { return (bytes_ += name.size()) <= (size_t{1} << 30); }

  private:
    size_t bytes_ = 0;
};

// "memcpy@@GLIBC_2.14" -> "memcpy"
constexpr std::string_view without_version(std::string_view name) { return name.substr(0, name.find('@')); }

}  // namespace lt
