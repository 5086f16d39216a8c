// The commands of lt that are words (`lt wait`, `lt why` ...): one row each, with the text of `lt help WORD`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lt {

struct VerbText {
    std::string_view word;
    std::string_view example;   // a whole command line, for the list of lt --help
    std::string_view sentence;  // what the example does
    std::string_view usage;     // the form of a command line, after `usage: `; several forms are lines
    std::string_view details;   // the rest of its help, lines of at most 100 letters that end in a newline
};

std::span<const VerbText> verb_texts();
const VerbText* find_verb(std::string_view word);  // nullptr: not a verb
std::string verb_help(const VerbText& verb);
// lt's own help begins with this: the most common command lines, and each verb's.
std::string verbs_overview();
std::string runner_overview();  // the same for lt-run

}  // namespace lt
