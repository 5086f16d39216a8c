// Whoever puts a uprobe in place, or takes one away, locks out fork() in the whole system, for which the kernel waits
// for a grace period of RCU, 10 to 20 ms; but not if another did so within the last one (dup_mmap_sem in
// kernel/events/uprobes.c, percpu_down_write()). So a uprobe on a file that no process maps is opened while the plan is
// compiled: it changes no memory, and those of the plan need not wait.
#pragma once

#include <semaphore>
#include <thread>

namespace lt {

class EarlyUprobe {
  public:
    EarlyUprobe();  // begins in another thread; what fails there is as if it had not begun
    ~EarlyUprobe();
    EarlyUprobe(const EarlyUprobe&) = delete;
    EarlyUprobe& operator=(const EarlyUprobe&) = delete;

    // The uprobes of the plan are in place: lets it go, in the other thread. Not earlier, because closing a perf event
    // may keep others from being opened meanwhile.
    void end();

  private:
    std::binary_semaphore ended_{0};
    bool is_ended_ = false;
    std::jthread thread_;
};

}  // namespace lt
