// Translates one C body into SystemTap statements.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "systemtap/grammar/piece.h"

namespace lt::stp {

struct CFacts {
    std::set<std::string> parameters;  // of the function
    std::set<std::string> taken;       // names that mean something else in the script
    bool gives_number = false;         // the function has a result, or may have one
};

struct SpelledC {
    Pieces statements;
    std::optional<Span> lock;    // the first lock that is not taken
    std::optional<Span> option;  // the first option of a socket that is set later
    bool needs_it = false;       // does it need what compiled C cannot do?
    // The first piece that the language cannot express.
    std::optional<Span> refused = {};
};

SpelledC spell_out(const Pieces& c, const CFacts& facts);

}  // namespace lt::stp
