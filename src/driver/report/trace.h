// A running trace, as the commands see it: its maps, spans and parameters by name, whether it is paused, and its marks.
// Also the interface to all traces of this process, numbered from 1.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/report/history.h"
#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"
#include "runtime/print/printer.h"
#include "runtime/session/session.h"

namespace lt {

class Trace {
  public:
    using Clock = std::chrono::steady_clock;
    // The contents of the script's maps at a moment, by index into Plan::maps (internal ones have no entries), and how
    // long they had been collecting, without pauses.
    struct Mark {
        std::vector<MapContent> maps;
        std::vector<Clock::time_point> since;
        Clock::time_point at;
        std::vector<uint64_t> clears = {};  // of each map by a command
    };

    // `plan` and `session` outlive it. `text` is the script, `view` how its output prints tables.
    Trace(int number, std::string text, const Plan& plan, Session& session, TableView view = {});

    int number() const { return number_; }
    const std::string& text() const { return text_; }
    std::string summary(size_t width) const;  // the text in one line, truncated to `width` characters
    const Plan& plan() const { return plan_; }
    Session& session() { return session_; }
    PrintStyle style() const;  // of its output, without timestamps
    bool paused() const { return paused_; }
    Clock::duration paused_time(Clock::time_point now = Clock::now()) const {
        return idle_ + (paused_ ? now - paused_at_ : Clock::duration{});
    }

    Status pause();
    Status resume();
    Status clear(size_t map);
    Status set(std::string_view name, std::string_view value);  // sets a parameter, given as text
    Result<std::vector<std::string>> params();                  // "slow=50ms"
    std::vector<std::string> map_names() const;
    std::string span_name(size_t span) const;  // its name, or its endpoints if it has none

    Result<Mark> snapshot();
    std::map<std::string, Mark, std::less<>>& marks() { return marks_; }

    // Keeps what the maps collected in the last minutes and hours, from now on.
    Status keep_history();
    bool keeps_history() const { return bool(timer_); }
    // Of what a map collected: the part that came in this time until now.
    Result<History::Period> last(size_t map, std::chrono::nanoseconds time);

  private:
    Status look();
    // A clock that stands still while the trace is paused.
    Clock::time_point traced_time() const { return Clock::now() - paused_time(); }

    const int number_;
    const std::string text_;
    const Plan& plan_;
    Session& session_;
    const TableView view_;
    bool paused_ = false;
    Clock::time_point paused_at_;
    Clock::duration idle_{};                // in all pauses before this one
    std::vector<Clock::time_point> since_;  // the start of each map's collecting
    std::vector<uint64_t> clears_;          // of each map
    std::map<std::string, Mark, std::less<>> marks_;
    Descriptor timer_;                     // of the looks
    std::map<size_t, History> histories_;  // by map
    std::optional<Error> failed_;          // the last look
};

class Traces {
  public:
    virtual ~Traces() = default;
    virtual std::vector<Trace*> traces() = 0;  // ordered by number
    virtual Status stop(Trace& trace) = 0;     // ends the trace, and prints its maps; it may still exist for a moment
};

}  // namespace lt
