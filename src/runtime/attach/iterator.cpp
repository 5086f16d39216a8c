// The program writes some bytes for each object (stdlib/bpf/iterator.bpf.c), so a read returns after as many objects as
// fit into the buffer.
#include "runtime/attach/iterator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "runtime/attach/way.h"
#include "runtime/bpf/program.h"
#include "runtime/os/descriptor.h"

namespace lt {

Status read_iterator(int link, const std::function<bool()>& goes_on) {
    const Descriptor file = bpf::run_iterator(link);
    if (!file) return system_error("cannot run the iterator", errno);
    std::array<uint64_t, 64> some{};
    for (;;) {
        const ssize_t n = ::read(file.get(), some.data(), sizeof some);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return system_error("cannot read the iterator", errno);
        if (!goes_on() || n == 0) return Done{};
    }
}

namespace {

Opened open_iterator(Opening& from, const Attachment& a, int program) {
    const auto& [kind, pin] = std::get<IteratorSite>(a.site);
    auto hooks = one_hook(Descriptor(), Way::iterator, program);
    hooks->front().raw_event = kind;
    hooks->front().pin = Pin(pin);
    const bool tasks = kind.starts_with("task");
    hooks->front().process = from.target.bound && tasks ? from.target.process : 0;
    return hooks;
}

Result<Descriptor> link_iterator(Hook& hook) {
    bpf_iter_link_info info{};
    const bool cgroups = hook.raw_event == "cgroup";  // starts at the root cgroup
    if (cgroups) info.cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE;
    if (hook.process != 0) info.task.pid = static_cast<uint32_t>(hook.process);
    const bool asks = cgroups || hook.process != 0;
    Descriptor made = bpf::link_iterator(hook.program, asks ? &info : nullptr);
    if (!made && errno == E2BIG && hook.process != 0)
        return Error{
            fmt::format("before Linux 6.1 an iterator is about all processes: instead of -p, use the predicate "
                        "`/ctx->task->tgid == {}/`",
                        hook.process),
            "", 0};
    if (!made) return system_error("cannot create the iterator", errno);
    if (auto pinned = hook.pin.make(made.get()); !pinned) return pinned.error();
    return made;
}

}  // namespace

extern constinit const WayAttach iterator_way{.open = open_iterator, .link = link_iterator};

}  // namespace lt
