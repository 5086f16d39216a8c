#include "declarations/arithmetic.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "declarations/c_scan.h"

namespace lt {
namespace {

// An integer of 64 bits.
struct Whole {
    uint64_t bits = 0;
    bool has_sign = true;
};

int64_t with_sign(Whole a) { return static_cast<int64_t>(a.bits); }

Whole beside(Whole a, Whole b, uint64_t bits) { return {bits, a.has_sign && b.has_sign}; }

Whole yes_or_no(bool yes) { return {yes ? uint64_t{1} : uint64_t{0}, true}; }

bool is_less(Whole a, Whole b) { return a.has_sign && b.has_sign ? with_sign(a) < with_sign(b) : a.bits < b.bits; }

std::optional<Whole> divided(Whole a, Whole b, bool rest) {
    if (b.bits == 0) return {};
    if (!a.has_sign || !b.has_sign) return beside(a, b, rest ? a.bits % b.bits : a.bits / b.bits);
    if (with_sign(b) == -1) return beside(a, b, rest ? uint64_t{0} : uint64_t{0} - a.bits);
    return beside(a, b, static_cast<uint64_t>(rest ? with_sign(a) % with_sign(b) : with_sign(a) / with_sign(b)));
}

std::optional<Whole> shifted(Whole a, Whole by, bool left) {
    if (by.bits >= 64) return {};
    if (left) return Whole{a.bits << by.bits, a.has_sign};
    if (!a.has_sign) return Whole{a.bits >> by.bits, false};
    return Whole{static_cast<uint64_t>(with_sign(a) >> by.bits), true};
}

using Operated = std::optional<Whole>;
struct OperatorRow {
    std::string_view text;
    int level;  // a higher one binds closer
    Operated (*apply)(Whole a, Whole b);
};
// No row comes after one whose text it begins with.
constexpr std::array operator_rows{
    OperatorRow{"||", 1, [](Whole a, Whole b) { return Operated(yes_or_no(a.bits != 0 || b.bits != 0)); }},
    OperatorRow{"&&", 2, [](Whole a, Whole b) { return Operated(yes_or_no(a.bits != 0 && b.bits != 0)); }},
    OperatorRow{"==", 6, [](Whole a, Whole b) { return Operated(yes_or_no(a.bits == b.bits)); }},
    OperatorRow{"!=", 6, [](Whole a, Whole b) { return Operated(yes_or_no(a.bits != b.bits)); }},
    OperatorRow{"<=", 7, [](Whole a, Whole b) { return Operated(yes_or_no(!is_less(b, a))); }},
    OperatorRow{">=", 7, [](Whole a, Whole b) { return Operated(yes_or_no(!is_less(a, b))); }},
    OperatorRow{"<<", 8, [](Whole a, Whole b) { return shifted(a, b, true); }},
    OperatorRow{">>", 8, [](Whole a, Whole b) { return shifted(a, b, false); }},
    OperatorRow{"|", 3, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits | b.bits)); }},
    OperatorRow{"^", 4, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits ^ b.bits)); }},
    OperatorRow{"&", 5, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits & b.bits)); }},
    OperatorRow{"<", 7, [](Whole a, Whole b) { return Operated(yes_or_no(is_less(a, b))); }},
    OperatorRow{">", 7, [](Whole a, Whole b) { return Operated(yes_or_no(is_less(b, a))); }},
    OperatorRow{"+", 9, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits + b.bits)); }},
    OperatorRow{"-", 9, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits - b.bits)); }},
    OperatorRow{"*", 10, [](Whole a, Whole b) { return Operated(beside(a, b, a.bits * b.bits)); }},
    OperatorRow{"/", 10, [](Whole a, Whole b) { return divided(a, b, false); }},
    OperatorRow{"%", 10, [](Whole a, Whole b) { return divided(a, b, true); }},
};

// 100, 0x64, 0144, 0b1100100, with the suffixes of C. One of 32 bits without a sign (~0U) is left to C.
std::optional<Whole> whole_literal(std::string_view word) {
    const std::string_view suffix = word.substr(word.find_last_not_of("uUlL") + 1);
    word.remove_suffix(suffix.size());
    int base = 10;
    if (word.starts_with("0x") || word.starts_with("0X"))
        base = 16;
    else if (word.starts_with("0b") || word.starts_with("0B"))
        base = 2;
    else if (word.size() > 1 && word.starts_with('0'))
        base = 8;
    if (base == 16 || base == 2) word.remove_prefix(2);
    const auto bits = parse_number<uint64_t>(word, base);
    if (!bits) return {};
    const bool has_u = suffix.find_first_of("uU") != suffix.npos;
    if (has_u && suffix.find_first_of("lL") == suffix.npos) return {};
    return Whole{*bits, !has_u && *bits <= std::numeric_limits<int64_t>::max()};
}

using MacroTexts = std::map<std::string, std::string, std::less<>>;

// Computes the values of macros, each once.
class Arithmetic {
  public:
    explicit Arithmetic(const MacroTexts& texts) : texts_(texts) {}

    // Nothing if its text is not arithmetic, or uses the macro itself.
    std::optional<Whole> value_of(std::string_view name) {
        const auto text = texts_.find(name);
        if (text == texts_.end()) return {};
        const auto [known, is_new] = values_.try_emplace(std::string(name));
        if (!is_new) return known->second;
        const std::string_view outer = std::exchange(rest_, text->second);
        const std::optional<Whole> value = choice();
        if (next().empty()) known->second = value;
        rest_ = outer;
        return known->second;
    }

