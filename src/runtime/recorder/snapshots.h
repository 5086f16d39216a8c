// The snapshots of a run: takes them out of the flight recorder when a program asks, and writes them to files in a
// thread of its own, so that the run continues meanwhile. Where no thread can be started, the run waits.
#pragma once

#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "recording/recording.h"
#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"
#include "runtime/print/printer.h"
#include "runtime/recorder/keep_options.h"
#include "runtime/recorder/recorder.h"

namespace lt {

// Does the plan's script call snapshot()?
bool takes_snapshots(const Plan& plan);

class Snapshots {
  public:
    // Everything must outlive it but the options.
    static Result<std::unique_ptr<Snapshots>> open(const Plan& plan, const LoadedObject& object, KeepOptions options,
                                                   const KeepSize& size, Printer& printer, std::FILE* messages);
    ~Snapshots();
    Status attach() { return recorder_->attach(); }

    // A program has requested one. Takes it, unless there was one a moment ago.
    void take(const Trigger& trigger);
    int descriptor() const { return done_.get(); }  // readable when a file is written
    void report();                                  // prints what is written
    void finish();                                  // waits for the last file; the recorder stops

  private:
    struct Written {
        std::string path;
        std::optional<Error> error;
        Recording facts;  // without records and stacks
        uint64_t records = 0;
        std::string explanation;
    };
    Snapshots(const Plan& plan, KeepOptions options, std::unique_ptr<FlightRecorder> recorder, Printer& printer,
              std::FILE* messages)
        : plan_(plan),
          options_(std::move(options)),
          recorder_(std::move(recorder)),
          printer_(printer),
          messages_(messages) {}
    bool may_take();
    Recording begin(const Trigger& trigger);
    Written write(Recording recording) const;  // in the writer's thread

    const Plan& plan_;
    const KeepOptions options_;
    std::unique_ptr<FlightRecorder> recorder_;
    Printer& printer_;
    std::FILE* messages_;
    Descriptor done_;
    std::thread writer_;
    bool writing_ = false;
    Written written_;  // the writer's result
    uint64_t suppressed_ = 0, all_suppressed_ = 0;
    std::deque<std::chrono::steady_clock::time_point> taken_;  // in the last hour
};

}  // namespace lt
