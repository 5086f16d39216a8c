// A trace that runs, as the commands see it: its maps, spans and parameters by name, whether it is paused, and what its
// maps held when they were marked. And all traces of this process, numbered from 1.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/plan.h"
#include "runtime/session.h"

namespace lt {

class Trace {
  public:
    using Clock = std::chrono::steady_clock;
    // What all maps held at a moment, by index into Plan::maps, and for how long they had been collecting.
    struct Mark {
        std::vector<MapContent> maps;
        std::vector<Clock::time_point> since;
        Clock::time_point at;
    };

    // `plan` and `session` outlive it. `text` is the program.
    Trace(int number, std::string text, const Plan& plan, Session& session);

    int number() const { return number_; }
    const std::string& text() const { return text_; }
    std::string summary(size_t width) const;  // the text in one line, cut to so many characters
    const Plan& plan() const { return plan_; }
    Session& session() { return session_; }
    bool paused() const { return paused_; }

    Status pause();
    Status resume();
    Status clear(size_t map);
    Status set(std::string_view name, std::string_view value);  // a parameter, by its text
    Result<std::vector<std::string>> params();                  // "slow=50ms"
    std::vector<std::string> map_names() const;
    std::string span_name(size_t span) const;  // its name, or its endpoints where it has none

    Result<Mark> snapshot();
    std::map<std::string, Mark, std::less<>>& marks() { return marks_; }

  private:
    const int number_;
    const std::string text_;
    const Plan& plan_;
    Session& session_;
    bool paused_ = false;
    std::vector<Clock::time_point> since_;  // of each map: collecting since then
    std::map<std::string, Mark, std::less<>> marks_;
};

class Traces {
  public:
    virtual ~Traces() = default;
    virtual std::vector<Trace*> traces() = 0;  // in the order of their numbers
    virtual Status stop(Trace& trace) = 0;     // it ends, and prints its maps; it may be there for a moment yet
};

}  // namespace lt
