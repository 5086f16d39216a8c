// One command line's work on one script: its inputs, results and diagnostics. The functions that do the work are in
// steps.h and work.h.
#pragma once

#include <memory>
#include <optional>

#include "base/diag.h"
#include "compile/compile.h"
#include "driver/cli/command.h"
#include "driver/pipeline/run.h"
#include "driver/pipeline/stages.h"
#include "recording/recording.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// The script that a command line names.
struct Input {
    Source source;                        // a script
    std::optional<SavedPlan> saved = {};  // it was compiled before
};

struct Job {
    // The command outlives it.
    Job(const Command& command, Input input, const Shared& shared = {});

    const Command& command;
    Source source;
    const std::optional<SavedPlan> saved;
    const Shared shared;
    std::optional<Recording> recording;  // of --from: what the script reads instead of the kernel
    Stages stages;
    CompileOptions options;
    std::unique_ptr<Kernel> own_kernel;
    Kernel* kernel;  // null: not open yet
    Diags diags;
    size_t drawn = 0;   // number of diagnostics drawn so far
    Diags read_diags;   // diagnostics of reading the script, which hold however often it is compiled
    Compiled compiled;  // for a saved plan only the plan is set
    std::unique_ptr<Run> run;
};

bool refuse(Job& job, const Error& error);       // false
bool all_right(Job& job, const Status& status);  // adds the error to the diagnostics if there is one
void draw_diags(Job& job);                       // draws those that are not drawn yet

}  // namespace lt
