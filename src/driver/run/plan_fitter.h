// Makes a job's plan of a saved one: finds the first of its plans that this kernel can run.
#pragma once

#include <string>
#include <vector>

#include "driver/run/job.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// Prints what a probe can read, one line each. Only the compiler knows.
using Describe = void (*)(Kernel& kernel, std::string_view probe);

class PlanFitter final : public PlanMaker {
  public:
    PlanFitter(SavedPlan saved, Describe how) : saved_(std::move(saved)), describe_(how) {}

    bool fits_saved() const override { return true; }
    bool read_options(Job&, const RunSettings&) override { return true; }
    Status suits(const Job& job) const override;
    bool make(Job& job) override;
    bool make_again(Job& job, const std::vector<RuledOut>& refused) override;
    bool save(Job&) override { return true; }
    bool find_places(Job& job, std::vector<std::string>& places) override;
    bool describe(Job& job, const std::string& place) override;
    int print_help(Job& job) override;

  private:
    bool fit_saved(Job& job);

    const SavedPlan saved_;
    const Describe describe_;  // null: this program has no compiler
    std::vector<RuledOut> refused_;
};

// Does one thing with the saved plan in a file. The exit status.
int with_plan(Command command, const Source& file, const Shared& shared, Describe describe, int (*work)(Job&));
// Runs the plan at the end of this binary, which --aot wrote: all words belong to the plan.
int run_own_plan(int argc, const char* const* argv, std::string plan, Program program, Describe describe);

}  // namespace lt
