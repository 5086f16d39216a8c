// One body of C to statements of SystemTap's.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "stp_piece.h"

namespace lt::stp {

struct CFacts {
    std::set<std::string> parameters;  // of the function
    std::set<std::string> taken;       // names that mean something else in the program
    bool gives_number = false;         // the function has a result, or may have one
};

struct SpelledC {
    Pieces statements;
    std::optional<Span> lock;    // the first lock that is not taken
    std::optional<Span> option;  // the first option of a socket that is set later
    bool needs_it = false;       // does compiled C not do this?
    // It does more than can be said in the language itself: the first piece that does.
    std::optional<Span> refused = {};
};

SpelledC spell_out(const Pieces& c, const CFacts& facts);

}  // namespace lt::stp
