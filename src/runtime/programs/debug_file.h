// Finds the symbols that were stripped from a file: packed into the file itself (mini debug info), or in a separate
// file, found by the build id that both have, or by its name and a checksum.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"

struct Elf;

namespace lt {

struct CloseElf {
    void operator()(Elf* elf) const;
};

// Folders with the layout of /usr/lib/debug: .build-id/ab/cdef.debug, and the paths of programs.
struct DebugPlaces {
    std::vector<std::string> roots;  // the roots to which a path can be relative, "" for our own
    // Searched before /usr/lib/debug. A relative one is below the folder of each traced file.
    std::vector<std::string> folders = {};
};

// An open ELF file, or one in memory.
struct OpenElf {
    Descriptor fd = Descriptor();
    std::vector<uint8_t> memory = {};
    std::unique_ptr<Elf, CloseElf> elf = nullptr;
};

// libelf's handle for a file, or null. It reads copies of the parts that are needed, so the file can be truncated or
// rewritten meanwhile, for example by a linker. A file as large as a whole kernel's debug information is mapped, if
// only root or the user who runs lt can write to it; if that is truncated, a read ends the process.
Elf* begin_elf(int descriptor);

// The size of a file that others than root and the user who runs lt can write to; 0 for one that they cannot.
uint64_t foreign_size(int descriptor);

// Are its sections together about as large as the file? libelf copies each that is read: with many that overlap, a
// small file could take all memory.
bool has_sound_sections(Elf* elf, int descriptor);

// Is it larger than 1 GiB and nearly all hole? Any user can make such a file, and reading it takes hours.
bool is_sparse(const struct stat& file);

// As hexadecimal digits; empty if there is none.
std::string build_id(Elf* elf);

// The same for a file; if it has none, a checksum and the file's size.
Result<std::string> build_of(const std::string& path);

// The same from notes as they are in memory (/sys/kernel/notes).
std::string build_id_in_notes(std::string_view notes);

// The path, below the first root, where distributions install the kernel's debug information. It must be of exactly
// this build; an empty `build` means unknown.
Result<std::string> find_kernel_debug_file(const DebugPlaces& places, const std::string& release,
                                           const std::string& build);

// Unpacks the section .gnu_debugdata.
std::optional<OpenElf> mini_debug_info(Elf* elf);

// `path` is that of the file as its process sees it. No value if there is no matching file.
std::optional<OpenElf> open_debug_file(Elf* elf, const std::string& path, const DebugPlaces& places);

}  // namespace lt
