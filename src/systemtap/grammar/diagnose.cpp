#include "systemtap/grammar/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "systemtap/grammar/feed.h"

namespace lt::stp {
namespace {

using Symbol = Parser::symbol_kind;

struct BracketWords {
    std::string_view open, close;
    Symbol::symbol_kind_type closer;
    std::string_view last;  // what the closing one follows
};
constexpr std::array bracket_words{
    BracketWords{"(", ")", Symbol::S_RPAREN, "argument or operand"},
    BracketWords{"[", "]", Symbol::S_RBRACKET, "key"},
    BracketWords{"{", "}", Symbol::S_RBRACE, "statement"},
};

constexpr std::array item_words{Symbol::S_PROBE, Symbol::S_GLOBAL, Symbol::S_FUNCTION, Symbol::S_PRIVATE};
constexpr std::array statement_words{Symbol::S_IF,     Symbol::S_ELSE,  Symbol::S_FOR,      Symbol::S_FOREACH,
                                     Symbol::S_RETURN, Symbol::S_WHILE, Symbol::S_CONTINUE, Symbol::S_DELETE,
                                     Symbol::S_BREAK,  Symbol::S_NEXT,  Symbol::S_TRY};
constexpr std::array operand_symbols{Symbol::S_NAME, Symbol::S_TARGET, Symbol::S_AT, Symbol::S_STRING,
                                     Symbol::S_NUMBER};

// Can the token not be in the brackets, so that they should be closed before it?
bool ends_brackets(const BracketWords& row, Symbol::symbol_kind_type found, bool can_close) {
    if (row.closer == Symbol::S_RBRACE) return false;
    if (found == Symbol::S_RBRACE) return true;
    if (!can_close) return false;
    if (row.closer == Symbol::S_RBRACKET && (found == Symbol::S_ASSIGN || found == Symbol::S_IN)) return true;
    return found == Symbol::S_SEMICOLON || found == Symbol::S_LBRACE || found == Symbol::S_RPAREN ||
           found == Symbol::S_RBRACKET || contains(statement_words, found);
}

}  // namespace

void explain(Feed& feed, Parser::symbol_kind_type found, Span span,
             const std::vector<Parser::symbol_kind_type>& expected) {
    const auto expects = [&](Symbol::symbol_kind_type kind) {
        return std::ranges::find(expected, kind) != expected.end();
    };
    const Piece* open = feed.open_bracket();
    const auto* row = open ? std::ranges::find(bracket_words, open->text, &BracketWords::open) : bracket_words.end();
    const bool can_close = row != bracket_words.end() && expects(row->closer);
    // `global = 3` is a wrong name, not the next declaration
    const bool ends = found == Symbol::S_YYEOF || (contains(item_words, found) && feed.word_follows());
    if (row != bracket_words.end() && (ends || ends_brackets(*row, found, can_close))) {
        feed.diags().error(open->span, fmt::format("this `{}` is never closed", row->open)).hint =
            fmt::format("write `{}` after the last {}", row->close, row->last);
        return;
    }
    if (can_close && expects(Symbol::S_COMMA) && contains(operand_symbols, found)) {
        const uint32_t end = feed.before().end;
        feed.diags().error({end, end}, fmt::format("missing `,` or `{}`", row->close)).hint =
            fmt::format("write `,` between two of them, and `{}` after the last {}", row->close, row->last);
        return;
    }
    Diag& diag = feed.diags().error(span, "unexpected " + feed.found());
    if (expected.size() == 1) diag.hint = std::string("there must be ") + Parser::symbol_name(expected[0]);
    if (const std::string whole = feed.divided_operator(); !whole.empty())
        diag.hint = fmt::format("an operator has no blanks in it: write `{}`", whole);
    if (found == Symbol::S_YYEOF && expects(Symbol::S_LBRACE))
        diag.hint = "a probe or a function needs a block: `{ ... }`";
    if (feed.found_keyword() && expects(Symbol::S_NAME)) diag.hint = "this is a keyword and cannot be a name";
}

}  // namespace lt::stp
