// Asks the kernel for the names of its own code addresses, one by one: a BPF program formats each. For a few addresses
// that is a hundred times faster than /proc/kallsyms, where the kernel formats all its symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/os/descriptor.h"

namespace lt {

struct KernelName {
    std::string function;
    std::string module;             // empty: the kernel itself; "bpf" for programs and their trampolines
    uint64_t offset = 0, size = 0;  // of the address in the function; of the function
};

// The text of the kernel's %pS: "ext4_sync_file+0x1a/0x320 [ext4]"; none: it knows no name, or the text is damaged.
std::optional<KernelName> parse_kernel_name(std::string_view text);

class KernelNames {
  public:
    // None if the kernel does not allow it: before Linux 5.14, or without CAP_BPF and CAP_PERFMON.
    static std::optional<KernelNames> open();
    // None: the kernel knows no name, as for code that kprobes and ftrace have made.
    std::optional<KernelName> at(uint64_t address) const;

  private:
    KernelNames(Descriptor text, Descriptor program) : text_(std::move(text)), program_(std::move(program)) {}

    Descriptor text_, program_;
};

}  // namespace lt
