#include "base/matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lt {
namespace {

using Bytes = std::bitset<256>;
constexpr uint8_t end_of_text = 0;
constexpr size_t most_nodes = 4096;
constexpr uint32_t most_states = 256, most_times = 255;
constexpr int most_depth = 100;

// ---- the nondeterministic automaton

using Node = uint32_t;
struct Step {
    enum class Kind : uint8_t { byte, both, begin, accept } kind = Kind::accept;
    Bytes bytes = {};  // byte: one of these, then `first`
    Node first = 0;    // both: here and at `second`; begin: here, at the beginning of the text
    Node second = 0;
};

Bytes every_byte() { return Bytes().set().reset(end_of_text); }

// Built from the end, because each part needs to know what follows it.
class Automaton {
  public:
    const std::vector<Step>& steps() const { return steps_; }
    bool too_large() const { return steps_.size() > most_nodes; }
    Node accept() { return add({Step::Kind::accept, {}, 0, 0}); }
    Node byte(const Bytes& bytes, Node next) { return add({Step::Kind::byte, bytes, next, 0}); }
    Node both(Node a, Node b) { return add({Step::Kind::both, {}, a, b}); }
    Node begin(Node next) { return add({Step::Kind::begin, {}, next, 0}); }
    void set_first(Node node, Node first) { steps_[node].first = first; }

  private:
    Node add(Step s) {
        if (!too_large()) steps_.push_back(s);
        return static_cast<Node>(steps_.size() - 1);
    }
    std::vector<Step> steps_;
};

// ---- a pattern as a tree

struct Part;
using Parts = std::vector<Part>;
struct Part {
    enum class Kind : uint8_t { bytes, begin, end, sequence, either, repeat } kind = Kind::sequence;
    Bytes bytes = {};
    Parts parts = {};
    uint32_t least = 0, most = 0;  // repeat; most_times + 1: any number
};
constexpr uint32_t any_number = most_times + 1;

Part bytes_part(const Bytes& bytes) { return {Part::Kind::bytes, bytes, {}, 0, 0}; }
Part sequence_of(Parts parts) { return {Part::Kind::sequence, {}, std::move(parts), 0, 0}; }
Part any_bytes() { return {Part::Kind::repeat, {}, {bytes_part(every_byte())}, 0, any_number}; }

Node build(Automaton& a, const Part& part, Node next);

Node build_repeat(Automaton& a, const Part& part, Node next) {
    const Part& what = part.parts.front();
    if (part.most == any_number) {
        const Node loop = a.both(next, next);
        a.set_first(loop, build(a, what, loop));
        next = loop;
    } else {
        const Node after = next;
        for (uint32_t i = part.least; i < part.most && !a.too_large(); i++) next = a.both(build(a, what, next), after);
    }
    for (uint32_t i = 0; i < part.least && !a.too_large(); i++) {
        const Node before = std::exchange(next, build(a, what, next));
        if (next == before) break;  // an empty part, which would stay one however often it is repeated
    }
    return next;
}

Node build(Automaton& a, const Part& part, Node next) {
    switch (part.kind) {
        case Part::Kind::bytes:
            return a.byte(part.bytes, next);
        case Part::Kind::begin:
            return a.begin(next);
        case Part::Kind::end:
            return a.byte(Bytes().set(end_of_text), next);
        case Part::Kind::sequence:
            for (size_t i = part.parts.size(); i > 0; i--) next = build(a, part.parts[i - 1], next);
            return next;
        case Part::Kind::either: {
            Node all = build(a, part.parts.back(), next);
            for (size_t i = part.parts.size() - 1; i > 0; i--) all = a.both(build(a, part.parts[i - 1], next), all);
            return all;
        }
        case Part::Kind::repeat:
            return build_repeat(a, part, next);
    }
    return next;
}

// ---- reading patterns

struct NamedBytes {
    std::string_view name;
    int (*has)(int);
};
constexpr std::array named_bytes{
    NamedBytes{"alpha", std::isalpha}, NamedBytes{"digit", std::isdigit},   NamedBytes{"alnum", std::isalnum},
    NamedBytes{"upper", std::isupper}, NamedBytes{"lower", std::islower},   NamedBytes{"space", std::isspace},
    NamedBytes{"blank", std::isblank}, NamedBytes{"punct", std::ispunct},   NamedBytes{"print", std::isprint},
    NamedBytes{"graph", std::isgraph}, NamedBytes{"xdigit", std::isxdigit}, NamedBytes{"cntrl", std::iscntrl},
};

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Result<Part> regex() {
        Part all = either(0);
        if (wrong_.empty() && at_ < text_.size()) wrong_ = "a `)` without a `(` before it";
        return take(std::move(all));
    }

