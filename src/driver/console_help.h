// What `help` says, put together from the tables: of a command, a kind of probe, a function, a variable.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lt {

std::string help_overview();
Result<std::string> help_on(const std::string& topic);
std::vector<std::string> help_topics();

}  // namespace lt
