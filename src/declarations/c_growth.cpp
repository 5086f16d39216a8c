#include "declarations/c_growth.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "declarations/c_scan.h"

namespace lt {
namespace {

struct Growth {
    double bytes = 0;   // of the text with all macros replaced, without what stands for its parameters
    double copies = 1;  // how often a parameter is copied, at most
};

class Macros {
  public:
    // False if the line does not define a macro.
    bool define(std::string_view line) {
        const size_t word = line.find_first_not_of(" \t", 1);
        if (word == line.npos || !line.substr(word).starts_with("define")) return false;
        const std::string_view rest = trim(line.substr(word + std::string_view("define").size()));
        const std::vector<CWord> words = c_words(rest);
        if (words.empty()) return true;
        Macro macro;
        size_t end = words[0].offset + words[0].text.size();
        if (end < rest.size() && rest[end] == '(') {
            macro.takes = true;
            const size_t close = std::min(rest.find(')', end), rest.size());
            for (const CWord& parameter : c_words(rest.substr(end, close - end))) macro.names.push_back(parameter.text);
            end = close;
        }
        macro.body = rest.substr(end);
        known_[std::string(words[0].text)] = std::move(macro);
        return true;
    }

    // The weight of a text in which each of these names is a parameter. An argument of a macro counts as often as the
    // macro copies it.
    Growth of(std::string_view text, const std::vector<std::string_view>& parameters) {
        std::map<std::string_view, double> copies;
        std::vector<double> weights{1};
        size_t at = 0;
        double called = 1;  // the weight of the parentheses that come next
        Growth out;
        const auto walk_to = [&](size_t end) {
            for (; at < end; at++) {
                out.bytes += weights.back();
                if (text[at] == '(') weights.push_back(weights.back() * std::exchange(called, 1));
                if (text[at] == ')' && weights.size() > 1) weights.pop_back();
            }
        };
        for (const CWord& word : c_words(text)) {
            walk_to(word.offset);
            called = 1;
            if (std::ranges::find(parameters, word.text) != parameters.end()) copies[word.text] += weights.back();
            const auto macro = known_.find(std::string(word.text));
            if (macro == known_.end()) continue;
            const Growth inner = growth(macro->second);
            out.bytes += inner.bytes * weights.back();
            if (macro->second.takes && word.is_called) called = inner.copies;
        }
        walk_to(text.size());
        for (const auto& [name, count] : copies) out.copies = std::max(out.copies, count);
        return out;
    }

  private:
    struct Macro {
        std::vector<std::string_view> names;  // of its parameters
        std::string_view body;
        bool takes = false;  // anything in parentheses
        bool seen = false;
        Growth growth = {};
    };

    // A macro is not replaced within itself.
    const Growth& growth(Macro& macro) {
        if (!std::exchange(macro.seen, true)) macro.growth = of(macro.body, macro.names);
        return macro.growth;
    }

    std::map<std::string, Macro> known_;
};

}  // namespace

std::optional<Span> grows_without_end(const ast::Program& program) {
    Macros macros;
    std::vector<std::pair<std::string_view, Span>> pieces;
    for (const ast::Item& item : program.items) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        if (!piece) continue;
        if (piece->text.starts_with('#')) macros.define(piece->text);
        pieces.emplace_back(piece->text, item.span);
    }
    for (const auto& [text, span] : pieces)
        if (macros.of(text, {}).bytes > most_replaced) return span;
    return {};
}

}  // namespace lt
