// The console's own commands, in addition to those of driver/control/commands.h: those that need a user, a screen or
// files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/control/commands.h"
#include "runtime/print/printer.h"

namespace lt {

class Console;

struct ConsoleRow {
    CommandText text;
    Status (*run)(Console& console, std::vector<std::string> words, Printer& printer);
};
std::span<const ConsoleRow> console_rows();

// The commands of both tables, in the order in which help lists them.
std::vector<CommandText> all_commands();
bool is_command(std::string_view word);
Status run_console_command(Console& console, std::string_view line, Printer& printer);

}  // namespace lt
