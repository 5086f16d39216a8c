// `lt ctl` and `lt set`: send a command to a running lt and print the answer.
#pragma once

namespace lt {

int ctl(int argc, const char* const* argv);  // lt ctl [-f FORMAT] [PID] COMMAND...
int set(int argc, const char* const* argv);  // lt set NAME=VALUE [PID]

}  // namespace lt
