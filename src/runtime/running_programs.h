// Waits until every BPF program that runs now has ended. Those that begin meanwhile do not matter.
#pragma once

#include "base/result.h"
#include "descriptor.h"

namespace lt {

class RunningPrograms {
  public:
    Status wait();

  private:
    Descriptor inner_, outer_;  // made when they are first needed
};

}  // namespace lt
