#include "runtime/dwarf/units.h"

#include <dwarf.h>

#include <algorithm>
#include <array>

namespace lt {
namespace {

constexpr int deepest_scope = 128;

bool descend(Dwarf_Die& scope, uint64_t address, int depth, std::vector<Dwarf_Die>& out);

bool descend_to(Dwarf_Die& die, uint64_t address, int depth, std::vector<Dwarf_Die>& out) {
    static constexpr std::array code{DW_TAG_subprogram, DW_TAG_inlined_subroutine, DW_TAG_lexical_block};
    if (holds_functions(die)) return descend(die, address, depth + 1, out);
    if (std::ranges::find(code, dwarf_tag(&die)) == code.end() || dwarf_haspc(&die, address) != 1) return false;
    descend(die, address, depth + 1, out);
    out.push_back(die);
    return true;
}

bool descend(Dwarf_Die& scope, uint64_t address, int depth, std::vector<Dwarf_Die>& out) {
    bool found = false;
    if (depth > deepest_scope) return false;
    each_child(scope, [&](Dwarf_Die& child) {
        found = descend_to(child, address, depth, out);
        return found;
    });
    return found;
}

}  // namespace

bool next_unit(Dwarf* dwarf, Dwarf_CU*& at, Dwarf_Die& here, Dwarf_Die& whole) {
    Dwarf_Die split{};
    if (dwarf_get_units(dwarf, at, &at, nullptr, nullptr, &here, &split) != 0) return false;
    whole = dwarf_tag(&here) == DW_TAG_skeleton_unit && dwarf_tag(&split) == DW_TAG_compile_unit ? split : here;
    return true;
}

// The optional list of unit addresses is often missing, so this asks all units.
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
    std::vector<Dwarf_Die> out;
    if (descend(unit, address, 0, out)) out.push_back(unit);
    return out;
}

void each_child(Dwarf_Die& parent, const std::function<bool(Dwarf_Die&)>& visit) {
    Dwarf_Die child{};
    if (dwarf_child(&parent, &child) != 0) return;
    do {
        if (visit(child)) return;
    } while (dwarf_siblingof(&child, &child) == 0);
}

bool holds_functions(Dwarf_Die& die) {
    static constexpr std::array tags{DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type, DW_TAG_class_type};
    return std::ranges::find(tags, dwarf_tag(&die)) != tags.end();
}

// A description is not linked to the one around it, but lies after its start, and before its next sibling.
std::string scope_of(Dwarf_Die& die) {
    Dwarf_Attribute a{};
    Dwarf_Die inner{}, around{};
    const bool completes = dwarf_attr(&die, DW_AT_specification, &a) != nullptr;
    if (!completes || dwarf_formref_die(&a, &inner) == nullptr) inner = die;
    if (dwarf_diecu(&inner, &around, nullptr, nullptr) == nullptr) return "";
    std::string out;
    for (int depth = 0; depth < deepest_scope; depth++) {
        Dwarf_Die next = around;
        each_child(around, [&](Dwarf_Die& child) {
            const bool is_behind = dwarf_dieoffset(&child) > dwarf_dieoffset(&inner);
            if (!is_behind) next = child;
            return is_behind;
        });
        if (next.addr == around.addr || next.addr == inner.addr) break;
        out += name_of(next) + "::";
        around = next;
    }
    return out;
}

int language_of(Dwarf_Die& die) {
    Dwarf_Die unit{};
    return dwarf_diecu(&die, &unit, nullptr, nullptr) != nullptr ? dwarf_srclang(&unit) : -1;
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
    Dwarf_Word number = 0;  // signed forms are read with their sign
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

// Before DWARF 4 they were counted from the highest bit of the enclosing integer.
int64_t first_bit(Dwarf_Die& member, int64_t size) {
    constexpr int64_t most = int64_t{1} << 33;
    const auto is_known = [](int64_t number) { return number >= 0 && number <= most; };
    const int64_t bit = number_of(member, DW_AT_data_bit_offset, -1), old = number_of(member, DW_AT_bit_offset, -1);
    if (bit >= 0) return is_known(bit) ? bit : -1;
    const int64_t bytes = number_of(member, DW_AT_byte_size, size), bits = number_of(member, DW_AT_bit_size, 0);
    const int64_t begin = number_of(member, DW_AT_data_member_location, 0);
    if (!is_known(old) || !is_known(bytes) || !is_known(bits) || !is_known(begin)) return -1;
    return 8 * (begin + bytes) - old - bits;
}

// libdw's own function for this ends the process if a unit has no line table.
std::string declaring_file(Dwarf_Die& die) {
    Dwarf_Attribute a{};
    Dwarf_Word number = 0;
    Dwarf_Die unit{};
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const bool known = attribute(die, DW_AT_decl_file, a) && dwarf_formudata(&a, &number) == 0 &&
                       dwarf_cu_die(a.cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != nullptr &&
                       dwarf_getsrcfiles(&unit, &files, &count) == 0 && number < count;
    const char* path = known ? dwarf_filesrc(files, number, nullptr, nullptr) : nullptr;
    return path != nullptr ? path : "";
}

bool is_end_of_path(std::string_view path, std::string_view end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

}  // namespace lt
