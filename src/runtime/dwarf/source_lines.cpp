#include "runtime/dwarf/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include "runtime/dwarf/units.h"
#include "runtime/programs/demangle.h"

namespace lt {
namespace {

std::string place_text(const char* file, int line) {
    return file != nullptr && line > 0 ? fmt::format("{}:{}", file, line) : "";
}

std::string shown_name(Dwarf_Die* die) {
    Dwarf_Attribute attribute{};
    const char* linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (linkage != nullptr) return demangle(linkage);
    const char* name = dwarf_diename(die);
    return name != nullptr ? name : "";
}

// The place from which an inlined function is called.
std::string call_place(Dwarf_Die* unit, Dwarf_Die* inlined) {
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const int64_t file = number_of(*inlined, DW_AT_call_file, -1);
    const int64_t line = number_of(*inlined, DW_AT_call_line, -1);
    if (file < 0 || dwarf_getsrcfiles(unit, &files, &count) != 0 || static_cast<size_t>(file) >= count) return "";
    return place_text(dwarf_filesrc(files, static_cast<size_t>(file), nullptr, nullptr), static_cast<int>(line));
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
    for (Dwarf_Die& die : scopes_around(unit, address)) {
        const int tag = dwarf_tag(&die);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        frames.push_back({shown_name(&die), place});
        if (tag == DW_TAG_subprogram) return frames;
        place = call_place(&unit, &die);
    }
    frames.push_back({"", place});
    return frames;
}

}  // namespace lt
