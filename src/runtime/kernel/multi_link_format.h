// Structures for linking one program to many locations, from newer kernel headers.
#pragma once

#include <cstdint>

#include "runtime/border/plan.h"

namespace lt {

// Attach types from newer headers (include/uapi/linux/bpf.h, enum bpf_attach_type).
constexpr uint32_t attach_uprobe_multi = 48;
constexpr uint32_t attach_kprobe_session = 56;
constexpr uint32_t attach_uprobe_session = 57;

// The part of union bpf_attr for BPF_LINK_CREATE with locations in one file.
struct UprobeMultiLink {
    uint32_t program = 0;
    uint32_t target = 0;
    uint32_t attach_type = 0;
    uint32_t flags = 0;
    uint64_t path = 0;        // of the file
    uint64_t offsets = 0;     // unsigned long[count]
    uint64_t semaphores = 0;  // unsigned long[count]; 0 for locations without one
    uint64_t cookies = 0;     // u64[count]
    uint32_t count = 0;
    uint32_t probe_flags = 0;
    uint32_t process = 0;
    uint32_t unused = 0;
};

// The attach type with which a program of this way is loaded; 0: the one of its section.
uint32_t multi_attach_type(Way way);

}  // namespace lt
