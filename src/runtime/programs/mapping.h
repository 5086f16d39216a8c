// A part of a process's memory that maps code of a file.
#pragma once

#include <cstdint>
#include <string>

namespace lt {

// A line of /proc/PID/maps.
struct Mapping {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;  // in the file
    uint64_t inode = 0;   // 0: no file
    std::string device;   // "08:01"
    std::string name;     // the path, or "[vdso]"; may be empty
};

}  // namespace lt
