// The command line as a value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/compile.h"
#include "stdlib/options.h"

namespace lt {

struct Command {
    std::map<Option, std::string> options;  // those given; a flag's text is "true"
    std::string file;                       // of the script; empty with -e
    std::vector<ParamSetting> params;       // --NAME VALUE, for the script's own parameters
    std::vector<std::string> positional;    // $1, $2 ... of the script
    std::string help;                       // the text that --help prints
    bool only_grammar = false;              // -p1 of SystemTap
    bool waits = false;                     // `lt wait`
    bool script_help = false;               // `lt FILE -- --help`

    bool has(Option o) const { return options.contains(o); }
    std::string text(Option o) const { return has(o) ? options.at(o) : ""; }
    std::vector<std::string> list(Option o) const;  // splits the value at commas
};

Result<Command> read_command(int argc, const char* const* argv);

}  // namespace lt
