// Types of BTF as types of the language: integers, enumerations, addresses, structures, arrays. Structures come by name
// and number; their members are asked for apart, since a type may contain addresses of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel.h"
#include "stdlib/types.h"

struct btf;

namespace lt {

// A file of types. `first` and above are a module's own, what is below is the kernel's.
struct TypeFile {
    const btf* types = nullptr;
    uint32_t first = 1;
    std::string module;  // empty: the kernel's
};

// Kind none: void, a function, or what the language cannot hold (a floating-point number, an integer of 16 bytes).
Type language_type(const TypeFile& file, uint32_t id);

// By a name of C: "struct file", "union sigval", "enum pid_type", "size_t", "unsigned int".
std::optional<Type> find_type(const TypeFile& file, std::string_view name);

// Of a struct or union, in its order; those of a member without a name stand in its place.
std::vector<Member> members_of(const TypeFile& file, uint32_t id);

std::vector<Enumerator> enumerators_of(const TypeFile& file, uint32_t id);

std::optional<Constant> find_constant(const TypeFile& file, std::string_view name);

}  // namespace lt
