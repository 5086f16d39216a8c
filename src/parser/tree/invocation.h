// The arguments that a script is started with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lt {

struct Invocation {
    std::vector<std::string> positional;                          // $1, $2 ...
    std::vector<std::pair<std::string, std::string>> named = {};  // for getopt(): --name=value
    bool keeps_options = false;  // getopt() becomes a parameter, which can still be set when the program runs
    // Values that a SystemTap program can use before it is parsed.
    std::string kernel_release = {};                        // as printed by uname -r
    std::map<std::string, std::string> kernel_config = {};  // for options that are set: CONFIG_X to y, m or a value
    bool guru = false;                                      // -g
    int64_t target = 0;                                     // the process given with -x; 0: none
    std::string command = {};                               // the program given with -c
    std::vector<std::pair<std::string, std::string>> globals = {};  // -G name=value
    std::optional<uint32_t> max_errors = {};                        // -D MAXERRORS=n
    bool only_grammar = false;                                      // -p1: what a SystemTap script names need not exist
    bool for_port = false;  // is the tree for human readers: target() as a name, no caught errors?
};

}  // namespace lt
