// `lt why`: a script for a question about where time goes.
#pragma once

#include "base/result.h"
#include "base/source.h"

namespace lt {

// For a span without a block: its causes in total at the end, and each call slower than all before, or with `all_slow`
// slower than the parameter `slow`, when it returns. An error if the text is a program already; a text that is neither
// is given back, for its own errors. With `takes_snapshots` each slow call takes one of the flight recorder.
Result<Source> explaining_program(const Source& span, bool all_slow, bool takes_snapshots);

// Where the time of all traced threads goes, by the thread's name, and with `by_thread` by its number. With
// `of_command` only those of the process of -c.
Source explaining_threads(bool by_thread, bool of_command);

}  // namespace lt
