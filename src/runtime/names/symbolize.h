// Names for code addresses: of the kernel by the kernel itself or its symbol list, of a process by its mappings and the
// symbols of the mapped files, or from the list of its just-in-time compiler. All that was read is kept, so that a
// process can be symbolized after it has ended; of the processes, files and lists that were used longest ago, only as
// many as the limits below allow.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/dwarf/source_lines.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/names/kernel_names.h"
#include "runtime/names/process_history.h"
#include "runtime/programs/elf_file.h"
#include "runtime/programs/mapping.h"
#include "runtime/programs/perf_map.h"
#include "runtime/values/value.h"

namespace lt {

// The mappings that hold code, from the text of /proc/PID/maps.
std::vector<Mapping> code_mappings(std::string_view maps);

// A file as mappings show it.
struct MappedIdentity {
    std::string device;
    uint64_t inode = 0;
    std::string name;
    auto operator<=>(const MappedIdentity&) const = default;
};

// How functions of programs are printed.
struct SymbolStyle {
    bool source_lines = false;  // with source lines and inlined functions, if there is debug information
    bool mangled = false;       // by their symbols, not demangled
    std::vector<std::string> debug_folders = {};  // searched for debug files before /usr/lib/debug
};

class Symbolizer {
  public:
    // A list is read again after this time.
    static constexpr std::chrono::milliseconds may_have_changed{100};
    static constexpr size_t most_processes = 4096;
    static constexpr size_t most_mappings = 1 << 20;             // of all processes
    static constexpr size_t most_files = 1024;                   // each is open
    static constexpr size_t most_table_bytes = size_t{4} << 30;  // of the symbols in them
    static constexpr size_t most_lists = 64;                     // of compiled functions
    static constexpr size_t most_list_bytes = 1 << 30;

    explicit Symbolizer(SymbolStyle style = {}) : style_(std::move(style)) {}

    // Starts to record what processes map, for those that end before they are symbolized.
    void record_processes();
    void use(std::unique_ptr<ProcessHistory> history) { history_ = std::move(history); }
    // May be null.
    ProcessHistory* history() { return history_.get(); }

    // Innermost first: all but the first are return addresses. Those of a process were taken at `time`, in nanoseconds
    // by the monotonic clock: if it has called exec since then, they belong to the program before.
    std::vector<Frame> kernel(std::span<const uint64_t> addresses);
    static constexpr uint64_t just_now = UINT64_MAX;
    std::vector<Frame> process(uint32_t pid, std::span<const uint64_t> addresses, uint64_t time = just_now);
    // Another number whenever the process's list of functions that were compiled just in time has changed; 0: none
    // read.
    uint64_t compiled_version(uint32_t pid);
    // In the form of the kernel's %pS: "vfs_read+0x1a/0x320 [module]"; empty if unknown.
    std::string kernel_offset(uint64_t address);

    // How many it keeps.
    size_t processes() const { return processes_.size(); }
    size_t files() const { return files_.size(); }

  private:
    struct Program {
        uint64_t began = 0;  // as in RecordedProgram
        std::vector<Mapping> mappings;
    };
    struct Identified {
        std::string content;  // of FileState
        std::chrono::steady_clock::time_point checked;
    };
    struct Process {
        uint64_t used = 0;     // the turn
        size_t maps_hash = 0;  // of the text as last read
        uint64_t read = 0;     // nanoseconds by the monotonic clock
        Program program;
        Program previous;  // before its exec
        std::map<MappedIdentity, Identified> files;
        std::string identity;             // of the process and its program, as last read
        std::optional<PerfMap> compiled;  // compiled just in time, as last read
        std::string compiled_state;       // of that list, see perf_map_state()
        uint64_t compiled_version = 0;    // another number for each list
        std::chrono::steady_clock::time_point compiled_read = {};
    };
    struct File {
        ElfFile elf;
        std::optional<SourceLines> lines;
    };
    struct Opened {
        std::optional<File> file;  // none: it cannot be read
        MappedIdentity id;         // as it was found last
        uint64_t used = 0;         // the turn
    };

    Process& refreshed(uint32_t pid);
    void limit_processes();
    const Program& program_at(uint32_t pid, Process& process, uint64_t time) const;
    static void forget_unmapped(Process& process);
    void replace(Process& process, const RecordedProcess& recorded) const;
    void add_recorded(Program& program, const RecordedProgram& recorded) const;
    std::vector<Mapping> inherited(uint32_t forefather, uint64_t time) const;
    void name_variable(Frame& frame, uint32_t pid, Process& process, const Program& program);
    void add_user_frames(std::vector<Frame>& frames, uint32_t pid, Process& process, const Program& program,
                         uint64_t address);
    const PerfMap::Function* compiled_at(uint32_t pid, Process& process, uint64_t address);
    void limit_lists();
    const File* use(Opened& opened);
    const File* file(uint32_t pid, Process& process, const Mapping& mapping);
    const File* found_file(uint32_t pid, const std::string& path, const Mapping& mapping, Identified& identified);
    const File* file_of_others(const MappedIdentity& id, Identified& identified);
    std::optional<File> open_file(uint32_t pid, const std::string& path, const Mapping& mapping) const;
    std::vector<std::string> roots_of(uint32_t pid) const;
    std::optional<KernelName> kernel_name(uint64_t address);
    Frame kernel_frame(uint64_t address, bool after);
    void read_kallsyms();
    const Kallsyms& kallsyms(uint64_t address);

    SymbolStyle style_;
    std::unique_ptr<ProcessHistory> history_;
    std::optional<std::optional<KernelNames>> kernel_names_;  // once it was tried
    std::unordered_map<uint64_t, KernelName> kernel_named_;
    std::chrono::steady_clock::time_point kernel_asked_ = {};  // for the first of them
    std::optional<Kallsyms> kallsyms_;
    std::chrono::steady_clock::time_point kallsyms_read_ = {};
    uint64_t turn_ = 0;  // counts uses
    std::map<uint32_t, Process> processes_;
    std::map<std::string, Opened> files_;  // by their content: mappings of two files can have one device and inode
};

}  // namespace lt
