// SystemTap's macros. The text of a macro is expanded again, so macros can use macros; in diagnostics, all pieces of a
// macro are at the place of its use.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "systemtap/grammar/preprocess.h"

namespace lt::stp {
namespace {

constexpr size_t most_expansions = 10000;
constexpr size_t most_pieces = 1 << 20;

class Expander {
  public:
    Expander(Pieces pieces, Macros& macros, Diags& diags) : macros_(macros), diags_(diags) {
        std::ranges::reverse(pieces);
        rest_ = std::move(pieces);
    }

    Pieces run() {
        while (!rest_.empty() && !stopped_) {
            Piece piece = take();
            if (piece.kind == PieceKind::at_word && piece.text == "@define") {
                define(piece.span);
            } else if (const Macro* macro = find(piece)) {
                put(piece, *macro);
            } else {
                out_.push_back(std::move(piece));
            }
        }
        return std::move(out_);
    }

  private:
    Piece take() {
        Piece piece = std::move(rest_.back());
        rest_.pop_back();
        return piece;
    }
    bool next_is(std::string_view mark) const { return !rest_.empty() && rest_.back().is(mark); }

    const Macro* find(const Piece& piece) const {
        if (piece.kind != PieceKind::at_word) return nullptr;
        const auto found = macros_.find(piece.text.substr(1));
        return found == macros_.end() ? nullptr : &found->second;
    }

    void wrong(Span span, std::string message) {
        if (!stopped_)
            diags_.error(span, std::move(message)).hint = "write `@define name(a, b) %( ... %)`, and `@name(x, y)`";
        stopped_ = true;
    }

    void define(Span where) {
        if (rest_.empty() || rest_.back().kind != PieceKind::word) return wrong(where, "a macro needs a name");
        const std::string name = take().text;
        Macro macro;
        if (next_is("(")) parameters(macro);
        if (!next_is("%(")) return wrong(where, "the body of a macro is enclosed in `%( ... %)`");
        take();
        for (int depth = 1; !stopped_;) {
            if (rest_.empty()) return wrong(where, "the body of this macro is never closed");
            Piece piece = take();
            depth += piece.is("%(") ? 1 : piece.is("%)") ? -1 : 0;
            if (depth == 0) break;
            macro.body.push_back(std::move(piece));
        }
        macros_[name] = std::move(macro);
    }

    void parameters(Macro& macro) {
        macro.takes_arguments = true;
        take();
        while (!next_is(")")) {
            if (rest_.empty()) return;
            Piece piece = take();
            if (piece.kind == PieceKind::word) macro.parameters.push_back(piece.text);
        }
        take();
    }

    // The arguments, split at commas outside of brackets.
    std::optional<std::vector<Pieces>> arguments(const Piece& name) {
        if (!next_is("(")) {
            wrong(name.span, fmt::format("the macro {} takes arguments", name.text));
            return {};
        }
        take();
        std::vector<Pieces> all(1);
        for (int depth = 1;;) {
            if (rest_.empty()) {
                wrong(name.span, fmt::format("the arguments of {} are never closed", name.text));
                return {};
            }
            Piece piece = take();
            if (piece.is("(") || piece.is("[") || piece.is("{")) depth++;
            if (piece.is(")") || piece.is("]") || piece.is("}")) depth--;
            if (depth == 0) break;
            if (depth == 1 && piece.is(",")) {
                all.emplace_back();
            } else {
                all.back().push_back(std::move(piece));
            }
        }
        if (all.size() == 1 && all[0].empty()) all.clear();
        return all;
    }

    void put(const Piece& name, const Macro& macro) {
        std::vector<Pieces> given;
        if (macro.takes_arguments) {
            auto read = arguments(name);
            if (!read) return;
            given = std::move(*read);
        }
        if (given.size() != macro.parameters.size()) {
            return wrong(name.span, fmt::format("the macro {} takes {}, not {}", name.text,
                                                plural(macro.parameters.size(), "argument"), given.size()));
        }
        if (++expansions_ > most_expansions || rest_.size() > most_pieces)
            return wrong(name.span, fmt::format("the macro {} does not come to an end", name.text));
        for (size_t i = macro.body.size(); i-- > 0;) {
            const Piece& piece = macro.body[i];
            const auto parameter = piece.kind == PieceKind::at_word
                                       ? std::ranges::find(macro.parameters, piece.text.substr(1))
                                       : macro.parameters.end();
            if (parameter != macro.parameters.end()) {
                const Pieces& argument = given[static_cast<size_t>(parameter - macro.parameters.begin())];
                rest_.insert(rest_.end(), argument.rbegin(), argument.rend());
            } else {
                rest_.push_back(piece);
                rest_.back().span = name.span;
            }
        }
    }

    Macros& macros_;
    Diags& diags_;
    Pieces rest_;  // the next one last
    Pieces out_;
    size_t expansions_ = 0;
    bool stopped_ = false;
};

}  // namespace

Pieces expand_macros(Pieces pieces, Macros& macros, Diags& diags) {
    return Expander(std::move(pieces), macros, diags).run();
}

}  // namespace lt::stp
