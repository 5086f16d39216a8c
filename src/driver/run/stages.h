// The table of stages, for --stop-after, --time, --dump and the progress line.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stage.h"
#include "driver/cli/command.h"
#include "driver/report/report.h"

namespace lt {

std::string_view stage_name(Stage stage);

struct DumpRow;

// The text of a dump, by its name.
using Dumped = std::function<std::string(std::string_view name)>;

class Stages {
  public:
    explicit Stages(bool shows_progress) : shows_progress_(shows_progress) {}
    // --dump and --stop-after. `saved`: the plan was loaded from a file.
    Status choose(const Command& command, bool saved);
    void stop_after(Stage stage) { last_ = stage; }
    Stage last() const { return last_; }
    bool shows_progress() const { return shows_progress_; }
    bool dumps(std::string_view name) const;
    // Shown instead of what attaching does, while it is not empty. Called from another thread.
    void while_waiting(std::function<std::string()> text) { waiting_ = std::move(text); }

    // Does the work of a stage that is not after the last one, and prints the dumps requested after it. `places` are
    // the locations that are traced, as far as they are known.
    bool pass(Stage stage, size_t places, const std::function<bool()>& work, const Dumped& dumped = {});
    std::span<const Timing> timings() const { return timings_; }

  private:
    bool shows_progress_;
    std::function<std::string()> waiting_;
    Stage last_ = Stage::parse;
    std::vector<const DumpRow*> dumps_;
    std::vector<Timing> timings_;
};

}  // namespace lt
