// The location of a USDT marker's argument when the marker is reached, from its note: "-4@%edi", "8@-16(%rbp,%rax,8)",
// "4@$17" on x86-64. The syntax is the assembler's (for x86-64, AT&T).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// A register's offset in struct pt_regs.
struct SavedRegister {
    uint32_t offset = 0;  // in bytes; ah, bh ... are one byte after al, bl
};

struct MarkerArgument {
    enum class Where : uint8_t { constant, in_register, memory, unknown };
    std::string text;  // as in the note
    Where where = Where::unknown;
    uint32_t size = 8;  // bytes
    bool is_signed = false;
    int64_t number = 0;                 // the constant; for memory: the displacement
    std::optional<SavedRegister> base;  // also of in_register
    std::optional<SavedRegister> index;
    uint32_t scale = 1;
};

// Arguments that lt cannot read (floating point, symbols, other registers) are `unknown`.
std::vector<MarkerArgument> marker_arguments(std::string_view note);

}  // namespace lt
