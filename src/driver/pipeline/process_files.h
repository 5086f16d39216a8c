// Files as seen by a process with other mounts or another root than lt, such as in a container, or that runs files
// which were replaced; the program that it runs.
#pragma once

#include <optional>
#include <string>

#include "base/diag.h"
#include "base/result.h"
#include "parser/tree/ast.h"

namespace lt {

// The path under which lt finds the file, or the pattern of files, that has this name for the process. It is the name
// itself if the process sees the same as lt, and a path of /proc if it runs an older file that was deleted. An Error if
// a process with another root has no such file. `process` 0: no process.
Result<std::string> file_of_process(int process, const std::string& name);

// Does the same for each program and library that a probe names. A uprobe that names none is in the process's program.
bool take_files_of(ast::Program& program, int process, Diags& diags);

// The first probe at system calls by name, if the process runs a 32-bit program: such probes do not see its calls.
std::optional<Span> unseen_calls(ast::Program& program, int process);

}  // namespace lt
