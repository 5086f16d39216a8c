#include "runtime/dwarf/definitions.h"

#include <dwarf.h>

#include <string_view>

#include "runtime/dwarf/units.h"

namespace lt {
namespace {

constexpr int most_namespaces = 64;
constexpr uint64_t no_namespace = 0xcbf29ce484222325;

// FNV-1a, which is continued from a scope to the names in it.
uint64_t name_key(std::string_view name, uint64_t scope) {
    for (const char c : name) scope = (scope ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return scope;
}

uint64_t scope_key(std::string_view name, uint64_t scope) { return name_key("::", name_key(name, scope)); }

// A class may be declared as a structure; 0 if it is not a type with a definition.
char kind_letter(Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) return 's';
    return tag == DW_TAG_union_type ? 'u' : tag == DW_TAG_enumeration_type ? 'e' : '\0';
}

uint64_t type_key(Dwarf_Die& type, std::string_view name, uint64_t scope) {
    const char kind = kind_letter(type);
    return name_key({&kind, 1}, name_key(name, scope));
}

}  // namespace

bool TypeDefinitions::find(Dwarf_Die& declared, Dwarf_Die& out) {
    const auto [at, is_new] = found_.emplace(declared.addr, declared);
    const std::string name = is_new ? name_of(declared) : "";
    if (!name.empty()) {
        const uint64_t key = type_key(declared, name, name_key(scope_of(declared), no_namespace));
        auto known = all_.find(key);
        while (known == all_.end() && read_unit()) known = all_.find(key);
        if (known != all_.end() && name_of(known->second) == name) at->second = known->second;
    }
    out = at->second;
    return out.addr != declared.addr;
}

bool TypeDefinitions::read_unit() {
    Dwarf_Die here{}, unit{};
    if (dwarf_ == nullptr || !next_unit(dwarf_, last_, here, unit)) {
        dwarf_ = nullptr;
        return false;
    }
    add_scope(unit, no_namespace, 0);
    return true;
}

// Unnamed namespaces are left out: other units cannot declare what is in them.
void TypeDefinitions::add_scope(Dwarf_Die& scope, uint64_t key, int depth) {
    each_child(scope, [&](Dwarf_Die& child) {
        const int tag = dwarf_tag(&child);
        if (kind_letter(child) != '\0') {
            add_type(child, key);
        } else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < most_namespaces) {
            const std::string name = name_of(child);
            if (!name.empty()) add_scope(child, scope_key(name, key), depth + 1);
        }
        return false;
    });
}

void TypeDefinitions::add_type(Dwarf_Die& type, uint64_t scope) {
    const char* name = dwarf_hasattr(&type, DW_AT_declaration) == 0 ? dwarf_diename(&type) : nullptr;
    if (name == nullptr) return;
    if (dwarf_hasattr(&type, DW_AT_specification) != 0) scope = name_key(scope_of(type), no_namespace);
    all_.emplace(type_key(type, name, scope), type);
}

}  // namespace lt