    Result<Part> glob() {
        Parts parts{{Part::Kind::begin, {}, {}, 0, 0}};
        while (at_ < text_.size() && wrong_.empty()) parts.push_back(glob_part(text_[at_++]));
        parts.push_back({Part::Kind::end, {}, {}, 0, 0});
        return take(sequence_of(std::move(parts)));
    }

  private:
    Result<Part> take(Part part) const {
        if (wrong_.empty()) return part;
        return Error{wrong_, "", 0};
    }
    bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool skip(char c) { return at(c) && ++at_ > 0; }
    static Part one(char c) { return bytes_part(Bytes().set(static_cast<unsigned char>(c))); }

    Part glob_part(char c) {
        if (c == '*') return any_bytes();
        if (c == '?') return bytes_part(every_byte());
        if (c == '[') return bytes_part(bracket('!'));
        return c == '\\' ? escaped() : one(c);
    }

    Part escaped() {
        if (at_ == text_.size()) wrong_ = "a `\\` with nothing after it";
        return wrong_.empty() ? one(text_[at_++]) : Part{};
    }

    Part either(int depth) {
        if (depth > most_depth) wrong_ = "too many parentheses";
        Parts ways;
        do ways.push_back(sequence(depth));
        while (wrong_.empty() && skip('|'));
        return ways.size() == 1 ? std::move(ways.front()) : Part{Part::Kind::either, {}, std::move(ways), 0, 0};
    }

    Part sequence(int depth) {
        Parts parts;
        while (wrong_.empty() && at_ < text_.size() && !at('|') && !at(')')) parts.push_back(repeated(depth));
        return sequence_of(std::move(parts));
    }

    Part repeated(int depth) {
        Part part = single(depth);
        for (int times = 0; wrong_.empty(); times++) {
            uint32_t least = 0, most = any_number;
            if (skip('+')) {
                least = 1;
            } else if (skip('?')) {
                most = 1;
            } else if (skip('{')) {
                bounds(least, most);
            } else if (!skip('*')) {
                break;
            }
            if (times == most_depth) wrong_ = "too many repetitions of one part";
            part = {Part::Kind::repeat, {}, Parts{std::move(part)}, least, most};
        }
        return part;
    }

    // {n}, {n,} or {n,m}; `at` is after the brace.
    void bounds(uint32_t& least, uint32_t& most) {
        const auto n = number();
        least = n.value_or(0);
        most = least;
        if (skip(',')) most = at('}') ? any_number : number().value_or(any_number);
        if (!n || !skip('}') || (most != any_number && (most > most_times || most < least)) || least > most_times)
            wrong_ =
                fmt::format("a number of repetitions is written `{{n}}`, `{{n,}}` or `{{n,m}}`, up to {}", most_times);
    }

