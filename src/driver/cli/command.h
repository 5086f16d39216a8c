// The command line as a value.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/border/param_value.h"
#include "stdlib/options.h"

namespace lt {

// The programs that read command lines. lt-run has the options that need no compiler.
enum class Program : uint8_t { lt, lt_run };
std::string_view program_name(Program program);  // "lt-run"
bool takes_option(Program program, Phase phase);
OptionText text_for(Program program, const OptionRow& row);

// How the command line sets a parameter of the script, besides --NAME VALUE.
struct ScriptParam {
    std::string name;
    std::string short_name;  // "n" for -n; may be empty
    uint32_t word = 0;       // or the script's word with this number; 0: none
    bool is_flag = false;    // true or false: its option has no value
    std::string unit = {};   // of its default: that of a number without a unit
    std::string value = {};  // the default as the script has it
    std::string help = {};
};

struct Command {
    std::map<Option, std::string> options;  // those given; a flag's text is "true"
    std::string file;                       // of the script; empty with -e
    std::string tool;                       // its name, if the command line has that instead of a file
    std::string verb = {};                  // "why" or "wait", which make a script of a span
    std::vector<ParamSetting> params;       // --NAME VALUE, for the script's own parameters
    std::vector<std::string> positional;    // $1, $2 ... of the script
    std::string help;                       // the text that --help prints
    bool only_grammar = false;              // -p1 of SystemTap
    bool script_help = false;               // `lt FILE -- --help`
    Program program = Program::lt;          // that has read it

    bool has(Option o) const { return options.contains(o); }
    std::string text(Option o) const { return has(o) ? options.at(o) : ""; }
    std::vector<std::string> list(Option o) const;  // splits the value at commas
};

// The parameters of the script, if they are known, name options that are taken after the script's name. `tool` is that
// name if it is a tool's: an Error names an option of one letter that the tool does not take.
Result<Command> read_command(int argc, const char* const* argv, std::span<const ScriptParam> params = {},
                             Program program = Program::lt, std::string_view tool = {});

// An Error names an option besides these, which the verb would ignore.
Status takes_only(const Command& command, std::string_view verb, std::span<const Option> taken);

// The option with that name, such as "-n" or "--count"; nullptr if there is none.
const OptionRow* option_named(std::string_view word);

// The words of `lt why` with `--slow TIME` as one word, so that TIME does not take the place of the span after it.
std::vector<std::string> with_joined_slow(std::vector<std::string> words);

// The index of the word that names the script; `argc` if there is none.
int script_word(int argc, const char* const* argv);

}  // namespace lt
