// Files as a process sees them that has other mounts or another root than lt, as in a container.
#pragma once

#include <string>

#include "parser/ast.h"

namespace lt {

// Where lt finds the file, or the pattern of files, that the process knows by this name; the name itself where the
// process sees what lt sees, or has no such file. `process` 0: none.
std::string file_of_process(int process, const std::string& name);

// The same for each program and library in which the probes lie.
void take_files_of(ast::Program& program, int process);

}  // namespace lt
