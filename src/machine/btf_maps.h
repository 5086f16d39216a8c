// Map definitions in the style of libbpf: variables of section .maps whose struct members carry numbers as the lengths
// of arrays. Reads them from the bytes of section .BTF.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "machine/object.h"

namespace lt::machine {

Result<std::vector<MapDefinition>> read_map_definitions(std::span<const uint8_t> btf_section);

}  // namespace lt::machine
