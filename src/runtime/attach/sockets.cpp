// Events of TCP sockets, delivered to a program at the root cgroup.
#include "runtime/attach/way.h"

#include <fcntl.h>

#include <cerrno>

#include "runtime/bpf/program.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

Opened open_sockets(Opening&, const Attachment&, int program) { return one_hook(Descriptor(), Way::sockets, program); }

// Attaches at the root cgroup, next to programs of others.
Result<Descriptor> link_sockets(Hook& hook) {
    const std::string root = cgroup_mount();
    if (root.empty())
        return Error{"no cgroup2 file system is mounted", "mount one: `mount -t cgroup2 none /sys/fs/cgroup`", 0};
    const Descriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) return system_error(root, errno);
    Descriptor link = bpf::link(hook.program, folder.get(), BPF_CGROUP_SOCK_OPS);
    if (!link) return system_error("cannot attach to " + root, errno);
    return link;
}

}  // namespace

extern constinit const WayAttach sockets_way{
    .open = open_sockets, .link = link_sockets, .entry_ns = 100, .return_ns = 100};

}  // namespace lt
