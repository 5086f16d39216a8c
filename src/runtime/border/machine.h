// The machine around the kernel: files of programs, cgroups, sources of perf events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

class Machine {
  public:
    virtual ~Machine() = default;

    // Does lt run in a nested PID namespace, where PIDs differ from the kernel's own?
    virtual bool renumbers_processes() const = 0;
    // The file for a name: a path, a program found in PATH, or a library (libc, libc.so.6) found in the loader's cache.
    virtual Result<std::string> binary(std::string_view name) = 0;
    // The programs and libraries that match a path pattern, each once; a pattern without a folder searches PATH and the
    // library folders.
    virtual std::vector<std::string> binaries(const std::string& pattern) = 0;
    // The files whose code a process has mapped; 0: any running process.
    virtual std::vector<std::string> mapped_files(int process) = 0;
    // The id of the cgroup with this folder.
    virtual Result<uint64_t> cgroup(const std::string& path) = 0;
    // The text of SOURCE/FILE in the folder of perf event sources: "cpu/type", "cpu/events/cache-misses".
    virtual Result<std::string> event_source(const std::string& file) = 0;
    // "SOURCE/EVENT" of all named events, sorted.
    virtual std::vector<std::string> source_events() = 0;

    // The questions so far: whoever keeps a result has to know whether it still holds.
    struct Asked {
        std::map<std::string, std::string> files = {};   // the answers of binary(), by name
        std::map<std::string, std::string> states = {};  // of these files when they were first named: FileState::text
        bool changing = false;                           // patterns of files, processes, cgroups
    };
    virtual Asked asked() const = 0;
};

}  // namespace lt
