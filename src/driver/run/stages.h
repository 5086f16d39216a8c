// The table of stages, for --stop-after, --time, --dump and the progress line.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "driver/cli/command.h"
#include "driver/report/report.h"

namespace lt {

std::string_view stage_name(Stage stage);

struct DumpRow;

class Stages {
  public:
    explicit Stages(bool shows_progress) : shows_progress_(shows_progress) {}
    // --dump and --stop-after. `saved`: the plan was loaded from a file.
    Status choose(const Command& command, bool saved, EmitOptions& emit);
    void stop_after(Stage stage) { last_ = stage; }
    Stage last() const { return last_; }
    bool shows_progress() const { return shows_progress_; }

    // Does the work of a stage that is not after the last one, and prints the dumps requested after it.
    bool pass(Stage stage, const Compiled& compiled, const std::function<bool()>& work);
    std::span<const Timing> timings() const { return timings_; }

  private:
    bool shows_progress_;
    Stage last_ = Stage::parse;
    std::vector<const DumpRow*> dumps_;
    std::vector<Timing> timings_;
};

}  // namespace lt
