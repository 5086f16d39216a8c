// Names for addresses of code: of the kernel by its list of symbols, of a process by its mappings and the symbols of
// the files that are mapped. What is read is kept, so that a process can be asked about after it has ended.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf_file.h"
#include "kallsyms.h"

namespace lt {

// Code mapped into a process: a line of /proc/PID/maps.
struct Mapping {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;  // in the file
    uint64_t inode = 0;   // 0: no file
    std::string device;   // "08:01"
    std::string name;     // the path, or "[vdso]"; may be empty
};

std::vector<Mapping> code_mappings(std::string_view maps);

class Symbolizer {
  public:
    // Innermost first: all but the first are addresses to which a call returns.
    std::vector<std::string> kernel(std::span<const uint64_t> addresses);
    std::vector<std::string> process(uint32_t pid, std::span<const uint64_t> addresses);

  private:
    struct Process {
        std::string maps;  // as last read
        std::vector<Mapping> mappings;
    };
    using FileId = std::pair<std::string, uint64_t>;  // device and inode

    Process& refreshed(uint32_t pid);
    std::string user_frame(uint32_t pid, const Process& process, uint64_t address, bool after);
    const ElfFile* file(uint32_t pid, const Mapping& mapping);

    std::optional<Kallsyms> kallsyms_;
    std::map<uint32_t, Process> processes_;
    std::map<FileId, std::optional<ElfFile>> files_;
};

}  // namespace lt
