// Where the symbols are that were taken out of a file: packed into the file itself (mini debug info), or in a file of
// their own, which is found by the build id that both have, or by its name and a sum over its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "descriptor.h"

struct Elf;

namespace lt {

struct CloseElf {
    void operator()(Elf* elf) const;
};

// Folders that are laid out as /usr/lib/debug: .build-id/ab/cdef.debug, and the paths of programs.
struct DebugPlaces {
    std::vector<std::string> roots;  // the folders that a path may be meant in, "" for our own root
    // That are looked through before /usr/lib/debug. A relative one is below the folder of each file that is traced.
    std::vector<std::string> folders = {};
};

// An open ELF file, or one in memory.
struct OpenElf {
    Descriptor fd = Descriptor();
    std::vector<uint8_t> memory = {};
    std::unique_ptr<Elf, CloseElf> elf = nullptr;
};

// libelf's handle of a file, or null. What it gives is a copy, so the file can be cut or written anew
// meanwhile, as by a linker: of a mapped one, which only the debug information of a whole kernel is large enough to be,
// what was cut off ends the process that looks at it.
Elf* begin_elf(int descriptor);

// As hexadecimal digits; empty where there is none.
std::string build_id(Elf* elf);

// The same of a file; where it has none, a sum over its bytes and how many these are.
Result<std::string> build_of(const std::string& path);

// The same out of notes as they lie in memory (/sys/kernel/notes).
std::string build_id_in_notes(std::string_view notes);

// The path below the root (the first one) where distributions install the kernel's debug information. It has to be of
// this very build; `build` empty: that is not known.
Result<std::string> find_kernel_debug_file(const DebugPlaces& places, const std::string& release,
                                           const std::string& build);

// Unpacks the section .gnu_debugdata.
std::optional<OpenElf> mini_debug_info(Elf* elf);

// `path` is that of the file as its process sees it. No value where there is no such file that fits.
std::optional<OpenElf> open_debug_file(Elf* elf, const std::string& path, const DebugPlaces& places);

}  // namespace lt
