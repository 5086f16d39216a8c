#include "systemtap/c/c.h"

#include <string>

#include "systemtap/c/c_body.h"

namespace lt::stp {
namespace {

// function name:type (parameter:type, ...):type %{ C %}
struct Head {
    std::set<std::string> parameters;
    std::string type;
    bool takes_text = false;
    size_t body = 0;  // the piece with the C; 0: there is none
};

class HeadReader {
  public:
    HeadReader(const Pieces& pieces, size_t at) : pieces_(pieces), at_(at + 1) {}

    Head read() {
        Head out;
        at_++;  // the name
        out.type = type();
        if (!take("(")) return {};
        while (is_word()) {
            out.parameters.insert(pieces_[at_++].text);
            out.takes_text = type() == "string" || out.takes_text;
            take(",");
        }
        if (!take(")")) return {};
        if (const std::string result_type = type(); !result_type.empty()) out.type = result_type;
        if (at_ < pieces_.size() && pieces_[at_].kind == PieceKind::embedded) out.body = at_;
        return out;
    }

  private:
    bool is_word() const { return at_ < pieces_.size() && pieces_[at_].kind == PieceKind::word; }
    bool take(std::string_view mark) {
        const bool found = at_ < pieces_.size() && pieces_[at_].is(mark);
        at_ += found;
        return found;
    }
    std::string type() {
        const size_t from = at_;
        if (take(":") && is_word()) return pieces_[at_++].text;
        at_ = from;
        return "";
    }

    const Pieces& pieces_;
    size_t at_;
};

// Words of the language that C may use as names, and names of globals.
std::set<std::string> taken_names(const std::vector<Pieces>& files) {
    std::set<std::string> out{"probe",  "global", "private", "function", "foreach", "in",   "limit",
                              "delete", "next",   "try",     "catch",    "string",  "long", "result"};
    for (const Pieces& pieces : files) {
        bool declares = false;
        for (const Piece& piece : pieces) {
            if (piece.kind != PieceKind::word) continue;
            const bool is_keyword = piece.text == "probe" || piece.text == "function" || piece.text == "private";
            declares = piece.text == "global" || (declares && !is_keyword);
            if (declares) out.insert(piece.text);
        }
    }
    return out;
}

// None for text from elsewhere, or with preprocessor lines.
std::optional<Pieces> pieces_of_c(const Piece& embedded, const Source& source) {
    constexpr uint32_t marks = 2;  // %{ and %}
    const Span inside{embedded.span.begin + marks, embedded.span.end - marks};
    const bool is_own = embedded.span.end - embedded.span.begin > 2 * marks && source.at(inside) == embedded.text;
    if (!is_own || embedded.text.find_first_of("#'") != std::string::npos) return {};
    Diags mistakes;
    Pieces out = scan(source, inside, mistakes);
    if (!mistakes.all().empty()) return {};
    return out;
}

}  // namespace

Pieces spell_out_c(const std::vector<Pieces>& files, const Source& source, bool all, std::map<uint32_t, Span>& kept,
                   Diags& diags) {
    const Pieces& pieces = files.front();
    Pieces out;
    CFacts facts{{}, taken_names(files)};
    for (size_t i = 0; i < pieces.size(); i++) {
        out.push_back(pieces[i]);
        if (!pieces[i].is_word("function")) continue;
        const Head head = HeadReader(pieces, i).read();
        if (head.body == 0 || head.takes_text || head.type == "string") continue;
        facts.parameters = head.parameters;
        facts.gives_number = true;
        const auto c = pieces_of_c(pieces[head.body], source);
        const auto spelled = c ? std::optional(spell_out(*c, facts)) : std::nullopt;
        if (spelled && spelled->refused) kept.emplace(pieces[head.body].span.begin, *spelled->refused);
        if (!spelled || spelled->refused || (!all && !spelled->needs_it)) continue;
        if (spelled->lock) diags.warning(*spelled->lock, "lt takes no lock: the values can change while they are read");
        if (spelled->option)
            diags.warning(*spelled->option,
                          "lt itself sets the option right after this: the result is 0 here, and lt reports options "
                          "that cannot be set");
        out.insert(out.end(), pieces.begin() + static_cast<ptrdiff_t>(i) + 1,
                   pieces.begin() + static_cast<ptrdiff_t>(head.body));
        const Span where = pieces[head.body].span;
        out.push_back({PieceKind::mark, {where.begin, where.begin + 1}, "{"});
        out.insert(out.end(), spelled->statements.begin(), spelled->statements.end());
        out.push_back({PieceKind::mark, {where.end - 1, where.end}, "}"});
        i = head.body;
    }
    return out;
}

}  // namespace lt::stp
