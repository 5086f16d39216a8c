#include "stp_regex.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

namespace lt::stp {
namespace {

constexpr size_t most_ways = 64;
constexpr size_t most_class = 16;
constexpr size_t most_nesting = 16;

// What a sequence is made of.
enum class Sort : uint8_t { text, gap, begin, end };
struct Element {
    Sort sort;
    char text = 0;
};
using Sequence = std::vector<Element>;
using Ways = std::vector<Sequence>;

class RegexParser {
  public:
    explicit RegexParser(std::string_view pattern) : pattern_(pattern) {}

    Result<Ways> whole() {
        Result<Ways> ways = alternatives();
        if (ways && at_ < pattern_.size()) return refuse("a bracket `)` that nothing opens");
        return ways;
    }

  private:
    static Error refuse(std::string what) { return {std::move(what), "", 0}; }
    bool more() const { return at_ < pattern_.size(); }
    bool take(char c) {
        if (!more() || pattern_[at_] != c) return false;
        at_++;
        return true;
    }

    Result<Ways> alternatives() {
        if (++nesting_ > most_nesting) return refuse("groups that are nested so deeply");
        Ways all;
        do {
            Result<Ways> ways = sequence();
            if (!ways) return ways;
            all.insert(all.end(), ways->begin(), ways->end());
            if (all.size() > most_ways) return refuse("more than 64 ways to match");
        } while (take('|'));
        nesting_--;
        return all;
    }

    Result<Ways> sequence() {
        Ways done{{}};
        while (more() && pattern_[at_] != '|' && pattern_[at_] != ')') {
            Result<Ways> next = repeated();
            if (!next) return next;
            Ways longer;
            for (const Sequence& before : done) {
                for (const Sequence& after : *next) {
                    longer.push_back(before);
                    longer.back().insert(longer.back().end(), after.begin(), after.end());
                }
            }
            if (longer.size() > most_ways) return refuse("more than 64 ways to match");
            done = std::move(longer);
        }
        return done;
    }

    Result<Ways> repeated() {
        const bool any = pattern_[at_] == '.';
        Result<Ways> ways = any ? Result<Ways>(Ways{}) : one();
        if (!ways) return ways;
        if (any) {
            at_++;
            if (take('*')) return Ways{{{Sort::gap}}};
            return refuse("a `.` that is not `.*`");
        }
        if (take('?')) {
            ways->push_back({});
            return ways;
        }
        const char next = more() ? pattern_[at_] : '\0';
        // at the end nothing more has to be there
        if (next == '*' && at_ + 1 == pattern_.size() && nesting_ == 1) {
            at_++;
            return Ways{{}};
        }
        if (next == '+' && at_ + 1 == pattern_.size() && nesting_ == 1) {
            at_++;
            return ways;
        }
        if (next == '*' || next == '+' || next == '{') return refuse(fmt::format("the repetition `{}`", next));
        return ways;
    }

    Result<Ways> one() {
        const char c = pattern_[at_++];
        if (c == '^') return Ways{{{Sort::begin}}};
        if (c == '$') return Ways{{{Sort::end}}};
        if (c == '[') return class_of();
        if (c == '*' || c == '+' || c == '?') return refuse(fmt::format("`{}` with nothing before it", c));
        if (c == '(') {
            Result<Ways> inner = alternatives();
            if (inner && !take(')')) return refuse("a bracket `(` that nothing closes");
            return inner;
        }
        if (c != '\\') return Ways{{{Sort::text, c}}};
        if (!more()) return refuse("a `\\` at the end");
        const char escaped = pattern_[at_++];
        if (std::isalnum(static_cast<unsigned char>(escaped)) != 0) return refuse(fmt::format("`\\{}`", escaped));
        return Ways{{{Sort::text, escaped}}};
    }

    Result<Ways> class_of() {
        Ways out;
        if (take('^')) return refuse("a class of characters that must not be there, `[^`");
        while (more() && (pattern_[at_] != ']' || out.empty())) {
            const auto first = static_cast<unsigned char>(pattern_[at_++]);
            auto last = first;
            if (at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']') {
                last = static_cast<unsigned char>(pattern_[at_ + 1]);
                at_ += 2;
            }
            if (first == '[' && more() && pattern_[at_] == ':') return refuse("a class by its name, `[:`");
            for (unsigned c = first; c <= last; c++) out.push_back({{Sort::text, static_cast<char>(c)}});
            if (out.size() > most_class) return refuse("a class of more than 16 characters");
        }
        if (!take(']')) return refuse("a bracket `[` that nothing closes");
        return out;
    }

    std::string_view pattern_;
    size_t at_ = 0;
    size_t nesting_ = 0;
};

Result<RegexWay> way_of(const Sequence& sequence) {
    RegexWay way;
    bool gap_before = false, gap_after = false;
    for (size_t i = 0; i < sequence.size(); i++) {
        const Element& e = sequence[i];
        if (e.sort == Sort::begin && i > 0) return Error{"a `^` that is not at the begin", "", 0};
        if (e.sort == Sort::end && i + 1 < sequence.size()) return Error{"a `$` that is not at the end", "", 0};
        if (e.sort == Sort::begin) way.at_begin = true;
        if (e.sort == Sort::end) way.at_end = true;
        if (e.sort == Sort::gap) gap_after = true;
        if (e.sort != Sort::text) continue;
        if (way.parts.empty()) gap_before = gap_after;
        if (way.parts.empty() || gap_after) way.parts.emplace_back();
        gap_after = false;
        way.parts.back() += e.text;
    }
    if (way.parts.empty()) {
        const bool is_empty = way.at_begin && way.at_end && !gap_after;
        way.parts.emplace_back();
        way.at_begin = way.at_end = is_empty;
        return way;
    }
    if (way.parts.size() > 2) return Error{"more than two texts with `.*` between them", "", 0};
    way.at_begin = way.at_begin && !gap_before;
    way.at_end = way.at_end && !gap_after;
    return way;
}

}  // namespace

Result<std::vector<RegexWay>> regex_ways(std::string_view pattern) {
    const Result<Ways> ways = RegexParser(pattern).whole();
    if (!ways) return ways.error();
    std::vector<RegexWay> out;
    for (const Sequence& sequence : *ways) {
        Result<RegexWay> way = way_of(sequence);
        if (!way) return way.error();
        out.push_back(*std::move(way));
    }
    return out;
}

}  // namespace lt::stp