    std::optional<uint32_t> number() {
        std::optional<uint32_t> n;
        for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); at_++)
            n = std::min<uint32_t>(n.value_or(0) * 10 + static_cast<uint32_t>(text_[at_] - '0'), 10000);
        return n;
    }

    Part single(int depth) {
        const char c = text_[at_++];
        switch (c) {
            case '(': {
                Part inside = either(depth + 1);
                if (wrong_.empty() && !skip(')')) wrong_ = "a `(` without a `)`";
                return inside;
            }
            case '[':
                return bytes_part(bracket('^'));
            case '.':
                return bytes_part(every_byte());
            case '^':
                return {Part::Kind::begin, {}, {}, 0, 0};
            case '$':
                return {Part::Kind::end, {}, {}, 0, 0};
            case '\\':
                return escaped();
            case '*':
            case '+':
            case '?':
            case '{':
                wrong_ = fmt::format("a `{}` with nothing before it to repeat", c);
                return {};
            default:
                return one(c);
        }
    }

    // Starts after the opening bracket. `not_mark` as the first character inverts the set. A `]` at the very beginning
    // stands for itself.
    Bytes bracket(char not_mark) {
        const bool others = skip(not_mark);
        Bytes bytes;
        for (bool first = true; wrong_.empty() && (first || !at(']')); first = false) {
            if (at_ == text_.size()) {
                wrong_ = "a `[` without a `]`";
            } else if (text_.substr(at_).starts_with("[:")) {
                bytes |= named();
            } else {
                range(bytes);
            }
        }
        at_++;
        if (others) bytes = ~bytes;
        return bytes.reset(end_of_text);
    }

    void range(Bytes& bytes) {
        const auto from = static_cast<unsigned char>(text_[at_++]);
        unsigned to = from;
        if (at('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
            to = static_cast<unsigned char>(text_[at_ + 1]);
            at_ += 2;
        }
        if (to < from) wrong_ = "a range in brackets that ends before it begins";
        for (unsigned b = from; b <= to; b++) bytes.set(b);
    }

    Bytes named() {
        const size_t end = text_.find(":]", at_ + 2);
        const std::string_view name = end == text_.npos ? "" : text_.substr(at_ + 2, end - at_ - 2);
        const auto row = std::ranges::find(named_bytes, name, &NamedBytes::name);
        Bytes bytes;
        if (row == named_bytes.end()) {
            wrong_ =
                "`[: :]` takes one of alpha, digit, alnum, upper, lower, space, blank, punct, print, graph, xdigit, "
                "cntrl";
            return bytes;
        }
        for (int b = 0; b < 128; b++) bytes.set(static_cast<size_t>(b), row->has(b) != 0);
        at_ = end + 2;
        return bytes;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string wrong_;
};

// ---- the deterministic automaton

using Set = std::set<Node>;

class Subsets {
  public:
    explicit Subsets(const std::vector<Step>& steps) : steps_(steps) {}

    // The set of states reachable without reading a byte.
    Set reach(const Set& from, bool at_begin) const {
        Set all;
        std::vector<Node> left(from.begin(), from.end());
        while (!left.empty()) {
            const Node node = left.back();
            left.pop_back();
            if (!all.insert(node).second) continue;
            const Step& s = steps_[node];
            if (s.kind == Step::Kind::both) left.insert(left.end(), {s.first, s.second});
            if (s.kind == Step::Kind::begin && at_begin) left.push_back(s.first);
        }
        return all;
    }

    bool accepts(const Set& set) const {
        return std::ranges::any_of(set, [&](Node n) { return steps_[n].kind == Step::Kind::accept; });
    }

    Set after(const Set& set, size_t byte) const {
        Set next;
        for (Node n : set)
            if (steps_[n].kind == Step::Kind::byte && steps_[n].bytes[byte]) next.insert(steps_[n].first);
        return reach(next, false);
    }

  private:
    const std::vector<Step>& steps_;
};

// Bytes that are in the same sets of all steps form one class.
std::vector<uint8_t> classes_of(const std::vector<Step>& steps, uint32_t& width) {
    std::map<std::vector<bool>, uint8_t> known;
    std::vector<uint8_t> classes;
    for (size_t byte = 0; byte < 256; byte++) {
        std::vector<bool> in{byte == end_of_text};
        for (const Step& s : steps)
            if (s.kind == Step::Kind::byte) in.push_back(s.bytes[byte]);
        classes.push_back(known.emplace(std::move(in), static_cast<uint8_t>(known.size())).first->second);
    }
    width = static_cast<uint32_t>(known.size());
    return classes;
}

Result<Matcher> determined(const Automaton& automaton, Node begin) {
    const Error too_many{"this pattern is too large for a BPF program",
                         "make it shorter, with fewer alternatives and repetitions", 0};
    if (automaton.too_large()) return too_many;
    const Subsets subsets(automaton.steps());
    Matcher m;
    m.table = classes_of(automaton.steps(), m.width);
    std::map<Set, uint8_t> numbers;
    std::vector<Set> states{{}, {}, subsets.reach({begin}, true)};
    if (subsets.accepts(states.back())) states.back() = {};
    const bool always = states.back().empty();
    for (size_t s = 0; s < states.size(); s++)
        for (uint32_t c = 0; c < m.width; c++) {
            const auto byte =
                static_cast<size_t>(std::ranges::find(m.table.begin(), m.table.begin() + 256, c) - m.table.begin());
            const Set next = s <= matcher_yes || always ? Set{} : subsets.after(states[s], byte);
            uint8_t number = s == matcher_yes || always ? matcher_yes : matcher_no;
            if (subsets.accepts(next)) {
                number = matcher_yes;
            } else if (!next.empty() && byte != end_of_text) {
                const auto [known, is_new] = numbers.emplace(next, static_cast<uint8_t>(states.size()));
                if (is_new && states.size() == most_states) return too_many;
                if (is_new) states.push_back(next);
                number = known->second;
            }
            m.table.push_back(s == matcher_no ? matcher_no : number);
        }
    m.states = static_cast<uint32_t>(states.size());
    return m;
}

}  // namespace

Result<Matcher> regex_matcher(std::string_view pattern) {
    Result<Part> part = Reader(pattern).regex();
    if (!part) return part.error();
    Automaton a;
    const Node begin = build(a, sequence_of({any_bytes(), *std::move(part)}), a.accept());
    return determined(a, begin);
}

Result<Matcher> glob_matcher(std::string_view pattern) {
    const Result<Part> part = Reader(pattern).glob();
    if (!part) return part.error();
    Automaton a;
    const Node begin = build(a, *part, a.accept());
    return determined(a, begin);
}

bool matches(const Matcher& m, std::string_view text) {
    uint8_t state = matcher_begin;
    const auto step = [&](size_t byte) { state = m.table[256 + state * m.width + m.table[byte]]; };
    for (const char c : text.substr(0, text.find('\0'))) step(static_cast<unsigned char>(c));
    step(end_of_text);
    return state == matcher_yes;
}

}  // namespace lt
