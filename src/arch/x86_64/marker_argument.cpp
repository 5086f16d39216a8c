#include "arch/marker_argument.h"

#include "arch/arch.h"
#include "base/text.h"

namespace lt {
namespace {

// "%rdi"
std::optional<SavedRegister> saved_register(std::string_view text) {
    text = trim(text);
    if (text.size() < 2 || text[0] != '%') return {};
    text.remove_prefix(1);
    const auto part = arch::find_register_part(text);
    // not flags or segment registers, which have no number in debug information
    if (!part || (part->whole->dwarf < 0 && part->whole->name != arch::native.instruction_pointer.name)) return {};
    return SavedRegister{part->whole->offset + part->shift / 8};
}

// Signed, decimal or hexadecimal.
std::optional<int64_t> signed_number(std::string_view text) {
    text = trim(text);
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+')) text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    const auto value = parse_number<uint64_t>(text, hex ? 16 : 10);
    if (!value) return {};
    return static_cast<int64_t>(minus ? 0 - *value : *value);
}

// "-16(%rbp,%rax,8)": displacement, base, index and scale; at least one of them is present.
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
