// Hashes of a plan that are created before its object is loaded. The kernel takes about a microsecond for each key and
// CPU of a per-CPU hash: another thread creates them while the plan is compiled, or while its object is prepared.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"

struct bpf_object;

namespace lt {

class EarlyMaps {
  public:
    // Begins. Of the plan its maps must be complete; it is not used later.
    explicit EarlyMaps(const Plan& plan);

    // Gives those that are ready to the maps of the object that have the same symbol, sizes and flags; libbpf creates
    // the others. After that there are none left for another object.
    void give_to(bpf_object* object);

  private:
    struct Hash {
        std::string symbol;
        uint32_t key_size = 0, value_size = 0, entries = 0;
        Descriptor map = Descriptor();
    };

    std::vector<Hash> hashes_;  // used by the thread until it was joined
    std::jthread thread_;
};

}  // namespace lt
