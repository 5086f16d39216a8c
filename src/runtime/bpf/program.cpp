#include "runtime/bpf/program.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace lt::bpf {

Descriptor load(const ProgramKind& kind, const char* name, std::span<const bpf_insn> code, std::span<char> log) {
    bpf_prog_load_opts options{};
    options.sz = sizeof options;
    options.expected_attach_type = static_cast<bpf_attach_type>(kind.attach_type);
    options.attach_btf_id = kind.function_id;
    options.prog_flags = kind.flags;
    if (!log.empty()) {
        options.log_buf = log.data();
        options.log_size = static_cast<uint32_t>(log.size());
        options.log_level = 1;
    }
    return Descriptor(bpf_prog_load(kind.type, name, "GPL", code.data(), code.size(), &options));
}

Descriptor load_types(std::span<const std::byte> bytes) {
    return Descriptor(bpf_btf_load(bytes.data(), bytes.size(), nullptr));
}

int run(int program, std::span<std::byte> context) {
    bpf_test_run_opts options{};
    options.sz = sizeof options;
    options.ctx_in = context.data();
    options.ctx_size_in = static_cast<uint32_t>(context.size());
    return bpf_prog_test_run_opts(program, &options);
}

Descriptor open_raw_tracepoint(const char* name, int program) {
    return Descriptor(bpf_raw_tracepoint_open(name, program));
}

Descriptor link(int program, int target, bpf_attach_type type, uint64_t cookie) {
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    if (type == BPF_PERF_EVENT) options.perf_event.bpf_cookie = cookie;
    return Descriptor(bpf_link_create(program, target, type, &options));
}

Descriptor link_iterator(int program, const bpf_iter_link_info* only) {
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.iter_info = const_cast<bpf_iter_link_info*>(only);
    options.iter_info_len = only ? sizeof *only : 0;
    return Descriptor(bpf_link_create(program, 0, BPF_TRACE_ITER, &options));
}

Descriptor run_iterator(int link) { return Descriptor(bpf_iter_create(link)); }

int pin(int descriptor, const char* path) { return bpf_obj_pin(descriptor, path); }

// Asking for it needs CAP_SYS_ADMIN. The administrator can do so for everyone: the system call keeps its error if not.
Descriptor measure_runs() {
    Descriptor asking(bpf_enable_stats(BPF_STATS_RUN_TIME));
    if (asking) return asking;
    const int refused = errno;
    Descriptor setting(::open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC));
    char is_on = '0';
    if (setting && ::read(setting.get(), &is_on, 1) == 1 && is_on == '1') return setting;
    errno = refused;
    return Descriptor();
}

// Only the sysctl can be read.
bool are_runs_measured(const Descriptor& measuring) {
    char is_on = '0';
    return ::pread(measuring.get(), &is_on, 1, 0) != 1 || is_on == '1';
}

}  // namespace lt::bpf
