// Where an argument of a USDT marker is when the marker is reached, as its note says: "-4@%edi", "8@-16(%rbp,%rax,8)",
// "4@$17" (x86-64, AT&T syntax).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// A register: where struct pt_regs keeps it.
struct SavedRegister {
    uint32_t offset = 0;  // bytes; of ah, bh ... one more than that of al, bl
};

struct MarkerArgument {
    enum class Where : uint8_t { constant, in_register, memory, unknown };
    std::string text;  // as in the note
    Where where = Where::unknown;
    uint32_t size = 8;  // bytes
    bool is_signed = false;
    int64_t number = 0;                 // the constant; memory: the displacement
    std::optional<SavedRegister> base;  // also of in_register
    std::optional<SavedRegister> index;
    uint32_t scale = 1;
};

// What cannot be read (floating point, symbols, other registers) is `unknown`.
std::vector<MarkerArgument> marker_arguments(std::string_view note);

}  // namespace lt
