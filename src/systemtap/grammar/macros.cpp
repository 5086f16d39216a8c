// SystemTap's macros. The text of a macro is expanded again, so macros can use macros; in diagnostics, all pieces of a
// macro are at the place of its use.
#include "systemtap/grammar/macros.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lt::stp {
namespace {

constexpr size_t most_expansions = 10000;
constexpr size_t most_inserted = 1 << 20;

}  // namespace

MacroReader::MacroReader(Pieces pieces, Macros& macros, Diags& diags) : macros_(macros), diags_(diags) {
    std::ranges::reverse(pieces);
    rest_ = std::move(pieces);
}

std::optional<Piece> MacroReader::next(bool expands) {
    while (!rest_.empty() && !failed_) {
        Piece piece = take();
        if (!expands) return piece;
        if (piece.kind == PieceKind::at_word && piece.text == "@define") {
            define(piece.span);
        } else if (const Macro* macro = find(piece)) {
            put(piece, *macro);
        } else {
            return piece;
        }
    }
    return {};
}

Piece MacroReader::take() {
    Piece piece = std::move(rest_.back());
    rest_.pop_back();
    return piece;
}

bool MacroReader::next_is(std::string_view mark) const { return !rest_.empty() && rest_.back().is(mark); }

const Macro* MacroReader::find(const Piece& piece) const {
    if (piece.kind != PieceKind::at_word) return nullptr;
    const auto found = macros_.find(piece.text.substr(1));
    return found == macros_.end() ? nullptr : &found->second;
}

void MacroReader::wrong(Span span, std::string message) {
    if (!failed_)
        diags_.error(span, std::move(message)).hint = "write `@define name(a, b) %( ... %)`, and `@name(x, y)`";
    failed_ = true;
}

void MacroReader::define(Span where) {
    if (rest_.empty() || rest_.back().kind != PieceKind::word) return wrong(where, "a macro needs a name");
    const std::string name = take().text;
    Macro macro;
    if (next_is("(")) parameters(macro);
    if (!next_is("%(")) return wrong(where, "the body of a macro is enclosed in `%( ... %)`");
    take();
    for (int depth = 1; !failed_;) {
        if (rest_.empty()) return wrong(where, "the body of this macro is never closed");
        Piece piece = take();
        depth += piece.is("%(") ? 1 : piece.is("%)") ? -1 : 0;
        if (depth == 0) break;
        macro.body.push_back(std::move(piece));
    }
    macros_[name] = std::move(macro);
}

void MacroReader::parameters(Macro& macro) {
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
std::optional<std::vector<Pieces>> MacroReader::arguments(const Piece& name) {
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

void MacroReader::put(const Piece& name, const Macro& macro) {
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
    if (++expansions_ > most_expansions)
        return wrong(name.span, fmt::format("the macro {} does not come to an end", name.text));
    for (size_t i = macro.body.size(); i-- > 0;) {
        const Piece& piece = macro.body[i];
        const auto parameter = piece.kind == PieceKind::at_word
                                   ? std::ranges::find(macro.parameters, piece.text.substr(1))
                                   : macro.parameters.end();
        if (parameter != macro.parameters.end()) {
            const Pieces& argument = given[static_cast<size_t>(parameter - macro.parameters.begin())];
            rest_.insert(rest_.end(), argument.rbegin(), argument.rend());
            inserted_ += argument.size();
        } else {
            rest_.push_back(piece);
            rest_.back().span = name.span;
            inserted_++;
        }
        if (inserted_ > most_inserted)
            return wrong(name.span, fmt::format("the macro {} makes the script too large", name.text));
    }
}

}  // namespace lt::stp
