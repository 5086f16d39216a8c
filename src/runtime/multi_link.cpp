#include "multi_link.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace lt {
namespace {

constexpr uint32_t at_return_flag = 1;  // BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN

struct KindRow {
    Way way;
    uint32_t attach_type;
};
constexpr std::array kinds{
    KindRow{Way::kprobe_session, attach_kprobe_session},
    KindRow{Way::kprobe_multi, BPF_TRACE_KPROBE_MULTI},
    KindRow{Way::uprobe_session, attach_uprobe_session},
    KindRow{Way::uprobe_multi, attach_uprobe_multi},
};

struct Cause {
    int code;
    const char* text;
};
constexpr int kernel_not_supported = 524;  // ENOTSUPP, which the kernel lets out without any header naming it
constexpr std::array causes{
    Cause{ESRCH, "the kernel finds no function of this name, or several"},
    Cause{EINVAL, "it is compiled without ftrace (notrace)"},
    Cause{ENOENT, "it is not there"},
    Cause{EPERM, "the kernel does not permit it"},
    Cause{EACCES, "the kernel does not permit it"},
    Cause{EOPNOTSUPP, "the kernel cannot place a probe on its first instruction"},
    Cause{kernel_not_supported, "the kernel cannot place a probe on its first instruction"},
};

uint32_t flags_of(Way way, std::span<const Attachment> places) {
    return !way_row(way).session && places.front().at_return ? at_return_flag : 0;
}

std::vector<uint64_t> cookies_of(std::span<const Attachment> places) {
    std::vector<uint64_t> cookies;
    for (const Attachment& a : places) cookies.push_back(a.cookie);
    return cookies;
}

std::string subject(Way way, std::span<const Attachment> places) {
    const Attachment& first = places.front();
    const std::string& name = way_row(way).user ? first.event : first.function;
    if (places.size() == 1) return fmt::format("{} on {}", way_name(way), name);
    return fmt::format("{} on {} and {} others", way_name(way), name, places.size() - 1);
}

Result<Descriptor> linked(long fd, const std::string& what) {
    if (fd >= 0) return Descriptor(static_cast<int>(fd));
    for (const Cause& cause : causes)
        if (cause.code == errno) return Error{fmt::format("{}: {}", what, cause.text), "", errno};
    return system_error(what, errno);
}

Result<Descriptor> link_functions(Way way, int program, std::span<const Attachment> places) {
    std::vector<const char*> names;
    for (const Attachment& a : places) names.push_back(a.function.c_str());
    const std::vector<uint64_t> cookies = cookies_of(places);
    bpf_attr attr{};
    attr.link_create.prog_fd = static_cast<uint32_t>(program);
    attr.link_create.attach_type = multi_attach_type(way);
    attr.link_create.kprobe_multi.flags = flags_of(way, places);
    attr.link_create.kprobe_multi.cnt = static_cast<uint32_t>(places.size());
    attr.link_create.kprobe_multi.syms = reinterpret_cast<uint64_t>(names.data());
    attr.link_create.kprobe_multi.cookies = reinterpret_cast<uint64_t>(cookies.data());
    return linked(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr), subject(way, places));
}

Result<Descriptor> link_file(Way way, int program, std::span<const Attachment> places) {
    std::vector<unsigned long> offsets;
    for (const Attachment& a : places) offsets.push_back(a.number);
    const std::vector<uint64_t> cookies = cookies_of(places);
    UprobeMultiLink attr;
    attr.program = static_cast<uint32_t>(program);
    attr.attach_type = multi_attach_type(way);
    attr.path = reinterpret_cast<uint64_t>(places.front().function.c_str());
    attr.offsets = reinterpret_cast<uint64_t>(offsets.data());
    attr.cookies = reinterpret_cast<uint64_t>(cookies.data());
    attr.count = static_cast<uint32_t>(places.size());
    attr.probe_flags = flags_of(way, places);
    return linked(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr), subject(way, places));
}

}  // namespace

uint32_t multi_attach_type(Way way) {
    for (const KindRow& row : kinds)
        if (row.way == way) return row.attach_type;
    return 0;
}

Result<Descriptor> link_many(Way way, int program, std::span<const Attachment> places) {
    return way_row(way).user ? link_file(way, program, places) : link_functions(way, program, places);
}

}  // namespace lt
