// SystemTap's command line: letters that have another meaning for SystemTap scripts, and what a script may ask about
// the kernel at compile time.
#pragma once

#include "base/result.h"
#include "driver/cli/command.h"
#include "parser/parse.h"

namespace lt {

// The file extension that says which language the script is in; empty: that of its name. When called as `stap`, lt
// reads SystemTap.
std::string dialect_of(const Command& command);

// Is the script, or the named file, a SystemTap script?
bool is_systemtap(const Command& command);

// Translates SystemTap's options into lt's: -p4 stops before the program is loaded, -DMAXMAPENTRIES=N is
// --max-map-keys.
Status take_systemtap(Command& command);

// An Error if -x or -G is given to a script of another language, which would ignore it, or if -x is not a process.
Status suits_language(const Command& command, bool is_systemtap);

// Fills in what the script can ask for, apart from its arguments.
void add_systemtap_facts(const Command& command, Invocation& given);

}  // namespace lt
