// BPF trampolines: a program is loaded for its function.
#include "runtime/attach/way.h"

#include <cerrno>

#include "runtime/bpf/program.h"

namespace lt {
namespace {

std::string trampoline_cause(int code) {
    switch (code) {
        case EBUSY:
        case EINVAL:
        case EOPNOTSUPP:
        case 524:
            return "the function is compiled without ftrace (notrace)";
        case EPERM:
        case EACCES:
            return "the kernel does not permit it";
    }
    return system_error("fentry", code).what;
}

Opened open_trampoline(Opening&, const Attachment&, int program) {
    return one_hook(Descriptor(), Way::fentry, program);
}

Result<Descriptor> link_trampoline(Hook& hook) {
    Descriptor link = bpf::open_raw_tracepoint(nullptr, hook.program);
    if (link) return link;
    const int code = errno;
    return Error{trampoline_cause(code), "", code};
}

}  // namespace

extern constinit const WayAttach fentry_way{
    .open = open_trampoline, .link = link_trampoline, .entry_ns = 90, .return_ns = 100};

}  // namespace lt
