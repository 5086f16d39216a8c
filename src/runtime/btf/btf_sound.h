// Validates the type information of an object before libbpf reads it: libbpf follows type ids and name offsets without
// checking them, and a saved plan can contain anything.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace lt {

// Checks an ELF object for BPF: its sections lie inside it, no type id, name offset or length in its .BTF points
// outside of it, no type contains itself, and variables and functions refer to proper types.
Status is_sound_object(std::span<const uint8_t> object);

// The same check for the bytes of a .BTF section alone.
Status is_sound_btf(std::span<const uint8_t> section);

}  // namespace lt
