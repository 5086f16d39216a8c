// BPF programs and their links, by descriptor. Functions that return a Descriptor return an empty one if the kernel
// refuses; errno says why.
#pragma once

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/os/descriptor.h"

namespace lt::bpf {

struct ProgramKind {
    bpf_prog_type type;
    uint32_t attach_type = 0;
    uint32_t function_id = 0;  // for trampolines: the function's type id in the kernel's BTF
    uint32_t flags = 0;
};
// With the GPL license. `log` gets the verifier's log, also if it accepts the program.
Descriptor load(const ProgramKind& kind, const char* name, std::span<const bpf_insn> code, std::span<char> log = {});
// Type information (BTF) as bytes, for maps.
Descriptor load_types(std::span<const std::byte> bytes);

// Runs a program once with this context, which it may change. Returns 0 or a negative errno.
int run(int program, std::span<std::byte> context);

// At a raw tracepoint, or with null where the program was loaded for.
Descriptor open_raw_tracepoint(const char* name, int program);
// At a perf event or a cgroup. A cookie needs Linux 5.15; 0: none.
Descriptor link(int program, int target, bpf_attach_type type, uint64_t cookie = 0);
// An iterator, optionally over some objects only; then a descriptor that runs it once when read.
Descriptor link_iterator(int program, const bpf_iter_link_info* only = nullptr);
Descriptor run_iterator(int link);

// Pins a descriptor at a path in a BPF file system. Returns 0 or a negative errno.
int pin(int descriptor, const char* path);

// While this is open, the kernel measures the time of every run of every program. Needs CAP_SYS_ADMIN, or that the
// sysctl kernel.bpf_stats_enabled is 1 (which may then be changed by its owner at any time); otherwise sets errno.
Descriptor measure_runs();
// Does the kernel measure runs now? `measuring` is of measure_runs(), and open.
bool are_runs_measured(const Descriptor& measuring);

}  // namespace lt::bpf
