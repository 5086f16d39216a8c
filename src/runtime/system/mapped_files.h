// Files of a process, as lt reaches them: under a path of its own, below the process's root, or, if they were deleted,
// through the mapping.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/programs/mapping.h"

namespace lt {

struct MappedFile {
    Mapping mapping;      // the first one with code
    std::string path;     // as /proc/PID/maps shows it to lt, without " (deleted)"
    std::string inside;   // the path that the process sees
    std::string through;  // /proc/PID/exe or /proc/PID/map_files/A-B: this very file, whatever its path leads to now
    bool deleted = false;
};

// The files that a process has mapped with code, each once, by address; empty if the process is gone.
std::vector<MappedFile> mapped_code(int process);

// The path under which lt opens this very file; empty: lt may not open it. Without the privilege to compare files, a
// path is taken to lead to it unless it was deleted.
std::string reachable_path(int process, const MappedFile& file);

// reachable_path() of the files that a process has mapped with code, sorted.
std::vector<std::string> mapped_files(int process);
// Of all processes, each file once; one that only a container sees is named through its process's /proc/PID/root.
std::vector<std::string> files_of_all_processes();

bool is_same_file(const std::string& one, const std::string& other);

// A file below the root of a process.
struct FileBelow {
    std::string path;  // under which lt finds it: /proc/PID/root/...
    std::string real;  // that the process sees, without links
};
// Follows links as the process does. The error is that of opening an absolute path.
Result<FileBelow> find_below(int process, const std::string& path);
// A program in the PATH of the process, or a library in its loader's cache or folders.
std::optional<FileBelow> find_binary_below(int process, std::string_view name);

// A path /proc/PID/root/... that leads to the file that the process would find; any other path as it is.
Result<std::string> within_root(const std::string& path);

}  // namespace lt
