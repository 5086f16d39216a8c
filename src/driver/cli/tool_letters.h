// Options of one letter after the name of a tool, which is often also the name of one of BCC's tools.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/cli/command.h"

namespace lt {

// `words` come after the tool's name, without the tool's own options. An Error names a letter that is not an option of
// every tool: SystemTap's, or one to which BCC's tool of that name gives another meaning than lt.
Status letters_fit_tool(std::string_view tool, std::span<const std::string> words, std::span<const ScriptParam> params);

}  // namespace lt
