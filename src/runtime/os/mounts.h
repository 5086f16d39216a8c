// The folders of a kernel's file systems, held open by descriptor. So an unmounted file system can be mounted for this
// process alone, and it disappears with it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt {

class Folder {
  public:
    static Result<Folder> open(const std::string& path);

    // The whole text of a file. Works for files whose size is unknown before they are read.
    Result<std::string> read(const std::string& name) const;
    // The names in the subfolder `name`, sorted; empty if it cannot be read.
    std::vector<std::string> list(const std::string& name) const;
    bool has(const std::string& name) const;

  private:
    friend Result<Folder> open_tracefs();
    friend Result<Folder> open_debugfs();
    friend Result<Folder> mount_privately(const char* type);
    explicit Folder(Descriptor fd) : fd_(std::move(fd)) {}
    Descriptor fd_;
};

// A new file system of this type, which only this descriptor leads to; empty, with errno, if the kernel refuses.
Descriptor mount_nowhere(const char* type);

// Where the system has mounted it, or a private mount, which only root can make.
Result<Folder> open_tracefs();
Result<Folder> open_debugfs();

Result<std::string> read_text(const std::string& path);

// The mount point of cgroup2; empty: not mounted.
std::string cgroup_mount();

enum class Visit {
    below,  // also the folders in this one
    past,
    end,
};
// Visits the folders below `top`, without links. One that disappears meanwhile, as cgroups do, does not end the walk.
void walk_folders(const std::string& top, const std::function<Visit(const std::filesystem::path&)>& visit);

}  // namespace lt
