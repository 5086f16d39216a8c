// `lt ctl` and `lt set`: a command to an lt that runs, and what it answers.
#pragma once

namespace lt {

int ctl(int argc, const char* const* argv);  // lt ctl [-f FORMAT] [PID] COMMAND...
int set(int argc, const char* const* argv);  // lt set NAME=VALUE [PID]

}  // namespace lt
