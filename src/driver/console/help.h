// The texts of `help`, put together from the tables: for a command, a kind of probe, a function or a variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

std::string help_overview();
// `otherwise` is the hint for a word that is not near any other.
Result<std::string> help_on(const std::string& topic, std::string_view otherwise);
std::vector<std::string> help_topics();

}  // namespace lt
