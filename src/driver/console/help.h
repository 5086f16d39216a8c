// The texts of `help`, put together from the tables: for a command, a kind of probe, a function or a variable.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lt {

std::string help_overview();
Result<std::string> help_on(const std::string& topic);
std::vector<std::string> help_topics();

}  // namespace lt
