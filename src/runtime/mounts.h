// The folders in which a kernel shows itself, held open by descriptor: so a file system that nobody has mounted can be
// mounted for this process alone and is gone with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "descriptor.h"

namespace lt {

class Folder {
  public:
    static Result<Folder> open(const std::string& path);

    // The whole text of a file. Made for files whose size is not known before they are read.
    Result<std::string> read(const std::string& name) const;
    // The names in the subfolder `name`, sorted; none when it cannot be read.
    std::vector<std::string> list(const std::string& name) const;
    bool has(const std::string& name) const;

  private:
    friend Result<Folder> open_tracefs();
    friend Result<Folder> open_debugfs();
    friend Result<Folder> mount_privately(const char* type);
    explicit Folder(Descriptor fd) : fd_(std::move(fd)) {}
    Descriptor fd_;
};

// Where the system has mounted them, else mounted privately. Only root can do the latter.
Result<Folder> open_tracefs();
Result<Folder> open_debugfs();

Result<std::string> read_text(const std::string& path);

}  // namespace lt
