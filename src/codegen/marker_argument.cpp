#include "codegen/marker_argument.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace lt {
namespace {

// Names of one register by width, and its offset in struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h).
struct RegisterRow {
    std::array<std::string_view, 5> names;  // 64, 32, 16 and 8 bits, and the second byte
    uint32_t offset;
};
constexpr std::array registers{
    RegisterRow{{"rax", "eax", "ax", "al", "ah"}, 80},    RegisterRow{{"rbx", "ebx", "bx", "bl", "bh"}, 40},
    RegisterRow{{"rcx", "ecx", "cx", "cl", "ch"}, 88},    RegisterRow{{"rdx", "edx", "dx", "dl", "dh"}, 96},
    RegisterRow{{"rsi", "esi", "si", "sil", ""}, 104},    RegisterRow{{"rdi", "edi", "di", "dil", ""}, 112},
    RegisterRow{{"rbp", "ebp", "bp", "bpl", ""}, 32},     RegisterRow{{"rsp", "esp", "sp", "spl", ""}, 152},
    RegisterRow{{"r8", "r8d", "r8w", "r8b", ""}, 72},     RegisterRow{{"r9", "r9d", "r9w", "r9b", ""}, 64},
    RegisterRow{{"r10", "r10d", "r10w", "r10b", ""}, 56}, RegisterRow{{"r11", "r11d", "r11w", "r11b", ""}, 48},
    RegisterRow{{"r12", "r12d", "r12w", "r12b", ""}, 24}, RegisterRow{{"r13", "r13d", "r13w", "r13b", ""}, 16},
    RegisterRow{{"r14", "r14d", "r14w", "r14b", ""}, 8},  RegisterRow{{"r15", "r15d", "r15w", "r15b", ""}, 0},
    RegisterRow{{"rip", "eip", "ip", "", ""}, 128},
};
constexpr size_t second_byte = 4;

// "%rdi"
std::optional<SavedRegister> saved_register(std::string_view text) {
    text = trim(text);
    if (text.size() < 2 || text[0] != '%') return {};
    text.remove_prefix(1);
    for (const RegisterRow& row : registers) {
        const auto name = std::find(row.names.begin(), row.names.end(), text);
        if (name == row.names.end()) continue;
        const bool high = static_cast<size_t>(name - row.names.begin()) == second_byte;
        return SavedRegister{row.offset + (high ? 1 : 0)};
    }
    return {};
}

// With a sign, decimal or hexadecimal.
std::optional<int64_t> signed_number(std::string_view text) {
    text = trim(text);
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+')) text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return static_cast<int64_t>(minus ? 0 - value : value);
}

// "-16(%rbp,%rax,8)": an address by displacement, base, index and scale, of which all but one may be missing.
bool read_memory(std::string_view text, MarkerArgument& out) {
    const size_t open = text.find('(');
    if (open == text.npos || !text.ends_with(')')) return false;
    if (open > 0) {
        const auto displacement = signed_number(text.substr(0, open));
        if (!displacement) return false;
        out.number = *displacement;
    }
    const std::vector<std::string_view> parts = split(text.substr(open + 1, text.size() - open - 2), ',');
    if (!parts[0].empty() && !(out.base = saved_register(parts[0]))) return false;
    if (parts.size() > 1 && !(out.index = saved_register(parts[1]))) return false;
    if (parts.size() > 2) {
        const auto scale = signed_number(parts[2]);
        if (!scale) return false;
        out.scale = static_cast<uint32_t>(*scale);
    }
    out.where = MarkerArgument::Where::memory;
    return parts.size() <= 3 && (out.base || out.index);
}

bool read_operand(std::string_view text, MarkerArgument& out) {
    if (text.starts_with('$')) {
        const auto number = signed_number(text.substr(1));
        out.where = MarkerArgument::Where::constant;
        out.number = number.value_or(0);
        return number.has_value();
    }
    if (text.starts_with('%')) {
        out.where = MarkerArgument::Where::in_register;
        out.base = saved_register(text);
        return out.base.has_value();
    }
    return read_memory(text, out);
}

MarkerArgument marker_argument(std::string_view text) {
    MarkerArgument out;
    out.text = text;
    const size_t at = text.find('@');
    const auto size = at == text.npos ? std::nullopt : signed_number(text.substr(0, at));
    if (!size) return out;
    out.is_signed = *size < 0;
    out.size = static_cast<uint32_t>(std::abs(*size));
    const bool sound = out.size == 1 || out.size == 2 || out.size == 4 || out.size == 8;
    if (!sound || !read_operand(text.substr(at + 1), out)) out.where = MarkerArgument::Where::unknown;
    return out;
}

}  // namespace

std::vector<MarkerArgument> marker_arguments(std::string_view note) {
    std::vector<MarkerArgument> out;
    for (std::string_view word : split(note, ' ')) {
        if (!word.empty()) out.push_back(marker_argument(word));
    }
    return out;
}

}  // namespace lt
