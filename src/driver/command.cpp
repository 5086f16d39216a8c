#include "command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/text.h"

namespace lt {

std::vector<std::string> Command::list(Option o) const {
    std::vector<std::string> out;
    for (std::string_view part : split(has(o) ? std::string_view(options.at(o)) : "", ',')) {
        if (!trim(part).empty()) out.emplace_back(trim(part));
    }
    return out;
}

Result<std::optional<Command>> read_command(int argc, const char* const* argv) {
    Command command;
    CLI::App app{"lt: finds out where time goes in a running Linux system.\n"
                 "  lt -e 'k:copy_to_user < @ns = hist(...) >'   how long copies to user space take\n"
                 "  lt script.lt                                 run a script", "lt"};
    std::map<Option, std::string> values;
    std::map<Option, bool> flags;
    app.add_option("FILE", command.file, "The script to run; - for standard input.");
    for (const OptionRow& row : option_rows()) {
        const std::string names(row.names), sentence(row.sentence);
        if (row.argument.empty()) {
            app.add_flag(names, flags[row.id], sentence);
        } else {
            CLI::Option* option = app.add_option(names, values[row.id], sentence)->type_name(std::string(row.argument));
            if (row.argument == "LIST") option->join(',');
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        app.exit(help);
        return std::optional<Command>{};
    } catch (const CLI::ParseError& wrong) {
        return Error{wrong.what(), "lt --help lists the options", 0};
    }
    for (const OptionRow& row : option_rows()) {
        const std::string first(split(row.names, ',').front());
        if (app.count(first) == 0) continue;
        command.options[row.id] = row.argument.empty() ? "true" : values[row.id];
    }
    return std::optional(std::move(command));
}

}  // namespace lt
