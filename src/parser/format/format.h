// Formats the text of a `.lt` script: its tokens and comments stay, the blanks and line breaks between them follow one
// style. Of the author's line breaks it keeps those around comments, between statements, after the `{` or `<` of a
// block (which otherwise stands on one line if it fits) and single empty lines; all others follow from the tokens
// alone.
#pragma once

#include <string>

#include "base/diag.h"
#include "base/source.h"

namespace lt {

// The longest line, in characters, unless a word or a comment is longer.
constexpr size_t format_columns = 120;

// The formatted text, which parses to the same tree. Empty if the script has errors, which are in `diags`.
std::string formatted(const Source& source, Diags& diags);

}  // namespace lt
