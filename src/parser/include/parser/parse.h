// Text of the .lt, .bt and .stp languages to a tree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "base/source.h"
#include "parser/ast.h"

namespace lt {

// What a script is given when it is started.
struct Invocation {
    std::vector<std::string> positional;                          // $1, $2 ...
    std::vector<std::pair<std::string, std::string>> named = {};  // for getopt(): --name=value
    bool keeps_options = false;  // getopt() becomes a parameter, which can still be set when the program is run
    // What a SystemTap program may ask before it is a tree.
    std::string kernel_release = {};  // "6.1.0-13-amd64"
    std::string architecture = "x86_64";
    std::map<std::string, std::string> kernel_config = {};  // of the options that are set: CONFIG_X to y, m or a value
    bool guru = false;                                      // -g
    int64_t target = 0;                                     // the process of -x; 0: none
    std::string command = {};                               // the program of -c
    std::vector<std::pair<std::string, std::string>> globals = {};  // -G name=value
    std::optional<uint32_t> max_errors = {};                        // -D MAXERRORS=n
    bool for_port = false;  // is the tree to be read by people: target() a name, no errors that are caught?
};

// Always returns a tree of what could be understood; mistakes are in `diags`. No macro, function, positional parameter
// or getopt() is left in it where something is run: they are replaced by what they stand for.
ast::Program parse(const Source& source, Diags& diags, const Invocation& given = {});

// The tree before that, with the items, calls and parameters that were written.
ast::Program parse_as_written(const Source& source, Diags& diags, const Invocation& given = {});

// What parse() does to such a tree then.
void put_in(ast::Program& program, const Invocation& given, Diags& diags);

// Adds the text of all files that the program imports, and that those import, each once; those of SystemTap's library
// that it names, and of the folders that hold more of that library, where the words of the command line may be part of
// the program.
void load_imports(Source& source, Diags& diags, const std::vector<std::string>& words = {},
                  const std::vector<std::string>& folders = {});

}  // namespace lt
