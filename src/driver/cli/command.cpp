#include "driver/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/literal.h"
#include "base/text.h"
#include "driver/cli/tool_letters.h"
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

std::string see_help(Program program) { return fmt::format("`{} --help` lists the options", program_name(program)); }

// The hint for a word that is not an option.
std::string option_meant(Program program, std::string_view word, std::string_view tool) {
    const std::string_view instead = program == Program::lt ? other_spelling(word, !tool.empty()) : std::string_view{};
    if (!instead.empty()) return std::string(instead);
    if (!tool.empty()) return fmt::format("`lt {} --help` lists its options", tool);
    std::vector<std::string_view> names;
    for (const OptionRow& row : option_rows())
        for (const std::string_view name : split(row.names, ','))
            if (name.starts_with("--") && takes_option(program, row.phase)) names.push_back(name);
    const std::vector<std::string> near = closest(word, names);
    return near.empty() ? see_help(program) : did_you_mean(near);
}

// Words that are not options of lt belong to the script: --NAME VALUE, --NAME=VALUE and plain words. After `--` all
// words do, and there an option takes its value after a `=`, or none.
Status take_settings(const std::vector<std::string>& words, size_t dashes_at, std::span<const ScriptParam> params,
                     std::string_view tool, Command& command) {
    const auto is_own = [&](const std::string& word) {
        return std::ranges::find(params, word.substr(2), &ScriptParam::name) != params.end();
    };
    for (size_t i = 0; i < words.size(); i++) {
        const std::string& word = words[i];
        const size_t equals = word.find('=');
        if (i >= dashes_at && word == "--help") {
            command.script_help = true;
        } else if (!word.starts_with("--") || word.size() < 3) {
            if (word.starts_with("-") && word.size() > 1 && i < dashes_at && std::isdigit(word[1]) == 0)
                return Error{fmt::format("`{}` was not expected here", word), see_help(command.program), 0};
            command.positional.push_back(word);
        } else if (equals != word.npos) {
            command.params.push_back({word.substr(2, equals - 2), word.substr(equals + 1)});
        } else if (i >= dashes_at) {
            command.params.push_back({word.substr(2), ""});
        } else if (i + 1 < dashes_at) {
            command.params.push_back({word.substr(2), words[i + 1]});
            i++;
        } else {
            if (is_own(word)) return Error{fmt::format("{} needs a value", word), see_help(command.program), 0};
            return Error{fmt::format("{} is not an option of {}, and a script's parameter needs a value", word,
                                     program_name(command.program)),
                         option_meant(command.program, word, tool), 0};
        }
    }
    if (!command.params.empty() && command.file.empty() && !command.has(Option::program)) {
        const std::string word = "--" + command.params.front().name;
        return Error{fmt::format("{} is not an option of {}, and there is no {} whose parameter it could be", word,
                                 program_name(command.program), command.program == Program::lt ? "script" : "plan"),
                     option_meant(command.program, word, tool), 0};
    }
    return Done{};
}

// Adding an option to the parser takes a time that grows with the number of those it has, and most are not given.
struct GivenWords {
    std::vector<std::string> words;  // of the command line, before a `--`
    bool all = false;                // for the text of the help

    // May the option be among the words? Several short ones may be one word: -vq.
    bool may_have(std::string_view names) const {
        const auto may_be = [](std::string_view word, std::string_view name) {
            if (name.starts_with("--")) return word.starts_with(name);
            return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find(name[1], 1) != word.npos;
        };
        while (!all && !names.empty()) {
            const std::string_view name = names.substr(0, names.find(','));
            if (std::ranges::any_of(words, [&](std::string_view word) { return may_be(word, name); })) return true;
            names.remove_prefix(std::min(name.size() + 1, names.size()));
        }
        return all;
    }
};

// How often an option was given, which the parser knows if it may have been.
size_t times_given(const CLI::App& app, const std::string& name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option ? option->count() : 0;
}

// Options that lt refuses with what to type instead; --help does not list them.
void add_refused(CLI::App& app, const GivenWords& given) {
    for (const RefusedOption& row : refused_options())
        if (given.may_have(row.names)) app.add_option(std::string(row.names))->expected(0, 1)->group("");
}

// Of the names of an option that was given, the one that was typed.
std::string typed_name(std::string_view names, const std::vector<std::string>& words) {
    const std::vector<std::string_view> all = split(names, ',');
    const auto is_typed = [&](std::string_view name) {
        return std::ranges::any_of(words,
                                   [&](std::string_view word) { return word.substr(0, word.find('=')) == name; });
    };
    const auto typed = std::ranges::find_if(all, is_typed);
    return std::string(typed == all.end() ? all.front() : *typed);  // not a word: -vd
}

