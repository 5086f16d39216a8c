#include "source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <cstdlib>
#include <span>

#include "demangle.h"

namespace lt {
namespace {

using Dies = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

std::string place_text(const char* file, int line) {
    return file != nullptr && line > 0 ? fmt::format("{}:{}", file, line) : "";
}

std::string name_of(Dwarf_Die* die) {
    Dwarf_Attribute attribute{};
    const char* linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (linkage != nullptr) return demangle(linkage);
    const char* name = dwarf_diename(die);
    return name != nullptr ? name : "";
}

int64_t number_in(Dwarf_Die* die, unsigned name) {
    Dwarf_Attribute attribute{};
    Dwarf_Word number = 0;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &number) == 0 ? static_cast<int64_t>(number) : -1;
}

// From where an inlined function is called.
std::string call_place(Dwarf_Die* unit, Dwarf_Die* inlined) {
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const int64_t file = number_in(inlined, DW_AT_call_file);
    const int64_t line = number_in(inlined, DW_AT_call_line);
    if (file < 0 || dwarf_getsrcfiles(unit, &files, &count) != 0 || static_cast<size_t>(file) >= count) return "";
    return place_text(dwarf_filesrc(files, static_cast<size_t>(file), nullptr, nullptr), static_cast<int>(line));
}

// The unit of compilation that an address is in. The list of addresses that a file may have of its units is often left
// out, so all are asked.
bool find_unit(Dwarf* dwarf, uint64_t address, Dwarf_Die& unit) {
    Dwarf_CU* at = nullptr;
    Dwarf_Die die{}, split{};
    while (dwarf_get_units(dwarf, at, &at, nullptr, nullptr, &die, &split) == 0) {
        unit = dwarf_tag(&die) == DW_TAG_skeleton_unit && dwarf_tag(&split) == DW_TAG_compile_unit ? split : die;
        if (dwarf_haspc(&die, address) == 1 || dwarf_haspc(&unit, address) == 1) return true;
    }
    return false;
}

// The blocks and functions around an address, innermost first, as they lie in each other there.
std::span<Dwarf_Die> scopes_around(Dwarf_Die& unit, uint64_t address, Dies& owner) {
    Dwarf_Die* raw = nullptr;
    const int found = dwarf_getscopes(&unit, address, &raw);
    const Dies scopes(raw, &std::free);
    if (found <= 0) return {};
    Dwarf_Die* chain = nullptr;
    const int count = dwarf_getscopes_die(scopes.get(), &chain);
    owner.reset(chain);
    return {chain, static_cast<size_t>(count > 0 ? count : 0)};
}

}  // namespace

void SourceLines::Close::operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }

std::optional<SourceLines> SourceLines::open(const std::vector<Elf*>& files) {
    for (Elf* file : files) {
        Dwarf* dwarf = dwarf_begin_elf(file, DWARF_C_READ, nullptr);
        Dwarf_CU* unit = nullptr;
        if (dwarf == nullptr) continue;
        SourceLines lines(dwarf);
        if (dwarf_get_units(dwarf, nullptr, &unit, nullptr, nullptr, nullptr, nullptr) == 0) return lines;
    }
    return {};
}

std::vector<SourceFrame> SourceLines::at(uint64_t address) const {
    Dwarf_Die unit{};
    if (!find_unit(dwarf_.get(), address, unit)) return {};
    Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (line != nullptr) dwarf_lineno(line, &number);
    std::string place = line != nullptr ? place_text(dwarf_linesrc(line, nullptr, nullptr), number) : "";
    std::vector<SourceFrame> frames;
    Dies owner(nullptr, &std::free);
    for (Dwarf_Die& die : scopes_around(unit, address, owner)) {
        const int tag = dwarf_tag(&die);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        frames.push_back({name_of(&die), place});
        if (tag == DW_TAG_subprogram) return frames;
        place = call_place(&unit, &die);
    }
    frames.push_back({"", place});
    return frames;
}

}  // namespace lt
