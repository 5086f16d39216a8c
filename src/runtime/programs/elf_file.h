// The functions in a program or library and their offsets in the file, which a uprobe needs. The file is not trusted: a
// damaged one is refused, or its damaged parts are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/os/descriptor.h"
#include "runtime/programs/debug_file.h"
#include "runtime/programs/go_file.h"

namespace lt {

class ElfFile {
  public:
    // `shown` is the file's name in errors and answers. Only takes files that this machine can run. For a file in an
    // archive (archive.h), answers name the archive, and offsets are relative to it.
    static Result<ElfFile> open(const std::string& path, const std::string& shown);

    Result<UserFunction> function(std::string_view name) const;
    // The location of an instruction, named after the function around it ("main+0x4") if there is one.
    Result<UserFunction> at_address(uint64_t address) const;
    // Does an instruction begin at this offset in the file? None if the function around it is not known or cannot be
    // decoded as far as there (elf_ends.cpp).
    std::optional<bool> begins_instruction(uint64_t offset) const;
    // Where calls of a function that begins there begin and end (elf_ends.cpp).
    Result<FunctionEnds> ends(const UserFunction& function, bool exits) const;
    // A variable or a function: its distance in bytes from the instruction at an offset in the file, and its size.
    Result<UserSymbol> symbol(std::string_view name, uint64_t from) const;
    // Adds the symbols that were stripped from the file, if they are found; see debug_file.h for the arguments.
    void add_debug_symbols(const std::string& path, const DebugPlaces& places);
    bool is_stripped() const { return stripped_; }
    // About what its symbols take in memory, with the tables from which they were read and what was unpacked for them.
    size_t table_bytes() const { return table_bytes_; }
    // The file, and the one with its debug information if that is another one.
    std::vector<Elf*> handles() const;
    struct Inside {
        std::string_view symbol;  // of the function, in the file
        uint64_t offset = 0;      // in the function
    };
    // The function around the instruction at an offset in the file; none if no symbol covers it. `after`: the offset is
    // a return address, so the instruction before it counts.
    std::optional<Inside> name_at_offset(uint64_t offset, bool after) const;
    // The variable at so many bytes from the start of a mapping of code, which maps `size` bytes from this offset in
    // the file; it may lie outside of that mapping. None if no variable of known size covers it (elf_variables.cpp).
    std::optional<Inside> variable(uint64_t offset, uint64_t size, int64_t distance) const;
    // The address in the file; none if there is no code of the file at that offset.
    std::optional<uint64_t> address_at_offset(uint64_t offset) const;
    // Sorted, without duplicates.
    std::vector<std::string> functions(std::string_view pattern) const;
    // Symbols whose C++ name matches, with or without its parameters. Sorted, without duplicates.
    std::vector<std::string> cpp_functions(std::string_view pattern) const;
    // A symbol's name in C++ without its parameters; empty if it has none.
    static std::string spoken_name(std::string_view symbol);
    // The USDT markers in the notes of section `.note.stapsdt`.
    std::vector<Marker> markers() const;

  private:
    struct Segment {
        uint64_t offset, address, size;
        bool executable;
    };
    struct Variable {
        uint64_t address, size;
        std::string_view name;  // in the file; without its version
    };
    struct Symbol {
        std::string_view name;  // in the file; without its version
        uint64_t address, size;
        int preference;    // of symbols with the same name, the highest wins
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
    void add_go_symbols();
    void read_variables() const;
    Convention convention(uint64_t address) const;
    std::vector<uint8_t> bytes(uint64_t address, uint64_t size) const;

    Descriptor fd_;
    std::vector<uint8_t> memory_;  // for a file in an archive: its bytes
    uint64_t begins_ = 0;          // its offset in the archive
    std::unique_ptr<Elf, CloseElf> elf_;
    std::vector<OpenElf> others_;  // with more symbols of the same code
    std::string path_;
    std::string attached_;  // the file that the kernel attaches to
    std::vector<Segment> segments_;
    std::vector<Symbol> symbols_;
    size_t table_bytes_ = 0;
    mutable std::optional<std::vector<Variable>> variables_;  // by address; filled on first use
    mutable std::vector<uint32_t> by_address_;                // positions in symbols_; filled on first use
    bool stripped_ = true;                                    // has no .symtab
    std::optional<GoFile> go_;                                // of a Go program
};

// Is it a file that this machine can run or load?
bool is_native_elf(const std::string& path);

}  // namespace lt
