// Lines of source for addresses of code, and the functions that the compiler has put into others there, from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Dwarf;
struct Elf;

namespace lt {

// A function that is under way at an address.
struct SourceFrame {
    std::string function;  // demangled; may be empty
    std::string place;     // "dir/file.c:12", where it is just then; may be empty
};

class SourceLines {
  public:
    // Of the first of these files that has debug information. They outlive the answer.
    static std::optional<SourceLines> open(const std::vector<Elf*>& files);

    // Innermost first: all but the last are inlined. Empty where nothing is known. `address` is as the file itself
    // counts.
    std::vector<SourceFrame> at(uint64_t address) const;

  private:
    struct Close {
        void operator()(Dwarf* dwarf) const;
    };
    explicit SourceLines(Dwarf* dwarf) : dwarf_(dwarf) {}

    std::unique_ptr<Dwarf, Close> dwarf_;
};

}  // namespace lt
