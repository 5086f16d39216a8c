// The events of a recording for which programs of a plan run: when, in which thread, and with what context.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"
#include "runtime/border/plan.h"
#include "runtime/replay/recorded_events.h"

namespace lt {

// The programs of a plan, by what starts them.
class Starters {
  public:
    // An error names the probe that a recording cannot start.
    static Result<Starters> of(const Plan& plan);

    struct Program {
        std::string name;
        std::string_view probe;  // its text
    };
    using Programs = std::vector<Program>;
    const Programs& at(const RecordedEvent& event) const;
    const Programs& at_opening(uint32_t span) const;
    const Programs& at_close(uint32_t span) const;
    const Programs& at_exit() const { return exits_; }  // of a thread

  private:
    Status add(const PlannedProbe& probe);

    std::map<const RecordedEvent*, Programs> events_;
    std::map<uint32_t, Programs> openings_, closes_;
    Programs exits_;
};

struct Happening {
    uint64_t time = 0;
    const Record* record = nullptr;
    const RecordedEvent* event = nullptr;  // null: the record is of a span or, for the plan itself, of an exit
    uint64_t depth = 0;                    // of a call, among the open ones of its thread and span; 0: without opening
    uint32_t owner = 0;                    // of a call that does not nest with others: whose openings it is among
};

// Sets the depths of calls: that of a close is its opening's, which it finds by the thread and the time in which its
// call began. Counting the open calls would not do, since a call can be left without a close, and can open several
// spans. Calls that do not nest with those of their thread have owners of their own, which are not threads.
void place_calls(std::span<Happening> all);

// In order of time, within the time in which the recording is complete; only those that start a program. The recording
// must outlive them.
std::vector<Happening> happenings(const Recording& recording, const Starters& starters);

// The span of an opening or a close.
constexpr uint32_t span_of(const Record& record) { return static_cast<uint32_t>(record.a); }

// The context of a program at the entry or the return of a span's function, for a call at that depth.
std::vector<uint8_t> context_of_call(uint64_t depth, bool at_return);

}  // namespace lt
