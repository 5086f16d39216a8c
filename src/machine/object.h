// The contents of a BPF object file, independent of any kernel: code, functions, maps, data and the references between
// them. CO-RE relocations keep the compiler's values, that is, they fit the types of the object itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/instruction.h"

namespace lt::machine {

using Bytes = std::vector<uint8_t>;

// Instructions [begin, end) of Object::code; section_begin is where instruction 0 of its section is.
struct Function {
    std::string name;
    std::string section;
    size_t begin = 0;
    size_t end = 0;
    size_t section_begin = 0;
};

struct MapDefinition {
    std::string name;
    uint32_t type = 0;  // BPF_MAP_TYPE_*
    uint32_t key_size = 0;
    uint32_t value_size = 0;
    uint32_t max_entries = 0;
    uint32_t flags = 0;
};

struct Variable {
    std::string name;
    size_t offset = 0;
    size_t size = 0;
};

struct DataSection {
    std::string name;
    Bytes bytes;
    bool read_only = false;
    std::vector<Variable> variables;
};

enum class ReferenceKind { map, data, function, absent };

// The wide load at `instruction` yields the address of a map, a byte of a data section, a function, or (weak and
// undefined) null. `index` counts in maps, data or functions.
struct Reference {
    size_t instruction = 0;
    ReferenceKind kind = ReferenceKind::absent;
    size_t index = 0;
    uint64_t offset = 0;
};

struct Object {
    std::vector<Instruction> code;  // of all sections, one after another; calls between functions are relative
    std::vector<Function> functions;
    std::vector<MapDefinition> maps;
    std::vector<DataSection> data;
    std::vector<Reference> references;

    static Result<Object> read(std::span<const uint8_t> elf);

    const Function* function(std::string_view name) const;  // null if there is none
    const Function* function_at(size_t instruction) const;  // the one that begins there
};

}  // namespace lt::machine
