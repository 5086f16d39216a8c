// Errors that end a command, drawn on standard error.
#pragma once

#include "base/result.h"

namespace lt {

int failure(const Error& error);  // 1
int misuse(const Error& error);   // 2: the command line is wrong, not what it names

}  // namespace lt
