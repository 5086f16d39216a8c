// lt port: prints a SystemTap script as an lt script.
#pragma once

namespace lt {

// `lt port [options] FILE [WORD...]`; returns the exit status.
int port_program(int argc, const char* const* argv);

}  // namespace lt
