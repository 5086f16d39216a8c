// The files that processes have mapped since a run began, from the kernel's records: with it the stack of a process can
// be named after it has ended. Only for runs that take user stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"
#include "runtime/programs/mapping.h"

namespace lt {

// A program that runs in a process, since its exec or the fork of the process.
struct RecordedProgram {
    uint64_t began = 0;     // nanoseconds by the monotonic clock; 0: before recording began
    uint32_t parent = 0;    // whose mappings it began with, because of a fork; 0: nothing, or unknown
    bool complete = false;  // its exec was recorded, or that of its parent: all its mappings are here
    std::vector<Mapping> mappings = {};
};

// The recorded data of a process.
struct RecordedProcess {
    uint32_t parent = 0;  // 0: it existed before recording began
    bool has_ended = false;
    RecordedProgram program = {};
    RecordedProgram previous = {};  // before the exec, or of another process with the same number
    uint64_t changed = 0;           // nanoseconds by the monotonic clock: the last record about it
};

// Adds a mapping, which replaces those that it overlaps.
void map_over(std::vector<Mapping>& all, Mapping mapping);

// A record of the kernel, as in perf_event_open(2); its time is at its end, too.
struct ProcessRecord {
    uint64_t time = 0;  // nanoseconds by the monotonic clock
    std::vector<uint8_t> bytes;
};

class ProcessHistory {
  public:
    // Limits on ended processes and on their mappings: those that ended first are forgotten. Each also has its
    // parent's mappings.
    static constexpr size_t most_ended = 4096;
    static constexpr size_t most_ended_mappings = 1 << 20;

    // Starts recording on all CPUs.
    static Result<std::unique_ptr<ProcessHistory>> open();
    // Knows only what add() gives it.
    ProcessHistory() = default;
    ~ProcessHistory();

    // They become readable when many records are waiting.
    std::vector<int> descriptors() const;
    // Reads what the kernel has recorded so far.
    void catch_up();
    // Applies the records up to this time, in their order. Later ones wait for the next call: earlier ones can still
    // come from other CPUs.
    void add(std::vector<ProcessRecord> records, uint64_t until);
    // Null if nothing was recorded.
    const RecordedProcess* find(uint32_t pid) const;
    // Records for which the kernel had no room. What was known of running processes before is forgotten: they may have
    // become other programs.
    uint64_t lost() const { return lost_; }
    // Some may be missing from before this time, in nanoseconds by the monotonic clock; 0: none.
    uint64_t lost_until() const { return lost_until_; }
    // Records up to this time may be missing that the kernel did not count as lost.
    void miss(uint64_t time) { forget_running(time); }

  private:
    struct Ended {
        uint32_t pid;
        size_t mappings;  // when it ended
    };
    struct Ring {
        Descriptor event;
        void* pages;
    };
    static bool take(const Ring& ring, std::vector<ProcessRecord>& out);
    void apply(const ProcessRecord& record);
    void forked(const uint8_t* body, uint64_t time);
    void mapped(const uint8_t* body, size_t size, uint64_t time);
    void ended(uint32_t pid, uint64_t time);
    void forget_oldest();
    void forget_running(uint64_t time);

    std::vector<Ring> rings_;
    std::vector<ProcessRecord> waiting_;  // later than the last add() took
    uint64_t lost_ = 0, lost_until_ = 0;
    std::map<uint32_t, RecordedProcess> processes_;
    std::deque<Ended> ended_;  // longest ago first
    size_t ended_mappings_ = 0;
};

}  // namespace lt
