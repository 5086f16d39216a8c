// Reads map definitions in the style of libbpf from the bytes of section .BTF: variables of section .maps whose struct
// members carry numbers as array lengths.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "machine/object.h"

namespace lt::machine {

Result<std::vector<MapDefinition>> read_map_definitions(std::span<const uint8_t> btf_section);

}  // namespace lt::machine
