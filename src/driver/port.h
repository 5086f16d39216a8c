// lt port: a program of SystemTap's as a program of lt, on standard output.
#pragma once

namespace lt {

// lt port [options] FILE [WORD...]; the exit status.
int port_program(int argc, const char* const* argv);

}  // namespace lt
