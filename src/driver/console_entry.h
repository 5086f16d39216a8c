// One of the console's traces: the text that was typed, compiled and running.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "command.h"
#include "pipeline.h"
#include "trace.h"

namespace lt {

// Hands on what a trace prints, and knows when it last did.
class EntrySink final : public Sink {
  public:
    using Clock = std::chrono::steady_clock;
    explicit EntrySink(Sink& next) : next_(next) {}
    void write(std::string_view bytes) override {
        last_ = Clock::now();
        next_.write(bytes);
    }
    void flush() override { next_.flush(); }
    bool wrote_within(Clock::duration time) const { return last_ && Clock::now() - *last_ < time; }

  private:
    Sink& next_;
    std::optional<Clock::time_point> last_;
};

class Entry {
  public:
    // `command` has the options that all entries share; it outlives the entry, as what is shared does and `sink`, which
    // gets what the trace prints.
    Entry(int number, std::string text, const Command& command, Shared shared, Sink& sink);

    bool start();  // false: what was wrong has been told
    Trace& trace() { return *trace_; }
    int number() const { return number_; }
    const std::string& text() const { return text_; }
    size_t places() const { return pipeline_.places(); }
    std::optional<Ended> turn() { return pipeline_.session().turn(); }
    void end(Ended how);  // prints what there is to print
    bool prints() const;  // just now

  private:
    const int number_;
    const std::string text_;
    EntrySink sink_;
    Pipeline pipeline_;
    std::unique_ptr<Trace> trace_;
};

}  // namespace lt
