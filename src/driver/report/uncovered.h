// Reports the time of threads that `lt why -p PID` does not explain. A span of it begins and ends when its thread
// leaves a CPU: the time before the first one, and of the one that is open at the end of the run, is in no result.
#pragma once

#include <chrono>
#include <cstdio>
#include <string_view>

#include "runtime/print/printer.h"
#include "runtime/session/session.h"

namespace lt {

constexpr std::string_view threads_script = "lt why";  // the name of the script of `lt why` without a span

struct ProcessRun {
    int process = 0;
    std::chrono::steady_clock::time_point end = {};
    std::chrono::nanoseconds time = {};  // of tracing, without pauses
};

// Prints each living thread of which at least a tenth of the run is not explained, with what it does now: the first ten
// to `messages`, all to the printer for programs that read the output. Call after Session::finish(). The plan is that
// of the script above: its first map has the thread's name and number as the key.
void report_uncovered(Session& session, const ProcessRun& run, Printer& printer, std::FILE* messages);

}  // namespace lt
