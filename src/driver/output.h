// Where results go and in which form, as the command line says; and who is told that tracing is on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "runtime/flame.h"
#include "runtime/plan.h"
#include "runtime/printer.h"

namespace lt {

class Output {
  public:
    // The options' values, before anything is run. An Error is a mistake in them.
    // With a sink results go there instead.
    static Result<std::unique_ptr<Output>> open(const Command& command, Sink* sink = nullptr);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    int descriptor() const { return fd_; }
    // Opens the file and makes the printer, in the plan's style. Only once there is something to run, so that a mistake
    // in a script does not cost the results of the last run. Does nothing from the second time on.
    Status begin(const Plan& plan);
    Printer& printer() { return *chain_.back(); }
    // Every probe is attached, so many of them.
    void announce(size_t probes, bool as_bpftrace);
    // Writes what is left, and draws what was asked for.
    Status finish();

  private:
    Output() = default;
    Status read_format(const Command& command);
    Status read_buffering(const Command& command);
    Status read_ready_fd(const Command& command);
    Status read_stacks(const Command& command);
    void make_printers(const Plan& plan);
    Status draw() const;

    int fd_ = 1;
    std::string path_;  // empty: standard output
    std::optional<int> ready_fd_;
    bool quiet_ = false;
    bool json_ = false;
    bool timestamps_ = false;
    Buffering buffering_ = Buffering::together;
    bool folded_ = false;
    std::string flame_path_;  // empty: none is drawn
    bool durations_ = false;  // are the weights of stacks durations?
    FlameGraph graph_;
    std::unique_ptr<Sink> own_sink_;
    Sink* sink_ = nullptr;
    std::unique_ptr<Sink> rest_sink_;              // with --folded, for what cannot be folded
    std::vector<std::unique_ptr<Printer>> chain_;  // each but the first hands on to the one before
};

}  // namespace lt
