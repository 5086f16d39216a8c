// A Kernel whose programs run where the time of threads is accounted already, so that `why` needs no programs that
// follow the scheduler. It implements this beside Kernel.
#pragma once

namespace lt {

class TimeAccounts {
  public:
    virtual ~TimeAccounts() = default;
};

}  // namespace lt
