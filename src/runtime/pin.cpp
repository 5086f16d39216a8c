#include "pin.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace lt {
namespace {

Error refused(const std::string& path, int code) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    struct statfs where{};
    if (code == EEXIST)
        return {fmt::format("{} is there already; if the program that made it was killed, rm it", path), "", code};
    if (::statfs(folder.c_str(), &where) == 0 && where.f_type != BPF_FS_MAGIC)
        return {fmt::format("{} is not in a file system of BPF: mount -t bpf none /sys/fs/bpf makes one", path), "",
                code};
    return system_error("cannot pin the iterator at " + path, code);
}

}  // namespace

Status Pin::make(int descriptor) {
    if (!is_wanted()) return Done{};
    if (bpf_obj_pin(descriptor, path_.c_str()) != 0) return refused(path_, errno);
    is_made_ = true;
    return Done{};
}

void Pin::remove() {
    if (is_made_) ::unlink(path_.c_str());
    is_made_ = false;
}

}  // namespace lt
