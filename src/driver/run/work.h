// The things lt does with a script or a plan.
#pragma once

#include "driver/run/job.h"

namespace lt {

// Each returns the exit status and draws the diagnostics.
int run(Job& job);
int check(Job& job);  // makes the plan, and prints what would be attached
int help(Job& job);   // prints the script's parameters
int list(Job& job);   // prints the locations of the script's probes

// A run in parts: start until every probe is attached, then the caller turns job.run->session(), then finish. False:
// the diagnostics say why.
bool start(Job& job);
bool end(Job& job, Ended how);

}  // namespace lt
