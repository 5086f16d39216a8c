// The raw tracepoints that show where the time of a thread goes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lt {

enum class WhyDoes : uint8_t {
    switches,    // a thread leaves a CPU and another one gets it
    wakes,       // a thread becomes runnable
    enters,      // an interrupt begins on this CPU
    leaves,      // it ends
    waits_lock,  // this thread begins to wait for a lock of the kernel
    has_lock,    // it has it, or gives up
    reclaims,    // this thread begins to free memory
    reclaimed,
};

struct WhyEvent {
    std::string_view name;
    WhyDoes does;
    bool needed = false;   // without it nothing is known; without the others, causes are coarser
    bool softirq = false;  // which kind of interrupt
};
// In the order in which they are attached: the ends of interrupts come before their beginnings, because otherwise one
// that is under way would seem to begin twice.
std::span<const WhyEvent> why_events();

}  // namespace lt
