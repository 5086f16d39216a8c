// A run of a plan over a recording instead of in the kernel: its programs run in lt's own interpreter, with the clock,
// the threads and the events of the recording.
#pragma once

#include <cstdio>
#include <memory>

#include "base/result.h"
#include "recording/recording.h"
#include "runtime/print/printer.h"
#include "runtime/session/session.h"

namespace lt {

struct ReplayOptions {
    int output = -1;  // the run ends when nothing reads from this descriptor any more; -1: none
    std::FILE* messages = stderr;
    bool warnings = true;
    bool takes_signals = true;
    bool dry = false;  // no program runs
};

// Plan, recording and printer must outlive it. The plan was compiled for the recording's kernel (recorded_kernel.h).
Result<std::unique_ptr<Session>> load_replay(const Plan& plan, const Recording& recording, Printer& printer,
                                             const ReplayOptions& options);

// Gives spans and probes in the plan the names that they have in the script.
void name_recorded_spans(Plan& plan, const Recording& recording);

}  // namespace lt
