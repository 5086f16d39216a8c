// Sends results to the place and in the form that the command line asks for, and announces that tracing is on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/cli/command.h"
#include "runtime/border/plan.h"
#include "runtime/page/page.h"
#include "runtime/print/flame.h"
#include "runtime/print/printer.h"

namespace lt {

class Output {
  public:
    // Reads the options' values, before anything runs. An Error is a mistake in them. With a sink, results go there
    // instead.
    static Result<std::unique_ptr<Output>> open(const Command& command, Sink* sink = nullptr);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    int descriptor() const { return fd_; }
    // Opens the file and makes the printer, in the plan's style. Called only when there is something to run. What the
    // file holds stays until the first results or announce(), so that neither a mistake in a script nor a run that
    // cannot start overwrites the results of the last one. Does nothing when called again.
    Status begin(const Plan& plan);
    bool is_json() const { return json_; }
    const TableView& view() const { return view_; }
    Printer& printer() { return *chain_.back(); }
    // Every probe is attached; `probes` is their number.
    void announce(size_t probes, bool as_bpftrace);
    Page* page() { return page_ ? &*page_ : nullptr; }  // of --html; null: none
    // Flushes the output and draws the graphs; the page has the text of the script, which may be empty.
    Status finish(std::string_view script = {});

  private:
    Output() = default;
    Status read_format(const Command& command);
    Status read_buffering(const Command& command);
    Status read_ready_fd(const Command& command);
    Status read_stacks(const Command& command);
    Status read_view(const Command& command);
    void make_printers(const Plan& plan);
    std::string facts() const;  // of a run, for its pictures
    Status draw() const;

    int fd_ = 1;
    std::string path_;  // empty: standard output
    std::optional<int> ready_fd_;
    bool quiet_ = false;
    bool json_ = false;
    bool timestamps_ = false;
    TableView view_;
    Buffering buffering_ = Buffering::together;
    bool folded_ = false;
    std::string flame_path_;  // empty: no flame graph
    bool durations_ = false;  // are the weights of stacks durations?
    std::string weights_;     // what they are: "time"
    std::string page_path_;   // empty: no page
    std::optional<Page> page_;
    std::string title_;  // of the pictures
    std::chrono::steady_clock::time_point begun_;
    FlameGraph graph_;
    std::unique_ptr<Sink> own_sink_;
    Sink* sink_ = nullptr;
    std::unique_ptr<Sink> rest_sink_;              // with --folded, for what cannot be folded
    std::vector<std::unique_ptr<Printer>> chain_;  // each printer but the first passes results to the one before
};

}  // namespace lt
