// SystemTap's macros: @define name(a, b) %( ... %), used as @name(x, y).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {

struct Macro {
    std::vector<std::string> parameters;
    bool takes_arguments = false;  // was it defined with parentheses?
    Pieces body;
};
using Macros = std::map<std::string, Macro>;

// Reads pieces one by one, takes out the definitions of macros, which it adds to `macros`, and replaces uses of macros
// by their bodies. Nothing comes after an error.
class MacroReader {
  public:
    MacroReader(Pieces pieces, Macros& macros, Diags& diags);

    // Without `expands` the next piece as it is: in the side of a condition that does not apply, nothing is defined.
    std::optional<Piece> next(bool expands);
    bool failed() const { return failed_; }

  private:
    Piece take();
    bool next_is(std::string_view mark) const;
    const Macro* find(const Piece& piece) const;
    void wrong(Span span, std::string message);
    void define(Span where);
    void parameters(Macro& macro);
    std::optional<std::vector<Pieces>> arguments(const Piece& name);  // split at commas outside of brackets
    void put(const Piece& name, const Macro& macro);

    Macros& macros_;
    Diags& diags_;
    Pieces rest_;  // the next one last
    size_t expansions_ = 0;
    size_t inserted_ = 0;  // pieces
    bool failed_ = false;
};

}  // namespace lt::stp
