// lt fmt: formats scripts in lt's own language.
#pragma once

namespace lt {

// `lt fmt [--check] [-d] FILE...`; returns the exit status.
int format_files(int argc, const char* const* argv);

}  // namespace lt