// Many tracing tools take -d 5 as a duration. Empty if the value is not a time.
std::string hint_for_time(std::string_view verb, std::string_view value) {
    const auto word = number_word(value), in_seconds = number_word(fmt::format("{}s", value));
    const bool is_number = in_seconds && in_seconds->is_duration && !in_seconds->is_negative &&
                           value.find_first_not_of("0123456789.") == value.npos;
    if (!is_number && !(word && word->is_duration && !word->is_negative)) return "";
    const std::string time = fmt::format("{}{}", value, is_number ? "s" : "");
    if (verb == "triage") return fmt::format("`lt triage {}` looks at the machine for that time", time);
    if (verb == "agent") return fmt::format("`--ttl {}` ends an agent after that time", time);
    return fmt::format("`--duration {}` ends the run after that time", time);
}

// SystemTap's -d MODULE asks for symbols, which lt always reads.
Status none_refused(const CLI::App& app, bool is_systemtap, std::string_view verb,
                    const std::vector<std::string>& words) {
    for (const RefusedOption& row : refused_options()) {
        const std::string name(split(row.names, ',').back());
        const bool is_module = is_systemtap && row.names.starts_with("-d,");
        if (times_given(app, name) == 0 || is_module) continue;
        const std::string typed = typed_name(row.names, words);
        const std::vector<std::string>& values = app.get_option(name)->results();
        const std::string time = typed == "-d" && !values.empty() ? hint_for_time(verb, values.front()) : "";
        return Error{fmt::format("lt does not support the option {}", typed),
                     time.empty() ? std::string(row.instead) : time, 0};
    }
    return Done{};
}

struct ProgramRow {
    std::string_view name;
    std::string (*overview)();
    std::string_view file;    // what the first word names
    std::string_view footer;  // after the options
};
constexpr std::array program_rows{
    ProgramRow{"lt", verbs_overview, "The script to run; - for standard input.",
               "A script's own parameters are options too, after its name: lt slow.lt --slow 50ms"},
    ProgramRow{"lt-run", runner_overview, "The plan to run; - for standard input.",
               "The parameters of the plan's script are options too: lt-run slow.plan --slow 50ms"},
};

const ProgramRow& row_of(Program program) { return program_rows[static_cast<size_t>(program)]; }

// Options of other programs are read as well, so that they can be refused by what they are about.
void add_options(CLI::App& app, Program program, const GivenWords& given, std::map<Option, std::string>& values,
                 std::map<Option, bool>& flags) {
    for (const OptionRow& row : option_rows()) {
        if (!given.may_have(row.names)) continue;
        const OptionText text = text_for(program, row);
        const std::string names(row.names), sentence(text.sentence);
        const std::string group = takes_option(program, row.phase) ? "Options" : "";
        if (row.argument.empty()) {
            app.add_flag(names, flags[row.id], sentence)->group(group);
            continue;
        }
        CLI::Option* option =
            app.add_option(names, values[row.id], sentence)->type_name(std::string(text.argument))->group(group);
        if (row.argument == "LIST") option->join(',');
        if (row.argument == "PROGRAM") option->join('\n');
        if (row.argument.starts_with('[')) option->expected(0, 1);
    }
}

// lt-run refuses what needs the compiler. What a plan has compiled in is refused together with the plan.
Status taken_by(Program program, const Command& command) {
    for (const auto& [option, text] : command.options) {
        const Phase phase = option_row(option).phase;
        if (takes_option(program, phase) || phase == Phase::compiled_in || phase == Phase::bound) continue;
        return Error{fmt::format("{} needs {}, and lt-run only runs plans", option_name(option),
                                 phase == Phase::lt ? "lt" : "the compiler"),
                     phase == Phase::lt ? "use lt" : "give it to `lt build`, which makes the plan", 0};
    }
    return Done{};
}

// In `--html -e SCRIPT` the file's name was forgotten.
Status files_are_named(const Command& command) {
    for (const auto& [option, text] : command.options) {
        if (option_row(option).argument != "FILE" || !option_named(text)) continue;
        return Error{fmt::format("{} needs the name of a file, and `{}` is an option", option_name(option), text),
                     fmt::format("for a file of that name write `./{}`", text), 0};
    }
    return Done{};
}

// After -l comes a pattern; in `lt -l -v PATTERN` it looks like a file. Without a pattern everything is listed.
Status take_pattern(Command& command) {
    if (!command.has(Option::list)) return Done{};
    std::string& pattern = command.options[Option::list];
    if (pattern.empty()) pattern = std::exchange(command.file, "");
    if (pattern.empty() && !command.has(Option::program)) pattern = "*";
    if (command.file.empty() && command.positional.empty()) return Done{};
    if (command.program == Program::lt_run) return Error{"-l takes one plan", "for example `lt-run -l slow.plan`", 0};
    return Error{"-l takes one pattern", "quote it: `lt -l 'k:vfs_*'`", 0};
}

