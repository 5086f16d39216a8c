// The names and processes of a recording's threads at each moment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recording/recording.h"

namespace lt {

class ThreadHistory {
  public:
    explicit ThreadHistory(const Recording& recording);

    // Empty and 0 if the recording does not have it. The idle thread of a CPU is "swapper/CPU" of process 0.
    std::string comm(uint32_t tid, uint64_t time, uint16_t cpu) const;
    uint32_t process(uint32_t tid, uint64_t time) const;

    // Of the threads in the records: how many have no name, or no process.
    uint64_t incomplete() const { return incomplete_; }

  private:
    template <class T>
    using Changes = std::vector<std::pair<uint64_t, T>>;  // the time from which on it holds, and what
    void take(const Record& record);
    void count_incomplete(const Recording& recording);

    std::map<uint32_t, Changes<std::string>> names_;
    std::map<uint32_t, Changes<uint32_t>> processes_;
    uint64_t incomplete_ = 0;
};

}  // namespace lt
