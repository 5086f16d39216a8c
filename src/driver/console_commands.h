// The console's own commands, beside those of commands.h: what needs a person, a screen or files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "commands.h"
#include "runtime/printer.h"

namespace lt {

class Console;

struct ConsoleRow {
    CommandText text;
    Status (*run)(Console& console, std::vector<std::string> words, Printer& printer);
};
std::span<const ConsoleRow> console_rows();

// Of both tables, in the order in which help tells them.
std::vector<CommandText> all_commands();
bool is_command(std::string_view word);
Status run_console_command(Console& console, std::string_view line, Printer& printer);

}  // namespace lt
