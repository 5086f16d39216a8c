// Where a blank stands between two tokens, and which tokens are operators between operands.
#include <algorithm>
#include <array>

#include "base/rows.h"
#include "parser/format/pieces.h"

namespace lt::format {
namespace {

using K = Parser::symbol_kind;

struct RankRow {
    SymbolKind kind;
    Rank rank;
};
constexpr std::array rank_rows{
    RankRow{K::S_COMMA, Rank::comma},
    RankRow{K::S_ASSIGN, Rank::assign},
    RankRow{K::S_ASSIGN_ADD, Rank::assign},
    RankRow{K::S_ASSIGN_SUBTRACT, Rank::assign},
    RankRow{K::S_ASSIGN_MULTIPLY, Rank::assign},
    RankRow{K::S_ASSIGN_DIVIDE, Rank::assign},
    RankRow{K::S_ASSIGN_MODULO, Rank::assign},
    RankRow{K::S_ASSIGN_SHIFT_LEFT, Rank::assign},
    RankRow{K::S_ASSIGN_SHIFT_RIGHT, Rank::assign},
    RankRow{K::S_ASSIGN_AND, Rank::assign},
    RankRow{K::S_ASSIGN_OR, Rank::assign},
    RankRow{K::S_ASSIGN_XOR, Rank::assign},
    RankRow{K::S_COLON, Rank::otherwise},
    RankRow{K::S_QUESTION, Rank::choose},
    RankRow{K::S_LOGICAL_OR, Rank::logical_or},
    RankRow{K::S_LOGICAL_AND, Rank::logical_and},
    RankRow{K::S_BIT_OR, Rank::bit_or},
    RankRow{K::S_BIT_XOR, Rank::bit_xor},
    RankRow{K::S_BIT_AND, Rank::bit_and},
    RankRow{K::S_EQUAL, Rank::equal},
    RankRow{K::S_NOT_EQUAL, Rank::equal},
    RankRow{K::S_LESS, Rank::compare},
    RankRow{K::S_LESS_EQUAL, Rank::compare},
    RankRow{K::S_GREATER, Rank::compare},
    RankRow{K::S_GREATER_EQUAL, Rank::compare},
    RankRow{K::S_SHIFT_LEFT, Rank::shift},
    RankRow{K::S_SHIFT_RIGHT, Rank::shift},
    RankRow{K::S_PLUS, Rank::add},
    RankRow{K::S_MINUS, Rank::add},
    RankRow{K::S_STAR, Rank::multiply},
    RankRow{K::S_SLASH, Rank::multiply},
    RankRow{K::S_PERCENT, Rank::multiply},
};

Rank rank_of(SymbolKind kind) {
    const auto* const row = std::ranges::find(rank_rows, kind, &RankRow::kind);
    return row == rank_rows.end() ? Rank::none : row->rank;
}

constexpr std::array operand_ends{
    K::S_NAME,  K::S_LOCAL,      K::S_MAP,    K::S_STRING, K::S_INTEGER,  K::S_DURATION, K::S_ELLIPSIS, K::S_TRUE,
    K::S_FALSE, K::S_POSITIONAL, K::S_RPAREN, K::S_OFFSET, K::S_RBRACKET, K::S_RBRACE,   K::S_WORST,
};
constexpr std::array steppable{K::S_NAME, K::S_LOCAL, K::S_MAP, K::S_RPAREN, K::S_RBRACKET};
constexpr std::array maybe_unary{K::S_MINUS, K::S_STAR, K::S_BIT_AND};
constexpr std::array after_arrow{K::S_PROBE, K::S_LABEL, K::S_STRING, K::S_LAST, K::S_IN};
constexpr std::array always_unary{K::S_NOT, K::S_TILDE};
constexpr std::array after_type{K::S_RPAREN, K::S_COMMA, K::S_ASSIGN, K::S_LBRACKET, K::S_RBRACKET, K::S_SEMICOLON};

// The part of a token in the expression where it stands.
enum class Role : uint8_t {
    other,
    operand,      // ends one
    unary,        // belongs to the operand after it
    postfix,      // belongs to the operand before it
    cast,         // likewise, a type
    type_star,    // in a type, or any part of a key
    label_equal,  // in `name=probe`
};

class Spacing {
  public:
    explicit Spacing(std::vector<Piece>& pieces) : pieces_(pieces) {}

