// What the programs of a session cost, from what the kernel measures while somebody asks it to.
#pragma once

#include <chrono>
#include <vector>

#include "base/result.h"
#include "descriptor.h"
#include "object.h"
#include "runtime/plan.h"
#include "runtime/session.h"

namespace lt {

class Overhead {
  public:
    // Both outlive it.
    Overhead(const Plan& plan, const LoadedObject& object) : plan_(plan), object_(object) {}

    // The kernel takes the time of every run of every program from here on, which makes each longer: by some 80 ns in
    // a virtual machine.
    Status begin();
    void end() { asking_ = Descriptor(); }
    bool measures() const { return static_cast<bool>(asking_); }

    // Of each probe, whose rungs are those that were taken, since begin() or the last call.
    TracingCost since_last(const std::vector<size_t>& taken);
    // Since begin().
    TracingCost whole(const std::vector<size_t>& taken) const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Reading {
        std::vector<LoadedObject::Facts> programs;
        Clock::time_point at;
    };
    Reading read() const;
    TracingCost between(const Reading& first, const Reading& second, const std::vector<size_t>& taken) const;

    const Plan& plan_;
    const LoadedObject& object_;
    Descriptor asking_;
    Reading begun_, last_;
};

}  // namespace lt
