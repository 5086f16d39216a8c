// Links of one program to many places at once. By the system call itself, since the libbpf that is taken knows neither
// these for uprobes nor sessions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "descriptor.h"
#include "runtime/plan.h"

namespace lt {

// Attach types of newer headers (include/uapi/linux/bpf.h, enum bpf_attach_type).
constexpr uint32_t attach_uprobe_multi = 48;
constexpr uint32_t attach_kprobe_session = 56;
constexpr uint32_t attach_uprobe_session = 57;

// The part of union bpf_attr for BPF_LINK_CREATE with places of one file.
struct UprobeMultiLink {
    uint32_t program = 0;
    uint32_t target = 0;
    uint32_t attach_type = 0;
    uint32_t flags = 0;
    uint64_t path = 0;        // of the file
    uint64_t offsets = 0;     // unsigned long[count]
    uint64_t semaphores = 0;  // unsigned long[count]; 0 for places that have none
    uint64_t cookies = 0;     // u64[count]
    uint32_t count = 0;
    uint32_t probe_flags = 0;
    uint32_t process = 0;
    uint32_t unused = 0;
};

// The attach type that a program of this way is loaded with; 0: what its section says.
uint32_t multi_attach_type(Way way);

// All places are of this way and, but in a session, of the same end. The program runs from here on, until the link is
// closed.
// `process`: only in this one; 0: in all.
Result<Descriptor> link_many(Way way, int program, std::span<const Attachment> places, int process = 0);

}  // namespace lt