    void run() {
        Role before = Role::other;
        for (at_ = 0; at_ < pieces_.size(); at_++) {
            Piece& piece = pieces_[at_];
            if (piece.begins_item) item_ = piece.kind, in_head_ = true, before = Role::other;
            if (piece.kind == K::S_LBRACE || piece.kind == K::S_ASSIGN) in_head_ = false;
            const Role role = role_of(before);
            const bool is_between = role == Role::other && !(piece.kind == K::S_COLON && is_name_type());
            piece.rank = is_between ? rank_of(piece.kind) : Rank::none;
            piece.spaced = at_ > 0 && spaced(before, role);
            before = role;
        }
    }

  private:
    SymbolKind kind(size_t at) const { return at < pieces_.size() ? pieces_[at].kind : K::S_YYEOF; }
    SymbolKind last() const { return at_ > 0 ? pieces_[at_ - 1].kind : K::S_YYEMPTY; }
    bool is_name_type() const { return item_ == K::S_FN && in_head_; }

    // Do only stars follow, and then what cannot begin an operand?
    bool stars_end() const {
        size_t next = at_;
        while (kind(next) == K::S_STAR) next++;
        return contains(after_type, kind(next)) || (is_name_type() && kind(next) == K::S_LBRACE);
    }

    Role role_of(Role before) const {
        const SymbolKind now = pieces_[at_].kind;
        const bool follows_operand = before == Role::operand || before == Role::postfix;
        if (contains(operand_ends, now)) return Role::operand;
        if (now == K::S_CAST) return last() == K::S_NAME || last() == K::S_TYPEOF ? Role::operand : Role::cast;
        if (now == K::S_INCREMENT || now == K::S_DECREMENT)
            return contains(steppable, last()) ? Role::postfix : Role::unary;
        if (contains(always_unary, now)) return Role::unary;
        if (now == K::S_STAR && stars_end()) return Role::type_star;
        const bool is_option = item_ == K::S_PARAM && in_head_;  // param -p process
        if (contains(maybe_unary, now) && (!follows_operand || is_option)) return Role::unary;
        if (now == K::S_ASSIGN && last() == K::S_LABEL) return Role::label_equal;
        return Role::other;
    }

    bool spaced(Role before, Role role) const {
        const Piece& prev = pieces_[at_ - 1];
        const Piece& piece = pieces_[at_];
        const SymbolKind now = piece.kind;
        constexpr std::array opens{K::S_LPAREN, K::S_LBRACKET};
        constexpr std::array sticks{K::S_RPAREN, K::S_RBRACKET, K::S_LBRACKET, K::S_COMMA,          K::S_SEMICOLON,
                                    K::S_OFFSET, K::S_DOT,      K::S_RANGE,    K::S_PREDICATE_CLOSE};
        constexpr std::array repeatable{K::S_NOT, K::S_TILDE, K::S_STAR};  // `!!` is not a token
        constexpr std::array joins{K::S_DOT, K::S_RANGE};
        const bool would_open_comment = piece.text[0] == '*' || piece.text[0] == '/';
        if (contains(opens, prev.kind)) return false;
        if (prev.kind == K::S_PREDICATE_OPEN) return would_open_comment;
        if (contains(sticks, now) || contains(joins, prev.kind)) return false;
        if (is_member_arrow(at_) || is_member_arrow(at_ - 1)) return false;
        if (before == Role::unary) return prev.text.back() == piece.text[0] && !contains(repeatable, prev.kind);
        if (role == Role::postfix || role == Role::label_equal || before == Role::label_equal) return false;
        if (before == Role::type_star && role == Role::type_star) return false;
        if (now == K::S_COLON && prev.kind == K::S_QUESTION) return false;
        if (before == Role::cast) return false;
        if (now == K::S_LPAREN || now == K::S_CAST)
            return prev.kind != K::S_NAME && prev.kind != K::S_TYPEOF && prev.kind != K::S_RPAREN;
        const bool after_like_cast = prev.kind == K::S_RPAREN && role == Role::operand && now != K::S_RBRACE;
        return !after_like_cast;
    }

    // The `->` of a member, not of a span or chain.
    bool is_member_arrow(size_t at) const { return kind(at) == K::S_ARROW && !contains(after_arrow, kind(at + 1)); }

    std::vector<Piece>& pieces_;
    size_t at_ = 0;
    SymbolKind item_ = K::S_YYEMPTY;  // the first token of the item
    bool in_head_ = false;            // before its body or value
};

}  // namespace

void set_spacing(std::vector<Piece>& pieces) { Spacing(pieces).run(); }

}  // namespace lt::format
