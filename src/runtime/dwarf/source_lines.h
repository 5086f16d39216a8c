// Source lines for code addresses, and the functions that the compiler inlined there, from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Dwarf;
struct Elf;

namespace lt {

// A function that is active at an address.
struct SourceFrame {
    std::string function;  // demangled; may be empty
    std::string place;     // "dir/file.c:12", the current line in it; may be empty
};

class SourceLines {
  public:
    // From the first of these files that has debug information. The files outlive the result.
    static std::optional<SourceLines> open(const std::vector<Elf*>& files);

    // Innermost first: all but the last are inlined. Empty if nothing is known. `address` is as in the file.
    std::vector<SourceFrame> at(uint64_t address) const;

  private:
    struct Close {
        void operator()(Dwarf* dwarf) const;
    };
    explicit SourceLines(Dwarf* dwarf) : dwarf_(dwarf) {}

    std::unique_ptr<Dwarf, Close> dwarf_;
};

}  // namespace lt
