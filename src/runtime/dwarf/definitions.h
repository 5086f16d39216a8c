// Where a file defines the types that other units only declare, by their names and namespaces. Units are read when they
// are needed, each once.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <unordered_map>

namespace lt {

class TypeDefinitions {
  public:
    explicit TypeDefinitions(Dwarf* dwarf) : dwarf_(dwarf) {}

    // Of a structure, union, class or enumeration outside of functions and classes; false if there is none.
    bool find(Dwarf_Die& declared, Dwarf_Die& out);

  private:
    bool read_unit();
    void add_scope(Dwarf_Die& scope, uint64_t key, int depth);
    void add_type(Dwarf_Die& type, uint64_t scope);

    Dwarf* dwarf_;
    Dwarf_CU* last_ = nullptr;                          // that was read
    std::unordered_map<uint64_t, Dwarf_Die> all_;       // the first one of each key
    std::unordered_map<const void*, Dwarf_Die> found_;  // by the declaration's address; or itself if there is none
};

}  // namespace lt
