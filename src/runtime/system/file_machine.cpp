#include "runtime/system/file_machine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/os/file_state.h"

namespace lt {

Result<uint64_t> FileMachine::cgroup(const std::string& path) {
    asked_.changing = true;
    struct stat about{};
    const std::string full = root_ + path;
    if (::stat(full.c_str(), &about) != 0) return system_error("there is no cgroup `" + path + "`", errno);
    return uint64_t{about.st_ino};
}

// In a tests' folder, programs are in its bin and named as if the folder were the root.
Result<std::string> FileMachine::binary(std::string_view name) {
    if (root_.empty()) {
        Result<std::string> found = find_binary(name);
        if (!found) return found;
        asked_.files.emplace(name, *found);
        if (!asked_.states.contains(*found))
            asked_.states.emplace(*found, file_state(*found).value_or(FileState{}).text);
        return found;
    }
    const std::string path = name.starts_with('/') ? std::string(name) : fmt::format("/bin/{}", name);
    if (::access((root_ + path).c_str(), R_OK) == 0) return path;
    return Error{fmt::format("there is no program or library `{}`", name), ""};
}

}  // namespace lt
