#include "driver/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <utility>

#include "base/text.h"
#include "driver/cli/verbs.h"

namespace lt {

std::vector<std::string> Command::list(Option o) const {
    std::vector<std::string> out;
    for (std::string_view part : split(has(o) ? std::string_view(options.at(o)) : "", ',')) {
        if (!trim(part).empty()) out.emplace_back(trim(part));
    }
    return out;
}

namespace {

// The hint for a word that is not an option.
std::string option_meant(std::string_view word) {
    std::vector<std::string_view> names;
    for (const OptionRow& row : option_rows())
        for (const std::string_view name : split(row.names, ','))
            if (name.starts_with("--")) names.push_back(name);
    const std::vector<std::string> near = closest(word, names);
    return near.empty() ? "`lt --help` lists the options" : did_you_mean(near);
}

// Words that are not options of lt belong to the script: --NAME VALUE, --NAME=VALUE and plain words. After `--` all
// words do, and there an option takes its value after a `=`, or none.
Status take_settings(const std::vector<std::string>& words, size_t dashes_at, Command& command) {
    for (size_t i = 0; i < words.size(); i++) {
        const std::string& word = words[i];
        const size_t equals = word.find('=');
        if (i >= dashes_at && word == "--help") {
            command.script_help = true;
        } else if (!word.starts_with("--") || word.size() < 3) {
            if (word.starts_with("-") && word.size() > 1 && i < dashes_at && std::isdigit(word[1]) == 0)
                return Error{fmt::format("`{}` was not expected here", word), "`lt --help` lists the options", 0};
            command.positional.push_back(word);
        } else if (equals != word.npos) {
            command.params.push_back({word.substr(2, equals - 2), word.substr(equals + 1)});
        } else if (i >= dashes_at) {
            command.params.push_back({word.substr(2), ""});
        } else if (i + 1 < dashes_at) {
            command.params.push_back({word.substr(2), words[i + 1]});
            i++;
        } else {
            return Error{fmt::format("{} is not an option of lt, and a script's parameter needs a value", word),
                         option_meant(word), 0};
        }
    }
    if (!command.params.empty() && command.file.empty() && !command.has(Option::program)) {
        const std::string word = "--" + command.params.front().name;
        return Error{fmt::format("{} is not an option of lt, and there is no script whose parameter it could be", word),
                     option_meant(word), 0};
    }
    return Done{};
}

// Options that lt refuses with what to type instead; --help does not list them.
void add_refused(CLI::App& app) {
    for (const RefusedOption& row : refused_options())
        app.add_option(std::string(row.names))->expected(0, 1)->group("");
}

// SystemTap's -d MODULE asks for symbols, which lt always reads.
Status none_refused(const CLI::App& app, bool is_systemtap) {
    for (const RefusedOption& row : refused_options()) {
        const std::string name(split(row.names, ',').back());
        const bool is_module = is_systemtap && row.names.starts_with("-d,");
        if (app.count(name) > 0 && !is_module)
            return Error{fmt::format("lt does not support the option {}", name), std::string(row.instead), 0};
    }
    return Done{};
}

void add_options(CLI::App& app, std::map<Option, std::string>& values, std::map<Option, bool>& flags) {
    for (const OptionRow& row : option_rows()) {
        const std::string names(row.names), sentence(row.sentence);
        if (row.argument.empty()) {
            app.add_flag(names, flags[row.id], sentence);
            continue;
        }
        CLI::Option* option = app.add_option(names, values[row.id], sentence)->type_name(std::string(row.argument));
        if (row.argument == "LIST") option->join(',');
        if (row.argument == "PROGRAM") option->join('\n');
        if (row.argument.starts_with('[')) option->expected(0, 1);
    }
}

// After -l comes a pattern; in `lt -l -v PATTERN` it looks like a file. Without a pattern everything is listed.
Status take_pattern(Command& command) {
    if (!command.has(Option::list)) return Done{};
    std::string& pattern = command.options[Option::list];
    if (pattern.empty()) pattern = std::exchange(command.file, "");
    if (pattern.empty() && !command.has(Option::program)) pattern = "*";
    if (command.file.empty() && command.positional.empty()) return Done{};
    return Error{"-l takes one pattern", "quote it: `lt -l 'k:vfs_*'`", 0};
}

// If lt is called by another tool's name, it has that tool's defaults.
void take_name(std::string_view name, std::map<Option, std::string>& options) {
    if (name.ends_with("stap")) options[Option::systemtap] = "true";
    if (name.ends_with("bpftrace")) options[Option::bpftrace] = "true";
}

// Several -e are lines of one script. bpftrace only runs the last one.
void take_last_program(const CLI::App& app, Command& command) {
    const std::vector<std::string> programs = app.get_option("-e")->results();
    if (programs.size() < 2) return;
    command.options[Option::program] = programs.back();
    if (!command.has(Option::no_warnings))
        fmt::print(stderr, "lt: {} -e given, only the last one runs, as in bpftrace\n", programs.size());
}

}  // namespace

Result<Command> read_command(int argc, const char* const* argv) {
    Command command;
    CLI::App app{verbs_overview(), "lt"};
    std::map<Option, std::string> values;
    std::map<Option, bool> flags;
    app.set_help_flag();
    app.allow_extras();
    app.footer("A script's own parameters are options too, after its name: lt slow.lt --slow 50ms");
    app.add_option("FILE", command.file, "The script to run; - for standard input.");
    add_options(app, values, flags);
    command.help = app.help();
    add_refused(app);
    const auto* const dashes = std::find(argv, argv + argc, std::string_view("--"));
    const int own = static_cast<int>(dashes - argv);  // the words before a `--`
    std::vector<std::string> words;                   // in reverse, as the parser wants them
    for (int i = own - 1; i > 0; i--) {
        // bpftrace's users type these: -l takes the next word
        if (argv[i] == std::string_view("-lv") || argv[i] == std::string_view("-vl")) {
            words.emplace_back("-l");
            words.emplace_back("-v");
        } else {
            words.emplace_back(argv[i]);
        }
    }
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& wrong) {
        return Error{wrong.what(), "`lt --help` lists the options", 0};
    }
    const bool is_systemtap = flags[Option::systemtap] || command.file.ends_with(".stp");
    if (const Status fine = none_refused(app, is_systemtap); !fine) return fine.error();
    for (const OptionRow& row : option_rows()) {
        const std::string first(split(row.names, ',').front());
        if (app.count(first) == 0) continue;
        command.options[row.id] = row.argument.empty() ? "true" : values[row.id];
    }
    take_name(argc > 0 ? argv[0] : "", command.options);
    if (command.has(Option::bpftrace)) take_last_program(app, command);
    std::vector<std::string> rest = app.remaining();
    if (command.has(Option::program) &&
        !command.file.empty()) {  // with -e there is no file: that word belongs to the script
        rest.insert(rest.begin(), command.file);
        command.file.clear();
    }
    const size_t dashes_at = rest.size();
    if (own < argc) rest.insert(rest.end(), argv + own + 1, argv + argc);
    if (command.has(Option::program) == false && command.file.empty() && rest.size() > dashes_at) {
        command.file = rest[dashes_at];
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(dashes_at));
    }
    if (const Status taken = take_settings(rest, dashes_at, command); !taken) return taken.error();
    if (const Status taken = take_pattern(command); !taken) return taken.error();
    return command;
}

}  // namespace lt
