// Work that takes the kernel long, begun while a plan is still being compiled, or before its object is loaded.
#pragma once

#include <optional>

#include "runtime/border/plan.h"
#include "runtime/early/early_uprobe.h"
#include "runtime/load/early_maps.h"

namespace lt {

class Early {
  public:
    // Of the plan its maps and probes must be complete; it is not used later.
    explicit Early(const Plan& plan);

    EarlyMaps* maps() { return maps_ ? &*maps_ : nullptr; }  // null: there are none
    void loaded();                                           // closes those that the object has not taken
    void attached();                                         // the plan's probes are in place, or will not be

  private:
    std::optional<EarlyMaps> maps_;
    std::optional<EarlyUprobe> uprobe_;
};

}  // namespace lt
