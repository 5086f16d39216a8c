// Errors that end a command, drawn on standard error.
#pragma once

#include "base/result.h"

namespace lt {

// Draws nothing for an error without a sentence: its diagnostics have been drawn.
int failure(const Error& error);  // 1
int misuse(const Error& error);   // 2: the command line is wrong, not what it names

}  // namespace lt
