// The steps of a job, in their order. Each returns false, with diagnostics, on failure.
#pragma once

#include <vector>

#include "driver/run/job.h"

namespace lt {

// Reads the command line's options: how the job compiles and runs, and where its results go. `last`: the stage after
// which it ends, unless the options name another.
bool read_settings(Job& job, Stage last);

// A plan for this kernel: compiles a script, or fits a saved plan.
bool read_script(Job& job);  // the stage parse
bool open_chosen_kernel(Job& job);
bool open_for_script(Job& job);  // and finds the files that hold its probes
// The stages from resolve on, for a script that was read.
bool compile_script(Job& job, Stage last = Stage::emit);
bool make_plan(Job& job);  // all stages, up to the last one requested

// Makes another plan, without the ways that the kernel refused.
bool make_plan_again(Job& job, const std::vector<Refusal>& refusals);

// --save, --aot and --emit-elf: writes the files that the command line asks for, from a job whose plan is made.
// Compiles a script once for each way in which a kernel may attach it.
bool write_files(Job& job);

}  // namespace lt
