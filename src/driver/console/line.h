// Lines of the console that are command lines of lt: `lt -e '...'`, as triage prints it, `why SPAN`, or a tool's name
// with its options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

// The line without `lt` or `sudo lt` before it.
std::string_view without_lt(std::string_view text);

// Is it one of these? Decided by the first word: a tool's name is not a kind of probe.
bool is_command_line(std::string_view text);

// The words as a shell splits them at blanks, without expansions; nothing if a quote is still open.
std::optional<std::vector<std::string>> shell_words(std::string_view text);

// The script that the line runs, and the options, parameters and words for it. `name`: of the text that was typed.
struct Line {
    Source source;
    Command command;
};
Result<Line> read_line(std::string_view text, const std::string& name);

}  // namespace lt
