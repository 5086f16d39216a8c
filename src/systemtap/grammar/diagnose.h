// Explanations of syntax errors in SystemTap scripts.
#pragma once

#include <vector>

#include "base/source.h"
#include "stp_grammar.h"

namespace lt::stp {

class Feed;

// Reports the feed's last token, at a position where the grammar expects other ones.
void explain(Feed& feed, Parser::symbol_kind_type found, Span span,
             const std::vector<Parser::symbol_kind_type>& expected);

}  // namespace lt::stp
