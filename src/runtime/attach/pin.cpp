#include "runtime/attach/pin.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/bpf/program.h"

namespace lt {
namespace {

Error refused(const std::string& path, int code) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    struct statfs where{};
    if (code == EEXIST)
        return {fmt::format("{} exists already; if the program that created it was killed, remove it with `rm`", path),
                "", code};
    if (::statfs(folder.c_str(), &where) == 0 && where.f_type != BPF_FS_MAGIC)
        return {fmt::format("{} is not in a BPF file system; to mount one: `mount -t bpf none /sys/fs/bpf`", path), "",
                code};
    return system_error("cannot pin the iterator at " + path, code);
}

}  // namespace

Status Pin::make(int descriptor) {
    if (!is_wanted()) return Done{};
    if (const int code = bpf::pin(descriptor, path_.c_str()); code < 0) return refused(path_, -code);
    is_made_ = true;
    return Done{};
}

void Pin::remove() {
    if (is_made_) ::unlink(path_.c_str());
    is_made_ = false;
}

}  // namespace lt
