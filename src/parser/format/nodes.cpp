#include "parser/format/nodes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lt::format {
namespace {

using K = Parser::symbol_kind;
using Form = Node::Form;

struct PairRow {
    SymbolKind open;
    SymbolKind close;
    Form form;
};
constexpr std::array pair_rows{
    PairRow{K::S_LPAREN, K::S_RPAREN, Form::group},
    PairRow{K::S_LBRACKET, K::S_RBRACKET, Form::group},
    PairRow{K::S_PREDICATE_OPEN, K::S_PREDICATE_CLOSE, Form::group},
    PairRow{K::S_LBRACE, K::S_RBRACE, Form::block},
    PairRow{K::S_BARE_OPEN, K::S_RBRACE, Form::block},
    PairRow{K::S_SPAN_OPEN, K::S_SPAN_CLOSE, Form::block},
};

class Builder {
  public:
    explicit Builder(const std::vector<Piece>& pieces) : pieces_(pieces) {}

    std::vector<Statement> items() {
        std::vector<Statement> out;
        while (kind() != K::S_YYEOF) {
            Statement item;
            do item.nodes.push_back(node());
            while (!pieces_[at_].begins_item && kind() != K::S_YYEOF);
            drop_needless_end(item);
            out.push_back(std::move(item));
        }
        return out;
    }

  private:
    SymbolKind kind() const { return pieces_[at_].kind; }

    // The `;` after a declaration, which means nothing.
    void drop_needless_end(Statement& item) const {
        constexpr std::array declarations{K::S_PARAM, K::S_LET, K::S_IMPORT};
        if (std::ranges::find(declarations, pieces_[first_piece(item)].kind) == declarations.end()) return;
        const Piece& last = pieces_[item.nodes.back().open];
        if (last.kind == K::S_SEMICOLON && last.comments.empty()) item.nodes.pop_back();
    }

    Node node() {
        Node out;
        out.open = out.close = at_;
        const auto* const pair = std::ranges::find(pair_rows, kind(), &PairRow::open);
        at_++;
        if (pair == pair_rows.end()) return out;
        out.form = pair->form;
        while (kind() != pair->close && kind() != K::S_YYEOF) {
            if (out.form == Form::group)
                out.inside.push_back(node());
            else
                out.statements.push_back(statement(pair->close));
        }
        out.close = at_;
        if (kind() != K::S_YYEOF) at_++;
        return out;
    }

    Statement statement(SymbolKind close) {
        constexpr std::array with_blocks{K::S_IF, K::S_WHILE, K::S_FOR, K::S_UNROLL, K::S_BARE_OPEN};
        const bool has_blocks = std::ranges::find(with_blocks, kind()) != with_blocks.end();
        Statement out;
        while (kind() != close && kind() != K::S_YYEOF) {
            const bool ends = kind() == K::S_SEMICOLON;
            out.nodes.push_back(node());
            if (ends) break;
            if (!has_blocks || out.nodes.back().form != Form::block) continue;
            if (kind() == K::S_ELSE || pieces_[at_].rank != Rank::none) continue;
            if (kind() == K::S_SEMICOLON && pieces_[at_].comments.empty()) out.nodes.push_back(node());
            break;
        }
        return out;
    }

    const std::vector<Piece>& pieces_;
    size_t at_ = 0;
};

}  // namespace

size_t first_piece(const Statement& statement) { return statement.nodes.front().open; }

std::vector<Statement> items_of(const std::vector<Piece>& pieces) { return Builder(pieces).items(); }

}  // namespace lt::format
