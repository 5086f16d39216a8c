// `lt merge FILE...`: adds up the results of runs of one script, on many hosts.
#pragma once

namespace lt {

// The words after `merge`. Returns the exit status.
int merge_runs(int argc, const char* const* argv);

}  // namespace lt