// If lt is called by another tool's name, it has that tool's defaults.
void take_name(std::string_view name, std::map<Option, std::string>& options) {
    if (name.ends_with("stap")) options[Option::systemtap] = "true";
    if (name.ends_with("bpftrace")) options[Option::bpftrace] = "true";
}

// Several -e are lines of one script. bpftrace only runs the last one.
void take_last_program(const CLI::App& app, Command& command) {
    if (times_given(app, "-e") < 2) return;
    const std::vector<std::string> programs = app.get_option("-e")->results();
    command.options[Option::program] = programs.back();
    if (!command.has(Option::no_warnings))
        fmt::print(stderr, "lt: {} -e given, only the last one runs, as in bpftrace\n", programs.size());
}

std::string with_unit(const ScriptParam& param, const std::string& text) {
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
    return is_number ? text + param.unit : text;
}

std::vector<std::string> words_of(int argc, const char* const* argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; i++) {
        // bpftrace's users type these: -l takes the next word
        if (argv[i] == std::string_view("-lv") || argv[i] == std::string_view("-vl")) {
            words.emplace_back("-v");
            words.emplace_back("-l");
        } else {
            words.emplace_back(argv[i]);
        }
    }
    return words;
}

// Making the text of the help takes as long as reading all options. -h may stand among others: -vh.
bool may_ask_for_help(int argc, const char* const* argv) {
    const auto may_ask = [](std::string_view word) {
        if (word.starts_with("--")) return word.starts_with("--h");
        return word.starts_with('-') && word.find('h') != word.npos;
    };
    return argc <= 1 || std::any_of(argv + 1, argv + argc, may_ask);
}

// Is it a flag of lt in one word with another option? -vT
bool is_flag_before_letter(std::string_view word) {
    if (word.size() < 3 || std::isalpha(static_cast<unsigned char>(word[2])) == 0) return false;
    const OptionRow* row = option_named(word.substr(0, 2));
    return row != nullptr && row->argument.empty();
}

// Takes the script's own options that come after its name: -n 5, -n5, -T, --flag. The rest is lt's.
std::vector<std::string> without_own(std::vector<std::string> words, size_t after, std::span<const ScriptParam> params,
                                     std::vector<ParamSetting>& settings) {
    const auto find = [&](std::string_view name, std::string ScriptParam::* member) {
        const auto found = std::ranges::find_if(params, [&](const ScriptParam& p) { return p.*member == name; });
        return found == params.end() ? nullptr : &*found;
    };
    std::vector<std::string> rest;
    for (size_t i = 0; i < words.size(); i++) {
        const std::string& word = words[i];
        const bool is_short = i > after && word.size() > 1 && word[0] == '-' && word[1] != '-';
        const ScriptParam* param = is_short ? find(word.substr(1, 1), &ScriptParam::short_name) : nullptr;
        const ScriptParam* named =
            i > after && word.starts_with("--") ? find(word.substr(2), &ScriptParam::name) : nullptr;
        if (named != nullptr && named->is_flag) {
            settings.push_back({named->name, "true"});
        } else if (param == nullptr && is_short && is_flag_before_letter(word)) {
            rest.push_back(word.substr(0, 2));
            words[i--] = "-" + word.substr(2);  // -vT is -v -T
        } else if (param == nullptr) {
            rest.push_back(word);
        } else if (param->is_flag) {
            settings.push_back({param->name, "true"});
            if (word.size() > 2) words[i--] = "-" + word.substr(2);  // -DT is -D -T
        } else if (word.size() > 2) {
            settings.push_back({param->name, with_unit(*param, word.substr(2))});
        } else if (i + 1 < words.size()) {
            settings.push_back({param->name, with_unit(*param, words[++i])});
        } else {
            rest.push_back("--" + param->name);  // whose value is missing
        }
    }
    return rest;
}

// The script's words that set parameters. The later setting counts: an option's.
void take_words(std::span<const ScriptParam> params, Command& command) {
    std::vector<ParamSetting> settings;
    for (const ScriptParam& param : params) {
        if (param.word == 0 || param.word > command.positional.size()) continue;
        settings.push_back({param.name, with_unit(param, command.positional[param.word - 1])});
    }
    command.params.insert(command.params.begin(), settings.begin(), settings.end());
}

}  // namespace

