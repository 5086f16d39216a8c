// The common part of kernel functions, source lines and BPF programs.
#pragma once

#include <string>
#include <vector>

#include "codegen/providers/shared/listing.h"
#include "codegen/providers/shared/search.h"

namespace lt {

// The traceable functions among these names: one program each, or one for all.
Places matching_functions(const Search& s, const ResolvedPlace& place, std::vector<std::string> names);

// The attach method for an instruction of a kernel function.
std::vector<Rung> instruction_rungs(const Search& s, const std::string& function);

// Source lines of the kernel, the places where a function is inlined, and the functions of a file.
Places kernel_source(const Search& s, const ResolvedPlace& place);

// Functions of loaded BPF programs.
Places bpf_program(const Search& s, const ResolvedPlace& place);
std::vector<Listed> listed_bpf_programs(const ListSearch& s);

}  // namespace lt
