// A Go program's own function table, .gopclntab. The Go runtime needs it, so it stays in stripped files. The file is
// not trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct Elf;

namespace lt {

struct GoFunction {
    std::string_view name;  // in the file
    uint64_t address = 0;
    uint64_t size = 0;      // including the padding after it
    bool assembly = false;  // written in assembly: its arguments are on the stack (ABI0)
};

struct GoFile {
    std::string problem;                // why there are no functions; empty: there are
    std::vector<GoFunction> functions;  // by address

    // The function around an address; nullptr if there is none, as in linked C code.
    const GoFunction* at(uint64_t address) const;
    // Addresses of the functions that grow a goroutine's stack. They return to the beginning of their caller.
    std::vector<uint64_t> stack_growers() const;
};

// No value: the file is not a Go program.
std::optional<GoFile> read_go_file(Elf* elf);

}  // namespace lt
