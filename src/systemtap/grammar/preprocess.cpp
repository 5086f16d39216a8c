#include "systemtap/grammar/preprocess.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "arch/arch.h"
#include "base/text.h"

namespace lt::stp {
namespace {

constexpr std::string_view usage = "for example %( kernel_v >= \"6.1\" %? ... %: ... %)";

// The language version for scripts that check it, and the words that conditions can test.
constexpr std::string_view language_version = "5.0";

struct Question {
    std::string_view name;
    std::string (*answer)(const Invocation&);
    bool is_version;
};
const std::array questions{
    Question{"kernel_v", [](const Invocation& i) { return i.kernel_release.substr(0, i.kernel_release.find('-')); },
             true},
    Question{"kernel_vr", [](const Invocation& i) { return i.kernel_release; }, true},
    Question{"arch", [](const Invocation&) { return std::string(arch::native.name); }, false},
    Question{"systemtap_v", [](const Invocation&) { return std::string(language_version); }, true},
    Question{"systemtap_privilege", [](const Invocation&) { return std::string("stapdev"); }, false},
    Question{"guru_mode", [](const Invocation& i) { return std::string(i.guru ? "1" : "0"); }, false},
    Question{"runtime", [](const Invocation&) { return std::string("kernel"); }, false},
};

std::optional<int64_t> number_of(std::string_view text) {
    const bool is_hex = text.starts_with("0x");
    if (is_hex) text.remove_prefix(2);
    return parse_number<int64_t>(text, is_hex ? 16 : 10);
}

constexpr uint32_t most_nested = 256;  // conditions

// One side of a comparison.
struct Operand {
    std::string text;
    bool is_number = false;
    bool is_version = false;
    bool is_option = false;  // CONFIG_X: empty if it is not set
    bool is_fact = false;    // of this machine: what it is compared with may be a pattern

    std::optional<int64_t> number() const {
        return is_option && text.empty() ? std::optional<int64_t>(0) : number_of(text);
    }
};

class Chooser {
  public:
    Chooser(MacroReader& pieces, const Invocation& given, Diags& diags)
        : pieces_(pieces), given_(given), diags_(diags) {}

    Pieces run() {
        while (has_next()) {
            if (at_mark("%(")) {
                condition();
            } else {
                out_.push_back(take());
            }
        }
        return std::move(out_);
    }

  private:
    void wrong(Span span, std::string message) {
        if (!said_ && !pieces_.failed()) diags_.error(span, std::move(message)).hint = usage;
        said_ = true;
    }

    // A piece is read when it is looked at: by then it is known whether its macros are expanded.
    bool has_next() {
        if (!next_) next_ = pieces_.next(expands_);
        return next_ && !said_;
    }
    Piece take() {
        Piece piece = *std::exchange(next_, std::nullopt);
        last_ = piece.span;
        return piece;
    }
    bool at_mark(std::string_view mark) { return has_next() && next_->is(mark); }

    // From its %( to its %).
    void condition() {
        const Span open = take().span;
        if (++depth_ > most_nested) return wrong(open, "preprocessor conditions are nested too deeply");
        const bool holds = any();
        if (said_) return;
        if (!at_mark("%?")) return wrong(open, "a preprocessor condition ends with `%?`");
        take();
        side(open, holds);
        if (at_mark("%:")) {
            take();
            side(open, !holds);
        }
        if (said_) return;
        if (!at_mark("%)")) return wrong(open, "this %( is never closed");
        take();
        expands_ = true;
        depth_--;
    }

    // In a side that is dropped, only brackets count: of conditions, and of the bodies of macros.
    void side(Span open, bool kept) {
        expands_ = kept;
        for (int depth = 0; depth > 0 || (!at_mark("%:") && !at_mark("%)"));) {
            if (!has_next()) return wrong(open, "this %( is never closed");
            if (kept && at_mark("%(")) {
                condition();
                continue;
            }
            depth += at_mark("%(") ? 1 : at_mark("%)") ? -1 : 0;
            Piece piece = take();
            if (kept) out_.push_back(std::move(piece));
        }
    }

    bool any() {
        bool holds = all();
        while (at_mark("||")) {
            take();
            holds = all() || holds;
        }
        return holds;
    }
    bool all() {
        bool holds = comparison();
        while (at_mark("&&")) {
            take();
            holds = comparison() && holds;
        }
        return holds;
    }

    bool comparison() {
        const Operand left = operand();
        if (!goes_on()) return false;
        const Piece op = take();
        const Operand right = operand();
        if (said_) return false;
        const bool is_pattern = (op.text == "==" || op.text == "!=") && is_glob(right.text) && left.is_fact;
        if (is_pattern) return glob_match(right.text, left.text) == (op.text == "==");
        return ordered(order(left, right), op);
    }

    bool goes_on() {
        if (!has_next()) wrong(last_, "this preprocessor condition is never finished");
        return !said_;
    }

