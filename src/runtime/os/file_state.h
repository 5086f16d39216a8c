// Which file is under a path, and since when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lt {

struct FileState {
    std::string text;     // device, inode, size, and the times of its last changes: other contents have another text
    std::string content;  // the same without the change of its name or rights
    uint64_t inode = 0;
    uint32_t device_major = 0, device_minor = 0;  // major 0: no block device, as of btrfs and overlayfs
    int64_t changed = 0;                          // nanoseconds since 1970
};

// Nothing if there is no file.
std::optional<FileState> file_state(const std::string& path);

}  // namespace lt
