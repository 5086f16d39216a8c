#include "runtime/attach/multi_link.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "runtime/kernel/causes.h"
#include "runtime/kernel/multi_link_format.h"

namespace lt {
namespace {

constexpr uint32_t at_return_flag = 1;  // BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN

constexpr std::array of_functions{
    ErrnoCause{ESRCH, "it is compiled without ftrace (notrace), or several functions have its name"},
    ErrnoCause{EINVAL, "it is compiled without ftrace (notrace)"},
    ErrnoCause{ENOENT, "it does not exist"},
    ErrnoCause{EPERM, "the kernel does not permit it"},
    ErrnoCause{EACCES, "the kernel does not permit it"},
    ErrnoCause{EOPNOTSUPP, "the kernel cannot place a probe on its first instruction"},
    ErrnoCause{kernel_not_supported, "the kernel cannot place a probe on its first instruction"},
};

constexpr std::array of_files{
    ErrnoCause{ESRCH, "the process has ended"},
    ErrnoCause{EINVAL, "it is not an address in the code of a regular file"},
    ErrnoCause{ENOENT, "the file does not exist"},
    ErrnoCause{EIO, "the file's file system does not allow uprobes"},
    ErrnoCause{EPERM, "the kernel does not permit it"},
    ErrnoCause{EACCES, "the kernel does not permit it"},
    ErrnoCause{EOPNOTSUPP, "the kernel cannot place a probe on its first instruction"},
    ErrnoCause{kernel_not_supported, "the kernel cannot place a probe on its first instruction"},
};

uint32_t flags_of(Way way, std::span<const Attachment> places) {
    const WayRow& row = way_row(way);
    return !row.session && !row.decoded && places.front().at_return ? at_return_flag : 0;
}

std::vector<uint64_t> cookies_of(std::span<const Attachment> places) {
    std::vector<uint64_t> cookies;
    for (const Attachment& a : places) cookies.push_back(a.cookie);
    return cookies;
}

Result<Descriptor> linked(long fd, std::span<const ErrnoCause> causes) {
    if (fd >= 0) return Descriptor(static_cast<int>(fd));
    if (const ErrnoCause* cause = cause_of(causes, errno)) return Error{cause->text, "", errno};
    return system_error("the kernel refuses the link", errno);
}

Result<Descriptor> link_functions(Way way, int program, std::span<const Attachment> places) {
    std::vector<const char*> names;
    for (const Attachment& a : places) names.push_back(subject(a).c_str());
    const std::vector<uint64_t> cookies = cookies_of(places);
    bpf_attr attr{};
    attr.link_create.prog_fd = static_cast<uint32_t>(program);
    attr.link_create.attach_type = multi_attach_type(way);
    attr.link_create.kprobe_multi.flags = flags_of(way, places);
    attr.link_create.kprobe_multi.cnt = static_cast<uint32_t>(places.size());
    attr.link_create.kprobe_multi.syms = reinterpret_cast<uint64_t>(names.data());
    attr.link_create.kprobe_multi.cookies = reinterpret_cast<uint64_t>(cookies.data());
    return linked(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr), of_functions);
}

Result<Descriptor> link_file(Way way, int program, std::span<const Attachment> places, int process) {
    std::vector<unsigned long> offsets, semaphores;
    for (const Attachment& a : places) {
        const ProgramSite& at = std::get<ProgramSite>(a.site);
        offsets.push_back(at.offset);
        semaphores.push_back(at.semaphore);
    }
    const std::vector<uint64_t> cookies = cookies_of(places);
    UprobeMultiLink attr;
    attr.program = static_cast<uint32_t>(program);
    attr.attach_type = multi_attach_type(way);
    attr.path = reinterpret_cast<uint64_t>(subject(places.front()).c_str());
    attr.offsets = reinterpret_cast<uint64_t>(offsets.data());
    attr.semaphores = reinterpret_cast<uint64_t>(semaphores.data());
    attr.process = static_cast<uint32_t>(process);
    attr.cookies = reinterpret_cast<uint64_t>(cookies.data());
    attr.count = static_cast<uint32_t>(places.size());
    attr.probe_flags = flags_of(way, places);
    return linked(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr), of_files);
}

}  // namespace

Result<Descriptor> link_many(Way way, int program, std::span<const Attachment> places, int process) {
    return way_row(way).user ? link_file(way, program, places, process) : link_functions(way, program, places);
}

}  // namespace lt
