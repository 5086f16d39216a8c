// The functions in a program or library and where they lie in the file, which is what a uprobe needs to know.
// The file is not trusted: a damaged one is refused, or answers without what is damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "debug_file.h"
#include "descriptor.h"
#include "runtime/kernel.h"

namespace lt {

class ElfFile {
  public:
    // `shown` is what errors and answers call the file. Only files that this machine can run are taken. Of one in an
    // archive (archive.h) answers name the archive, and offsets count from its beginning.
    static Result<ElfFile> open(const std::string& path, const std::string& shown);

    Result<UserFunction> function(std::string_view name) const;
    // The place of an instruction, named by the function around it ("main+0x4") where there is one.
    Result<UserFunction> at_address(uint64_t address) const;
    // A variable or a function: how many bytes behind the instruction at an offset in the file, and its size.
    Result<UserSymbol> symbol(std::string_view name, uint64_t from) const;
    // Adds the symbols that were taken out of the file (strip), where they are found; see debug_file.h for the
    // arguments.
    void add_debug_symbols(const std::string& path, const DebugPlaces& places);
    bool is_stripped() const { return stripped_; }
    // The file, and the one in which its debug information lies where that is another one.
    std::vector<Elf*> handles() const;
    struct Inside {
        std::string_view symbol;  // of the function, in the file
        uint64_t offset = 0;      // in the function
    };
    // The function around the instruction at an offset in the file; none where no symbol says so. The instruction
    // before is meant where `after` says that this one is returned to.
    std::optional<Inside> name_at_offset(uint64_t offset, bool after) const;
    // As the file itself counts; none where nothing of the file is code there.
    std::optional<uint64_t> address_at_offset(uint64_t offset) const;
    // Sorted, each once.
    std::vector<std::string> functions(std::string_view pattern) const;
    // Symbols whose C++ name matches, with or without its parameters. Sorted, each once.
    std::vector<std::string> cpp_functions(std::string_view pattern) const;
    // A symbol's name in C++ without its parameters; empty: it has none.
    static std::string spoken_name(std::string_view symbol);
    // The USDT markers of the section of notes `.note.stapsdt`.
    std::vector<Marker> markers() const;

  private:
    struct Segment {
        uint64_t offset, address, size;
        bool executable;
    };
    struct Symbol {
        std::string_view name;  // in the file; without its version
        uint64_t address, size;
        int preference;    // among those of one name, the highest is meant
        bool is_resolver;  // of an indirect function: runs once, to pick the function
    };
    ElfFile(Descriptor fd, std::string shown);
    Status read_segments();
    Result<Elf*> begin(const std::string& name);
    void read_symbols();
    void read_table(Elf* elf, uint32_t section_type);
    void sort_symbols();
    Result<uint64_t> file_offset(uint64_t address) const;
    uint64_t data_offset(uint64_t address) const;
    Error no_symbol(std::string_view name) const;

    Descriptor fd_;
    std::vector<uint8_t> memory_;  // of a file in an archive, with
    uint64_t begins_ = 0;          // where it lies there
    std::unique_ptr<Elf, CloseElf> elf_;
    std::vector<OpenElf> others_;  // with more symbols of the same code
    std::string path_;
    std::string attached_;  // the file that the kernel is told
    std::vector<Segment> segments_;
    std::vector<Symbol> symbols_;
    mutable std::vector<uint32_t> by_address_;  // positions in symbols_; made when first asked for
    bool stripped_ = true;                      // has no .symtab
};

// Is it a file that this machine can run or load?
bool is_native_elf(const std::string& path);

}  // namespace lt
