// The processes that --follow follows: programs in the kernel add those that are started, this the ones that are there.
#pragma once

#include "base/result.h"

namespace lt {

class Family {
  public:
    explicit Family(int map) : map_(map) {}  // Plan::family; -1: nobody is followed

    // This process and all that it has started, once the kernel adds what is started from now on.
    Status add(int process) const;
    bool lives() const;  // is anybody left?

  private:
    Result<bool> add_children() const;  // of those in the map: were there any new ones?
    int map_;
};

}  // namespace lt
