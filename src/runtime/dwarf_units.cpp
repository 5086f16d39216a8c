#include "dwarf_units.h"

#include <dwarf.h>

#include <cstdlib>
#include <memory>

namespace lt {
namespace {

using Dies = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

// A unit whose description lies in a file of its own is that.
bool next_unit(Dwarf* dwarf, Dwarf_CU*& at, Dwarf_Die& here, Dwarf_Die& whole) {
    Dwarf_Die split{};
    if (dwarf_get_units(dwarf, at, &at, nullptr, nullptr, &here, &split) != 0) return false;
    whole = dwarf_tag(&here) == DW_TAG_skeleton_unit && dwarf_tag(&split) == DW_TAG_compile_unit ? split : here;
    return true;
}

}  // namespace

// The list of addresses that a file may have of its units is often left out, so all are asked.
bool find_unit(Dwarf* dwarf, uint64_t address, Dwarf_Die& unit) {
    Dwarf_CU* at = nullptr;
    for (Dwarf_Die here{}; next_unit(dwarf, at, here, unit);)
        if (dwarf_haspc(&here, address) == 1 || dwarf_haspc(&unit, address) == 1) return true;
    return false;
}

void each_unit(Dwarf* dwarf, const std::function<bool(Dwarf_Die&)>& visit) {
    Dwarf_CU* at = nullptr;
    for (Dwarf_Die here{}, unit{}; next_unit(dwarf, at, here, unit);)
        if (visit(unit)) return;
}

std::vector<Dwarf_Die> scopes_around(Dwarf_Die& unit, uint64_t address) {
    Dwarf_Die* raw = nullptr;
    const int found = dwarf_getscopes(&unit, address, &raw);
    const Dies scopes(raw, &std::free);
    if (found <= 0) return {};
    Dwarf_Die* chain = nullptr;
    const int count = dwarf_getscopes_die(scopes.get(), &chain);
    const Dies owner(chain, &std::free);
    return count > 0 ? std::vector<Dwarf_Die>(chain, chain + count) : std::vector<Dwarf_Die>{};
}

void each_child(Dwarf_Die& parent, const std::function<bool(Dwarf_Die&)>& visit) {
    Dwarf_Die child{};
    if (dwarf_child(&parent, &child) != 0) return;
    do {
        if (visit(child)) return;
    } while (dwarf_siblingof(&child, &child) == 0);
}

uint64_t entry_of(Dwarf_Die& function) {
    Dwarf_Addr address = 0, base = 0, end = 0;
    if (dwarf_entrypc(&function, &address) == 0) return address;
    return dwarf_ranges(&function, 0, &base, &address, &end) > 0 ? address : 0;
}

std::string name_of(Dwarf_Die& die) {
    const char* name = dwarf_diename(&die);
    return name != nullptr ? name : "";
}

bool attribute(Dwarf_Die& die, unsigned name, Dwarf_Attribute& out) {
    return dwarf_attr_integrate(&die, name, &out) != nullptr;
}

bool flag(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute a{};
    bool set = false;
    return attribute(die, name, a) && dwarf_formflag(&a, &set) == 0 && set;
}

int64_t number_of(Dwarf_Die& die, unsigned name, int64_t otherwise) {
    Dwarf_Attribute a{};
    Dwarf_Word number = 0;  // of forms with a sign it has that
    return attribute(die, name, a) && dwarf_formudata(&a, &number) == 0 ? static_cast<int64_t>(number) : otherwise;
}

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
    Dwarf_Attribute a{};
    return attribute(die, DW_AT_type, a) && dwarf_formref_die(&a, &type) != nullptr;
}

bool bare_type(Dwarf_Die& die, Dwarf_Die& type) {
    Dwarf_Die named{};
    return type_of(die, named) && dwarf_peel_type(&named, &type) == 0;
}

bool is_end_of_path(std::string_view path, std::string_view end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

}  // namespace lt
