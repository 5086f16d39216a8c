// The files that processes have mapped since a run began, from the kernel's records: with it the stack of a process can
// be named after it has ended. Only for runs that take user stacks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"
#include "runtime/programs/mapping.h"

namespace lt {

// The recorded data of a process.
struct RecordedProcess {
    uint32_t parent = 0;    // 0: it existed before recording began
    bool complete = false;  // it has called exec since: all its mappings are here
    bool has_ended = false;
    std::vector<Mapping> mappings = {};
};

class ProcessHistory {
  public:
    // Starts recording on all CPUs.
    static Result<std::unique_ptr<ProcessHistory>> open();
    ~ProcessHistory();

    // They become readable when many records are waiting.
    std::vector<int> descriptors() const;
    // Reads what the kernel has recorded so far.
    void catch_up();
    // Null if nothing was recorded.
    const RecordedProcess* find(uint32_t pid) const;

  private:
    struct Ring {
        Descriptor event;
        void* pages;
    };
    struct Record {
        uint64_t time;
        std::vector<uint8_t> bytes;
    };
    ProcessHistory() = default;
    void take(const Ring& ring, std::vector<Record>& out) const;
    void apply(const std::vector<uint8_t>& record);
    void forked(const uint8_t* body);
    void mapped(const uint8_t* body, size_t size);
    void ended(uint32_t pid);

    std::vector<Ring> rings_;
    std::map<uint32_t, RecordedProcess> processes_;
    std::deque<uint32_t> ended_;  // longest ago first
};

}  // namespace lt
