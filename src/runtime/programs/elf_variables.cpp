// The variables in a program or library: symbols of type STT_OBJECT. Their addresses are as far from the code's as in
// the file, so a mapping of code leads to them, also where the file has no bytes for them (.bss).
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "runtime/programs/elf_file.h"
#include "runtime/programs/section.h"

namespace lt {

Result<UserSymbol> ElfFile::symbol(std::string_view name, uint64_t from) const {
    const auto begin = address_at_offset(from);
    if (!begin) return Error{fmt::format("{}: there is no code at offset {:#x}", path_, from), ""};
    std::optional<UserSymbol> found;
    for (Elf* elf : handles())
        each_symbol(elf, [&](std::string_view known, const GElf_Sym& s) {
            if (!found && known == name && GELF_ST_TYPE(s.st_info) != STT_TLS)
                found = UserSymbol{static_cast<int64_t>(s.st_value - *begin), s.st_size};
        });
    if (found) return *found;
    return Error{fmt::format("{} has no symbol {}", path_, name), no_symbol(name).hint};
}

void ElfFile::read_variables() const {
    variables_.emplace();
    for (Elf* elf : handles())
        each_symbol(elf, [&](std::string_view name, const GElf_Sym& s) {
            if (GELF_ST_TYPE(s.st_info) == STT_OBJECT && s.st_size != 0)
                variables_->push_back({s.st_value, s.st_size, name});
        });
    // of several names, the first one: with the fewest leading underscores, as of functions
    std::ranges::sort(*variables_, {},
                      [](const Variable& v) { return std::tuple(v.address, v.name.find_first_not_of('_'), v.name); });
}

std::optional<ElfFile::Inside> ElfFile::variable(uint64_t offset, uint64_t size, int64_t distance) const {
    const auto in_mapping = [&](const Segment& s) {
        return s.executable && s.offset < offset + size && offset < s.offset + s.size;
    };
    const auto code = std::ranges::find_if(segments_, in_mapping);
    if (code == segments_.end()) return {};
    const uint64_t address = code->address + (offset - code->offset) + static_cast<uint64_t>(distance);
    if (!variables_) read_variables();
    const auto next = std::ranges::upper_bound(*variables_, address, {}, &Variable::address);
    if (next == variables_->begin()) return {};
    const auto found = std::ranges::lower_bound(*variables_, std::prev(next)->address, {}, &Variable::address);
    if (address - found->address >= found->size) return {};
    return Inside{found->name, address - found->address};
}

}  // namespace lt
