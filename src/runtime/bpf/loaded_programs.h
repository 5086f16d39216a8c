// The BPF programs that are loaded in the kernel, whoever has loaded them. Needs root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/os/descriptor.h"

namespace lt::bpf {

struct LoadedProgram {
    uint32_t id = 0;
    std::string name;                 // at most 15 bytes of it
    uint32_t types = 0;               // the id of its type information (BTF); 0: it has none
    std::vector<uint32_t> functions;  // the type ids of the program and of its subprograms there
};

// In the order of their ids.
std::vector<LoadedProgram> loaded_programs();

// Empty if there is no such program any more.
Descriptor open_program(uint32_t id);

}  // namespace lt::bpf
