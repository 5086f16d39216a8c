// One of the console's traces: the text that was typed, compiled and running.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "driver/cli/command.h"
#include "driver/report/trace.h"
#include "driver/run/job.h"

namespace lt {

// Passes on a trace's output, and knows when it last printed.
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
    // `command` has its options, parameters and words. The shared data and `sink`, which gets the trace's output,
    // outlive the entry.
    Entry(int number, Source source, Command command, Shared shared, Sink& sink);

    bool start();  // false: the error has been reported
    Trace& trace() { return *trace_; }
    int number() const { return number_; }
    const std::string& text() const { return text_; }
    size_t places() const { return job_.run->places(); }
    std::optional<Ended> turn() { return job_.run->session().turn(); }
    void end(Ended how);  // prints the remaining output
    bool prints() const;  // did it print just now?

  private:
    const int number_;
    const std::string text_;
    const Command command_;
    EntrySink sink_;
    Job job_;
    std::unique_ptr<Trace> trace_;
};

}  // namespace lt