Status takes_only(const Command& command, std::string_view verb, std::span<const Option> taken) {
    for (const auto& [option, text] : command.options)
        if (std::ranges::find(taken, option) == taken.end())
            return Error{fmt::format("{} does not take {}", verb, option_name(option)),
                         fmt::format("`lt {} --help` explains it", verb), 0};
    return Done{};
}

const OptionRow* option_named(std::string_view word) {
    const auto is_it = [&](const OptionRow& row) {
        const std::vector<std::string_view> names = split(row.names, ',');
        return std::ranges::find(names, word) != names.end();
    };
    const auto row = std::ranges::find_if(option_rows(), is_it);
    return row == option_rows().end() ? nullptr : &*row;
}

std::vector<std::string> with_joined_slow(std::vector<std::string> words) {
    for (size_t i = 0; i + 1 < words.size() && words[i] != "--"; i++) {
        if (words[i] != "--slow") continue;
        words[i] += "=" + words[i + 1];
        words.erase(words.begin() + static_cast<ptrdiff_t>(i) + 1);
    }
    return words;
}

int script_word(int argc, const char* const* argv) {
    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];
        if (word == "--" || word == "-e") return argc;
        if (word.size() < 2 || word[0] != '-') return i;
        const OptionRow* row = option_named(word);
        if (row && !row->argument.empty() && !row->argument.starts_with('[')) i++;
    }
    return argc;
}

std::string_view program_name(Program program) { return row_of(program).name; }

OptionText text_for(Program program, const OptionRow& row) {
    const auto either = [&](std::string_view of_runner, std::string_view of_lt) {
        return program == Program::lt || of_runner.empty() ? of_lt : of_runner;
    };
    return {either(row.of_runner.argument, row.argument), either(row.of_runner.sentence, row.sentence)};
}

bool takes_option(Program program, Phase phase) {
    return program == Program::lt || phase == Phase::run || phase == Phase::both;
}

Result<Command> read_command(int argc, const char* const* argv, std::span<const ScriptParam> params, Program program,
                             std::string_view tool) {
    Command command;
    command.program = program;
    const ProgramRow& own_row = row_of(program);
    const auto* const dashes = std::find(argv, argv + argc, std::string_view("--"));
    const int own = static_cast<int>(dashes - argv);  // the words before a `--`
    std::vector<std::string> words = words_of(own, argv);
    const GivenWords given{words, may_ask_for_help(argc, argv)};
    CLI::App app{given.all ? own_row.overview() : "", std::string(own_row.name)};
    std::map<Option, std::string> values;
    std::map<Option, bool> flags;
    app.set_help_flag();
    app.allow_extras();
    app.footer(std::string(own_row.footer));
    app.add_option("FILE", command.file, std::string(own_row.file));
    add_options(app, program, given, values, flags);
    if (given.all) command.help = app.help();
    add_refused(app, given);
    std::vector<ParamSetting> settings;
    const auto after = static_cast<size_t>(script_word(argc, argv)) - 1;
    if (!params.empty()) words = without_own(std::move(words), after, params, settings);
    if (!tool.empty() && after < words.size())
        if (const Status fits = letters_fit_tool(tool, std::span(words).subspan(after + 1), params); !fits)
            return fits.error();
    std::ranges::reverse(words);  // as the parser wants them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& wrong) {
        return Error{wrong.what(), see_help(program), 0};
    }
    const bool is_systemtap = flags[Option::systemtap] || command.file.ends_with(".stp");
    const std::string_view verb = argc > 0 ? argv[0] : "";
    if (const Status fine = none_refused(app, is_systemtap, verb, given.words); !fine) return fine.error();
    for (const OptionRow& row : option_rows()) {
        if (!values.contains(row.id) && !flags.contains(row.id)) continue;
        const std::string first(split(row.names, ',').front());
        if (times_given(app, first) == 0) continue;
        if (row.argument.empty() && !flags[row.id]) continue;  // --quiet=false
        command.options[row.id] = row.argument.empty() ? "true" : values[row.id];
    }
    if (program == Program::lt) take_name(argc > 0 ? argv[0] : "", command.options);
    if (const Status taken = taken_by(program, command); !taken) return taken.error();
    if (const Status named = files_are_named(command); !named) return named.error();
    if (command.has(Option::time_limit)) command.options[Option::duration] = command.text(Option::time_limit) + "s";
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
    if (const Status taken = take_settings(rest, dashes_at, params, tool, command); !taken) return taken.error();
    command.params.insert(command.params.end(), settings.begin(), settings.end());
    take_words(params, command);
    if (const Status taken = take_pattern(command); !taken) return taken.error();
    return command;
}

}  // namespace lt
