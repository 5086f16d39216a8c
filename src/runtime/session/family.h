// The processes that --follow follows: programs in the kernel add new ones, this class the existing ones.
#pragma once

#include "base/result.h"

namespace lt {

class ProcessFamily {
  public:
    explicit ProcessFamily(int map) : map_(map) {}  // Plan::family; -1: follows nothing

    // Adds this process and its descendants; call it once the kernel adds new processes itself.
    Status add(int process) const;
    bool lives() const;  // at least one process is left

  private:
    Result<bool> add_children() const;  // of those in the map; true if there were new ones
    int map_;
};

}  // namespace lt