  private:
    static constexpr unsigned deepest = 200;

    // The rest, without blanks before it.
    std::string_view next() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
        return rest_;
    }

    bool take(char c) {
        if (!next().starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool is_at_step() { return next().starts_with("++") || next().starts_with("--"); }

    std::optional<Whole> choice() {
        if (depth_ >= deepest) return {};
        depth_++;
        const std::optional<Whole> value = chosen();
        depth_--;
        return value;
    }

    std::optional<Whole> chosen() {
        const std::optional<Whole> condition = binary(1);
        if (!condition || !take('?')) return condition;
        const std::optional<Whole> yes = choice();
        if (!yes || !take(':')) return {};
        const std::optional<Whole> no = choice();
        if (!no) return {};
        return beside(*yes, *no, condition->bits != 0 ? yes->bits : no->bits);
    }

    std::optional<Whole> binary(int least) {
        std::optional<Whole> left = operand();
        while (left && !is_at_step()) {
            const std::string_view at = next();
            const auto* const row =
                std::ranges::find_if(operator_rows, [&](const OperatorRow& each) { return at.starts_with(each.text); });
            if (row == operator_rows.end() || row->level < least) break;
            rest_.remove_prefix(row->text.size());
            const std::optional<Whole> right = binary(row->level + 1);
            left = right ? row->apply(*left, *right) : std::nullopt;
        }
        return left;
    }

    std::optional<Whole> operand() {
        if (depth_ >= deepest || is_at_step()) return {};
        depth_++;
        const std::optional<Whole> value = take('(') ? inside() : signed_or_word();
        depth_--;
        return value;
    }

    std::optional<Whole> inside() {
        const std::optional<Whole> value = choice();
        return take(')') ? value : std::nullopt;
    }

    std::optional<Whole> signed_or_word() {
        if (take('+')) return operand();
        for (const char sign : {'-', '~', '!'}) {
            if (!take(sign)) continue;
            const std::optional<Whole> of = operand();
            if (!of) return {};
            if (sign == '!') return yes_or_no(of->bits == 0);
            return Whole{sign == '-' ? uint64_t{0} - of->bits : ~of->bits, of->has_sign};
        }
        const std::string_view at = next();
        const auto end = std::ranges::find_if_not(at, is_word_character);
        const std::string_view word = at.substr(0, static_cast<size_t>(end - at.begin()));
        if (word.empty()) return {};
        rest_.remove_prefix(word.size());
        return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? whole_literal(word) : value_of(word);
    }

    const MacroTexts& texts_;
    std::map<std::string, std::optional<Whole>, std::less<>> values_;  // nothing, too, of those that are being computed
    std::string_view rest_;
    unsigned depth_ = 0;
};

// Without comments, and with joined lines.
std::string plain_text(std::string_view line) {
    std::string out;
    while (!line.empty() && !line.starts_with("//")) {
        if (line.starts_with("/*")) {
            const size_t end = line.find("*/", 2);
            line.remove_prefix(end == line.npos ? line.size() : end + 2);
            out += ' ';
        } else if (line.starts_with("\\\n")) {
            line.remove_prefix(2);
        } else {
            out += line[0];
            line.remove_prefix(1);
        }
    }
    return out;
}

// The word that `text` begins with, after blanks; removes it from `text`.
std::string take_word(std::string_view& text) {
    text = trim(text);
    const auto end = std::ranges::find_if_not(text, is_word_character);
    std::string word(text.substr(0, static_cast<size_t>(end - text.begin())));
    text.remove_prefix(word.size());
    return word;
}

// The texts of macros without parameters that are defined once, whatever the conditions.
MacroTexts defined_once(const ast::Program& program) {
    MacroTexts out;
    std::set<std::string> others;
    int conditions = 0;
    for (const ast::Item& item : program.items) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        if (!piece || !piece->text.starts_with('#')) continue;
        const std::string line = plain_text(piece->text);
        std::string_view rest = std::string_view(line).substr(1);
        const std::string directive_word = take_word(rest);
        if (directive_word.starts_with("if")) conditions++;
        if (directive_word == "endif") conditions--;
        if (directive_word != "define" && directive_word != "undef") continue;
        std::string name = take_word(rest);
        const bool is_plain = directive_word == "define" && conditions == 0 && !rest.starts_with('(');
        if (!is_plain || !out.try_emplace(name, rest).second) others.insert(std::move(name));
    }
    std::erase_if(out, [&](const auto& macro) { return others.contains(macro.first); });
    return out;
}

}  // namespace

std::map<std::string, MacroNumber, std::less<>> arithmetic_macros(const ast::Program& program) {
    const MacroTexts texts = defined_once(program);
    Arithmetic arithmetic(texts);
    std::map<std::string, MacroNumber, std::less<>> out;
    for (const auto& [name, text] : texts) {
        const std::optional<Whole> value = arithmetic.value_of(name);
        if (!value) continue;
        const bool negative = value->has_sign && with_sign(*value) < 0;
        out.emplace(name, MacroNumber{negative, negative ? uint64_t{0} - value->bits : value->bits});
    }
    return out;
}

}  // namespace lt
