// Waits until every BPF program that is running now has finished. Programs that start later do not matter.
#pragma once

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt {

class RunningPrograms {
  public:
    Status wait();

  private:
    Descriptor inner_, outer_;  // created when first needed
};

}  // namespace lt
