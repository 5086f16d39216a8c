// Names for addresses of code: of the kernel by its list of symbols, of a process by its mappings and the symbols of
// the files that are mapped, or by what its just-in-time compiler tells. What is read is kept, so that a process can be
// asked about after it has ended.
#pragma once

#include <chrono>
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
#include "mapping.h"
#include "perf_map.h"
#include "process_history.h"
#include "runtime/value.h"
#include "source_lines.h"

namespace lt {

// The code that is mapped, by the text of /proc/PID/maps.
std::vector<Mapping> code_mappings(std::string_view maps);

// How functions of programs are shown.
struct SymbolStyle {
    bool source_lines =
        false;             // with lines of source and functions that were inlined, where there is debug information
    bool mangled = false;  // by their symbols, not as their language writes them
    std::vector<std::string> debug_folders = {};  // in which debug files are looked for before /usr/lib/debug
};

class Symbolizer {
  public:
    explicit Symbolizer(SymbolStyle style = {}) : style_(std::move(style)) {}

    // Begins to record what processes map, for those that end before they are asked about.
    void record_processes();
    // May be null.
    ProcessHistory* history() { return history_.get(); }

    // Innermost first: all but the first are addresses to which a call returns.
    std::vector<Frame> kernel(std::span<const uint64_t> addresses);
    std::vector<Frame> process(uint32_t pid, std::span<const uint64_t> addresses);

  private:
    struct Process {
        std::string maps;  // as last read
        std::vector<Mapping> mappings;
        std::optional<PerfMap> compiled;  // just in time, as last read
        std::chrono::steady_clock::time_point compiled_read = {};
    };
    struct File {
        ElfFile elf;
        std::optional<SourceLines> lines;
    };
    using FileId = std::pair<std::string, uint64_t>;  // device and inode

    Process& refreshed(uint32_t pid);
    void recall(uint32_t pid, Process& process);
    std::vector<Mapping> inherited(uint32_t forefather) const;
    void add_user_frames(std::vector<Frame>& frames, uint32_t pid, Process& process, uint64_t address);
    const PerfMap::Function* compiled_at(uint32_t pid, Process& process, uint64_t address);
    const File* file(uint32_t pid, const Mapping& mapping);
    std::optional<File> open_file(uint32_t pid, const std::string& path, const Mapping& mapping) const;
    std::vector<std::string> roots_of(uint32_t pid) const;
    void read_kallsyms();

    SymbolStyle style_;
    std::unique_ptr<ProcessHistory> history_;
    std::optional<Kallsyms> kallsyms_;
    std::chrono::steady_clock::time_point kallsyms_read_ = {};
    std::map<uint32_t, Process> processes_;
    std::map<FileId, std::optional<File>> files_;
};

}  // namespace lt
