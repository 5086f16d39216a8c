// BTF types as types of the language: integers, enumerations, addresses, structures, arrays. Structures come by name
// and id; their members are requested separately, because a type can contain pointers to itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/border/kernel.h"
#include "stdlib/types.h"

struct btf;

namespace lt {

// A file of types. Ids from `first` up are a module's own, lower ids are the kernel's.
struct TypeFile {
    const btf* types = nullptr;
    uint32_t first = 1;
    std::string module;  // empty: the kernel's
};

// Is this the name at an offset? It is compared in place: most names differ in the first letters, and to measure each
// takes longer.
bool is_name_at(const btf* types, uint32_t offset, std::string_view name);

// Kind none: void, a function, or a type that the language does not have (floating point, a 16-byte integer).
Type language_type(const TypeFile& file, uint32_t id);

// By C name: "struct file", "union sigval", "enum pid_type", "size_t", "unsigned int".
std::optional<Type> find_type(const TypeFile& file, std::string_view name);

// A struct or union of this file; for a module, the kernel's are not searched.
std::optional<Type> find_own_structure(const TypeFile& file, std::string_view name);

// The members of a struct or union, in order; an unnamed member is replaced by its own members.
std::vector<Member> members_of(const TypeFile& file, uint32_t id);

std::vector<Enumerator> enumerators_of(const TypeFile& file, uint32_t id);

std::optional<Constant> find_constant(const TypeFile& file, std::string_view name);

}  // namespace lt
