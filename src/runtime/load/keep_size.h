// How much the flight recorder keeps: the sizes of its maps in the object of a script that takes snapshots.
#pragma once

#include <cstdint>

namespace lt {

struct KeepSize {
    uint32_t cpus = 0;
    uint32_t slots = 0;  // of one ring, a power of two; 0: nothing is kept
};

}  // namespace lt
