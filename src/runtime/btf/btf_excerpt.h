// The few types of the kernel that the CO-RE relocations of an object look for, as BTF of their own. libbpf would copy
// the 5 MB of all types twice and compare all names once for each structure that a program uses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lt {

// Whether an object has such relocations, and libbpf does not have to see all types itself for them.
bool seeks_few_types(std::span<const uint8_t> object);

// `object`: an ELF object for BPF that is_sound_object() accepts; `kernel`: BTF. The result is BTF with each type of
// the name (up to a "___") of one that the object looks for, and with all that its values contain; what a pointer
// points to is void. Empty if it seeks none, or one is not there, because it may be a module's.
std::vector<uint8_t> btf_excerpt(std::span<const uint8_t> object, std::span<const uint8_t> kernel);

}  // namespace lt
