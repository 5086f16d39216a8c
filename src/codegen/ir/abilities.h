// Properties of the kernel that determine how a program is compiled, in addition to the available attach types.
#pragma once

#include <cstdint>

namespace lt {

struct Abilities {
    bool atomics = true;  // see Feature
    bool loops = true;    // bpf_loop; otherwise loops are inline and run fewer iterations
    bool map_walk = true;
    bool cpu_lookup = true;
    bool function_values = true;
    bool large_keys = true;        // of maps
    bool calls_preempted = false;  // programs at system call tracepoints can be preempted (Linux 7.2)
};

// The limit for an inline loop: the verifier simulates each iteration.
constexpr int64_t most_own_turns = 512;

}  // namespace lt
