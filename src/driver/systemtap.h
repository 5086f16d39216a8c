// What SystemTap's command line says that lt's own does not: letters that mean something else for its programs, and
// what a program may ask of the kernel before it is compiled.
#pragma once

#include "base/result.h"
#include "command.h"
#include "parser/parse.h"

namespace lt {

// The ending that says in which language the program is; empty: that of its name. lt called as `stap` takes
// SystemTap's.
std::string dialect_of(const Command& command);

// Is the program, or the file that is named, one of SystemTap's?
bool is_systemtap(const Command& command);

// Brings the options of SystemTap into the form of lt's own: -p4 stops before the program is loaded, -DMAXMAPENTRIES=N
// is --max-map-keys.
Status take_systemtap(Command& command);

// What the program is given, but for the words behind its name.
void tell_systemtap(const Command& command, Invocation& given);

}  // namespace lt
