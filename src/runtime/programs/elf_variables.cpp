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
namespace {

// Of the symbols with one name, that of the source file with the code, or else one that all files can use, or else the
// only one. In a table of symbols the local ones of a file come after its name.
class SymbolChoice {
  public:
    SymbolChoice(std::string_view name, uint64_t code) : name_(name), code_(code) {}

    void add(std::string_view name, const GElf_Sym& s) {
        const int type = GELF_ST_TYPE(s.st_info);
        const bool is_local = GELF_ST_BIND(s.st_info) == STB_LOCAL;
        if (type == STT_FILE) file_++;
        if (type == STT_FUNC && is_local && code_ - s.st_value < s.st_size) own_file_ = file_;
        if (type == STT_FILE || type == STT_TLS || name != name_) return;
        (is_local ? locals_ : others_).push_back({s, file_});
    }

    // Null: there is no such symbol, or `several` of which none is preferred.
    const GElf_Sym* best(bool& several) const {
        const auto own = std::ranges::find(locals_, own_file_, &Known::file);
        several = false;
        if (own_file_ != 0 && own != locals_.end()) return &own->symbol;
        if (!others_.empty()) return &others_[0].symbol;
        if (locals_.empty()) return nullptr;
        const auto is_other = [&](const Known& k) { return k.symbol.st_value != locals_[0].symbol.st_value; };
        several = std::ranges::any_of(locals_, is_other);
        return several ? nullptr : &locals_[0].symbol;
    }

  private:
    struct Known {
        GElf_Sym symbol;
        uint32_t file;
    };

    std::string_view name_;
    uint64_t code_;
    uint32_t file_ = 0, own_file_ = 0;  // 0: none
    std::vector<Known> locals_, others_;
};

}  // namespace

Result<UserSymbol> ElfFile::symbol(std::string_view name, uint64_t from) const {
    const auto begin = address_at_offset(from);
    if (!begin) return Error{fmt::format("{}: there is no code at offset {:#x}", path_, from), ""};
    SymbolChoice choice(name, *begin);
    for (Elf* elf : handles())
        each_symbol(elf, [&](std::string_view known, const GElf_Sym& s) { choice.add(known, s); });
    bool several = false;
    if (const GElf_Sym* found = choice.best(several))
        return UserSymbol{static_cast<int64_t>(found->st_value - *begin), found->st_size};
    if (several)
        return Error{fmt::format("{} has several symbols {}, each local to a source file", path_, name),
                     "with debug information, `args.NAME` is that of the probe's own file"};
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
