// The flight recorder: what happens on all CPUs, in memory that overwrites itself, until a snapshot takes it out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"
#include "runtime/recorder/recorder_object.h"

namespace lt {

class FlightRecorder {
  public:
    // The script's object must outlive it.
    static Result<std::unique_ptr<FlightRecorder>> open(const LoadedObject& script, const KeepSize& size);
    Status attach();  // begins to record
    void detach();    // what is kept stays

    // All that is kept now: records, stacks, times, the account. Exchanges the generations of rings, so that writers
    // go on meanwhile. The records are not sorted, and threads and symbols are not there yet.
    Recording take();
    // Adds the threads of a taken recording that are not in its list and have ended since. Not while another is taken.
    void add_ended(Recording& to) const;

  private:
    explicit FlightRecorder(std::unique_ptr<RecorderObject> object);
    struct Ring {
        uint64_t first = 0;  // the index at which its generation began
    };
    uint64_t cpus() const { return object_->size().cpus; }
    // Reads one ring; returns the time from which on it is complete.
    uint64_t read(uint64_t generation, uint32_t cpu, uint64_t since, Recording& to);
    std::optional<Record> slot(uint64_t ring, uint64_t index, uint32_t cpu) const;  // unless it is not all there
    void read_slot(uint64_t ring, uint64_t index, uint32_t cpu, Recording& to);
    void read_stacks(Recording& to);

    std::unique_ptr<RecorderObject> object_;
    std::vector<Ring> rings_;     // indexed as in the map
    uint64_t began_[2] = {0, 0};  // when each generation began
};

}  // namespace lt
