// `lt diff BEFORE AFTER`: compares two runs.
#pragma once

namespace lt {

// The words after `diff`. Returns the exit status.
int diff_runs(int argc, const char* const* argv);

}  // namespace lt
