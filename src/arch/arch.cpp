#include "arch/arch.h"

#include <algorithm>
#include <utility>

#include "base/rows.h"

namespace lt::arch {

const Register* find_register(std::string_view name) { return find_row(native.registers, name, &Register::name); }

const Register* find_dwarf_register(unsigned number) {
    const auto has_number = [&](const Register& r) { return std::cmp_equal(r.dwarf, number); };
    const auto row = std::ranges::find_if(native.registers, has_number);
    return row == native.registers.end() ? nullptr : &*row;
}

std::optional<RegisterPart> find_register_part(std::string_view name) {
    constexpr std::array parts{RegisterPart{nullptr, 64, 0}, RegisterPart{nullptr, 32, 0}, RegisterPart{nullptr, 16, 0},
                               RegisterPart{nullptr, 8, 0}, RegisterPart{nullptr, 8, 8}};
    if (name.empty()) return {};
    for (const Register& row : native.registers) {
        const auto found = std::ranges::find(row.parts, name);
        if (found == row.parts.end()) continue;
        RegisterPart part = parts[static_cast<size_t>(found - row.parts.begin())];
        part.whole = &row;
        return part;
    }
    return {};
}

}  // namespace lt::arch
