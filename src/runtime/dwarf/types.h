// Converts types of programs from debug information (DWARF) to types of the language.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/dwarf/definitions.h"
#include "stdlib/types.h"

namespace lt {

class DwarfTypes {
  public:
    // `module` becomes the module of the types' shapes. The file outlives this.
    DwarfTypes(Dwarf* dwarf, std::string module) : dwarf_(dwarf), module_(std::move(module)), definitions_(dwarf) {}

    // Of kind none if no BPF program could read it: floating point, wider than 8 bytes, a function.
    Type type(Dwarf_Die die);
    // As in C.
    std::string spelling(Dwarf_Die die) const;
    // The structure, union, class, enumeration or typedef of this name: "struct x", "x_t". That of `own` is preferred,
    // a unit, if any.
    std::optional<Type> named(std::string_view name, Dwarf_Die* own = nullptr);

    // `number` is that in the shape of a structure or an enumeration.
    const std::vector<Member>& members(uint32_t number);
    std::vector<Enumerator> enumerators(uint32_t number);

  private:
    using Identity = std::tuple<int, std::string, int64_t, int64_t>;

    std::optional<Type> find(std::string_view name, Dwarf_Die* own);
    Type followed(Dwarf_Die die, int depth);
    Type base(Dwarf_Die& die) const;
    Type structure(Dwarf_Die& die, std::string_view renamed);
    Type enumeration(Dwarf_Die& die, std::string_view renamed);
    Type array(Dwarf_Die& die, int depth);
    Shape shape(Dwarf_Die& die, std::string_view renamed);
    uint32_t number(Dwarf_Die& die);
    const std::string& place_of(uint32_t number);
    void add_members(Dwarf_Die& die, uint32_t base, int depth, std::vector<Member>& out);
    void add_member(Dwarf_Die& die, uint32_t base, int depth, std::vector<Member>& out);

    Dwarf* dwarf_;
    std::string module_;
    TypeDefinitions definitions_;
    std::vector<Dwarf_Die> dies_;                   // by number minus 1
    std::map<const void*, uint32_t> numbers_;       // by the address of the die
    std::multimap<Identity, uint32_t> identities_;  // of those with a name and a line
    std::map<uint32_t, std::string> places_;        // of those that look the same
    std::map<uint32_t, std::vector<Member>> members_;
    int visits_ = 0;  // of members of one type: in a damaged file it can have the same part any number of times
    std::map<std::pair<std::string, const void*>, std::optional<Type>> named_;  // with the address of the unit
};

}  // namespace lt