    // Texts are compared as such, even if they look like numbers.
    static int order(const Operand& left, const Operand& right) {
        if (left.is_version) return strverscmp(left.text.c_str(), right.text.c_str());
        const bool by_value = left.is_number || right.is_number || (left.is_option && right.is_option);
        const auto a = left.number(), b = right.number();
        if (by_value && a && b) return *a < *b ? -1 : *a > *b;
        return left.text.compare(right.text);
    }

    bool ordered(int order, const Piece& op) {
        if (op.text == "<") return order < 0;
        if (op.text == "<=") return order <= 0;
        if (op.text == ">") return order > 0;
        if (op.text == ">=") return order >= 0;
        if (op.text == "==") return order == 0;
        if (op.text == "!=") return order != 0;
        wrong(op.span, fmt::format("`{}` is not a comparison", op.text));
        return false;
    }

    Operand operand() {
        if (!goes_on()) return {};
        const Piece piece = take();
        if (piece.kind == PieceKind::string) return {piece.text};
        if (piece.kind == PieceKind::number) return {piece.text, true};
        if (piece.is("-") && has_next()) return {"-" + take().text, true};
        if (piece.kind == PieceKind::target || piece.kind == PieceKind::at_word) return given_word(piece);
        if (piece.kind == PieceKind::word) return answer(piece);
        wrong(piece.span, "a preprocessor condition can only compare words, strings and numbers");
        return {};
    }

    Operand given_word(const Piece& piece) {
        const Pieces placed = place_words({piece}, given_, diags_);
        if (placed.size() == 1 && placed[0].kind == PieceKind::number) return {placed[0].text, true};
        if (placed.size() == 1) return {placed[0].text};
        wrong(piece.span, fmt::format("{} cannot be compared", piece.text));
        return {};
    }

    Operand answer(const Piece& piece) {
        const auto* found = std::ranges::find_if(questions, [&](const Question& q) { return q.name == piece.text; });
        if (found != questions.end()) return {found->answer(given_), false, found->is_version, false, true};
        if (piece.text.starts_with("CONFIG_")) {
            const auto option = given_.kernel_config.find(piece.text);
            return {option == given_.kernel_config.end() ? "" : option->second, false, false, true, true};
        }
        wrong(piece.span, fmt::format("the preprocessor does not support `{}`", piece.text));
        return {};
    }

    MacroReader& pieces_;
    const Invocation& given_;
    Diags& diags_;
    std::optional<Piece> next_;
    Span last_;
    bool expands_ = true;
    uint32_t depth_ = 0;  // of conditions
    Pieces out_;
    bool said_ = false;
};

std::optional<size_t> word_number(const Piece& piece) {
    if (piece.kind != PieceKind::target && piece.kind != PieceKind::at_word) return {};
    const auto number = number_of(std::string_view(piece.text).substr(1));
    if (!number || *number < 1) return {};
    return static_cast<size_t>(*number);
}

Pieces joined(const Pieces& pieces) {
    Pieces out;
    for (const Piece& piece : pieces) {
        if (piece.kind == PieceKind::string && !out.empty() && out.back().kind == PieceKind::string) {
            out.back().text += piece.text;
            out.back().span = cover(out.back().span, piece.span);
        } else {
            out.push_back(piece);
        }
    }
    return out;
}

}  // namespace

Pieces choose(MacroReader& pieces, const Invocation& given, Diags& diags) {
    return Chooser(pieces, given, diags).run();
}

Pieces place_words(const Pieces& pieces, const Invocation& given, Diags& diags) {
    Pieces out;
    for (const Piece& piece : pieces) {
        const auto number = word_number(piece);
        if (piece.text == "$#" && piece.kind == PieceKind::target) {
            out.push_back({PieceKind::number, piece.span, std::to_string(given.positional.size()), piece.glued});
        } else if (piece.text == "@#" && piece.kind == PieceKind::at_word) {
            out.push_back({PieceKind::string, piece.span, std::to_string(given.positional.size()), piece.glued});
        } else if (!number) {
            out.push_back(piece);
        } else if (*number > given.positional.size()) {
            diags
                .error(piece.span, fmt::format("there is no {}: the script was given {}", piece.text,
                                               plural(given.positional.size(), "argument")))
                .hint = "write them after the script's name";
        } else if (piece.kind == PieceKind::at_word) {
            out.push_back({PieceKind::string, piece.span, given.positional[*number - 1], piece.glued});
        } else {
            Pieces words = scan_words(given.positional[*number - 1], piece.span, diags);
            if (!words.empty()) words.front().glued = piece.glued;
            out.insert(out.end(), words.begin(), words.end());
        }
    }
    return out;
}

Pieces preprocess(Pieces pieces, Macros& macros, const Invocation& given, Diags& diags) {
    const bool is_damaged = diags.has_errors();
    MacroReader reader(std::move(pieces), macros, diags);
    const Pieces chosen = choose(reader, given, diags);
    if (is_damaged || reader.failed()) return {};
    return joined(place_words(chosen, given, diags));
}

}  // namespace lt::stp
