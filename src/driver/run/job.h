// One command line's work on one script or saved plan: its inputs, results and diagnostics. Where its plan comes from
// is the business of its PlanMaker. The functions that do the work are in work.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diag.h"
#include "driver/cli/command.h"
#include "driver/run/run.h"
#include "driver/run/stages.h"
#include "runtime/border/target.h"

namespace lt {

struct Job;

// Makes the plan of a job: compiles a script (driver/pipeline), or fits a saved plan to this kernel (plan_fitter.h).
// What returns a bool adds diagnostics to the job and returns false on failure.
class PlanMaker {
  public:
    virtual ~PlanMaker() = default;
    virtual bool fits_saved() const = 0;  // the plan is a saved one: nothing is compiled

    // What the plan reads instead of the kernel, if the command line names such a thing.
    virtual Status read_recording(const Job&, RunSettings&) { return Done{}; }
    // Options: of making, and whether those of the command line make sense together.
    virtual bool read_options(Job& job, const RunSettings& settings) = 0;
    virtual Status suits(const Job& job) const = 0;

    // The stages up to the plan, or up to the last one requested.
    virtual bool make(Job& job) = 0;
    // Another plan, without these ways.
    virtual bool make_again(Job& job, const std::vector<RuledOut>& refused) = 0;
    // Writes the plan to the files that the command line names.
    virtual bool save(Job& job) = 0;

    // Appends the locations of the probes, in the form of -l; those that are found even if others are not.
    virtual bool find_places(Job& job, std::vector<std::string>& places) = 0;
    // Prints what a probe can read, one line each.
    virtual bool describe(Job& job, const std::string& place) = 0;
    virtual int print_help(Job& job) = 0;  // about parameters; returns the exit status
};

struct Job {
    // The command outlives it.
    Job(const Command& command, Source source, std::unique_ptr<PlanMaker> maker, const Shared& shared = {});

    const Command& command;
    Source source;
    const std::unique_ptr<PlanMaker> maker;
    const Shared shared;
    Stages stages;
    std::unique_ptr<Kernel> own_kernel;
    Kernel* kernel;  // null: not open yet
    Diags diags;
    size_t drawn = 0;  // number of diagnostics drawn so far
    Plan plan;
    bool has_c = false;  // the plan contains functions that the script has in C
    std::unique_ptr<Run> run;
};

bool refuse(Job& job, const Error& error);       // false
bool all_right(Job& job, const Status& status);  // adds the error to the diagnostics if there is one
void draw_diags(Job& job);                       // draws those that are not drawn yet
bool open_chosen_kernel(Job& job);               // the one that the command line names, unless it is open

// Reads the command line's options: how the job's plan is made and runs, and where its results go. `last`: the stage
// after which it ends, unless the options name another.
bool read_settings(Job& job, Stage last);

}  // namespace lt
