#include "later.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

using K = Parser::symbol_kind;

bool anywhere(const Mistake&) { return true; }
bool at_item(const Mistake& m) { return m.lexer.mode_before() == Mode::probe; }
bool in_code(const Mistake& m) { return m.lexer.mode_before() == Mode::code; }
bool before_operand(const Mistake& m) { return in_code(m) && m.wants_operand(); }
bool after_probe(const Mistake& m) { return m.lexer.kind_before() == K::S_PROBE; }

constexpr std::array rows = {
    Later{K::S_CONFIG, at_item, "'config' blocks are", "", Extent::block},
    Later{K::S_MACRO, at_item, "macros are", "write the statements where they are used", Extent::block},
    Later{K::S_FN, at_item, "functions of your own ('fn') are", "write the statements where they are used",
          Extent::block},
    Later{K::S_IMPORT, at_item, "'import' is", "copy the probes of the other file into this one", Extent::line},
    Later{K::S_LET, at_item, "map declarations ('let') are", "a map needs no declaration: remove the line",
          Extent::line},
    Later{K::S_PREAMBLE, at_item, "C preprocessor lines are", "", Extent::line},
    Later{K::S_C_TYPE, at_item, "C definitions are", "", Extent::block},
    Later{K::S_ASSIGN, after_probe, "names of probes ('name=probe') are", "remove the name", Extent::block},
    Later{K::S_POSITIONAL, anywhere, "positional parameters such as '$1' are", "write the value itself", Extent::block},
    Later{K::S_FOR, anywhere, "'for' loops are", "", Extent::block},
    Later{K::S_WHILE, anywhere, "'while' loops are", "", Extent::block},
    Later{K::S_UNROLL, anywhere, "'unroll' is", "write the statements as often as needed", Extent::block},
    Later{K::S_BREAK, anywhere, "loops, and so 'break', are", "", Extent::block},
    Later{K::S_CONTINUE, anywhere, "loops, and so 'continue', are", "", Extent::block},
    Later{K::S_LET, anywhere, "declarations ('let') are", "a local needs none: write $x = ...", Extent::block},
    Later{K::S_BIT_AND, before_operand, "taking an address ('&x') is", "", Extent::block},
    Later{K::S_INCREMENT, in_code, "'++' inside an expression is", "make it a statement of its own", Extent::block},
    Later{K::S_DECREMENT, in_code, "'--' inside an expression is", "make it a statement of its own", Extent::block},
};

}  // namespace

bool Mistake::expects(Kind kind) const { return std::find(expected.begin(), expected.end(), kind) != expected.end(); }

bool Mistake::is_inside(Bracket bracket) const {
    return lexer.enclosing().has_value() && lexer.enclosing()->bracket == bracket;
}

const Later* find_later(const Mistake& mistake) {
    for (const Later& row : rows) {
        if (row.kind == mistake.found && row.matches(mistake)) return &row;
    }
    return nullptr;
}

}  // namespace lt
