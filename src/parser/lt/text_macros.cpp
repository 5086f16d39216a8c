// Macros whose text is in the script's own language: `#define SLOW (nsecs - @start[tid] > $1)`. Their text is parsed as
// an expression at its place in the script, and replaces their names. Those that clang can evaluate are left to it.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "parser/lt/expand.h"
#include "parser/lt/lexer.h"
#include "parser/tree/growing_tree.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

constexpr size_t most_put = 10000;         // names that are replaced
constexpr uint32_t most_text_depth = 256;  // of texts in texts: later stages walk the tree recursively

using Bodies = std::map<std::string, Span, std::less<>>;  // of macros without parameters

std::string_view cut_word(std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_word_character);
    const std::string_view word = text.substr(0, static_cast<size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

// Where `//` begins, outside of strings; npos: there is none.
size_t comment_in(std::string_view line) {
    bool inside = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) inside = !inside;
        if (!inside && line.substr(i).starts_with("//")) return i;
    }
    return line.npos;
}

// The name and the text of `#define NAME TEXT`; the text is empty for other directives and macros with parameters.
std::pair<std::string_view, std::string_view> defined(std::string_view line) {
    if (!line.starts_with('#')) return {};
    line.remove_prefix(1);
    skip_blanks(line);
    if (cut_word(line) != "define") return {};
    skip_blanks(line);
    const std::string_view name = cut_word(line);
    if (line.starts_with('(')) return {};
    return {name, trim(line.substr(0, comment_in(line)))};
}

// Macros that are defined once.
Bodies macros_of(const Source& source, const ast::Program& program) {
    Bodies out;
    std::set<std::string, std::less<>> again;
    for (const ast::Item& item : program.items) {
        if (!std::holds_alternative<ast::CText>(item.node)) continue;
        const auto [name, text] = defined(source.at(item.span));
        if (name.empty() || text.empty()) continue;
        const auto begin = static_cast<uint32_t>(text.data() - source.text.data());
        const bool first = out.emplace(name, Span{begin, begin + static_cast<uint32_t>(text.size())}).second;
        if (!first) again.emplace(name);
    }
    for (const std::string& name : again) out.erase(name);
    return out;
}

// 1_000, 1e6, 10ms
bool is_number_of_script(std::string_view word) {
    constexpr std::array<std::string_view, 7> units{"ns", "us", "ms", "s", "m", "h", "d"};
    if (word.starts_with("0x") || word.starts_with("0X")) return word.find('_') != word.npos;
    const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    const std::string_view rest = word.substr(digits);
    return rest.starts_with('_') || rest.starts_with('e') || std::ranges::find(units, rest) != units.end();
}

// Words that C does not know and the script's language does.
bool is_word_of_script(std::string_view word) {
    constexpr std::array<std::string_view, 8> types{"int8",  "int16",  "int32",  "int64",
                                                    "uint8", "uint16", "uint32", "uint64"};
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return is_number_of_script(word);
    return std::ranges::find(types, word) != types.end() || find_variable(word) != nullptr ||
           find_function(word) != nullptr;
}

// Can only the script's parser read this? `known` are such macros.
bool is_of_script(std::string_view text, const std::set<std::string, std::less<>>& known) {
    while (!text.empty()) {
        if (text[0] == '@' || text[0] == '$') return true;
        if (text.starts_with("/*") || text[0] == '"') {
            const std::string_view end = text[0] == '"' ? "\"" : "*/";
            const size_t at = text.find(end, end.size());
            text.remove_prefix(at == text.npos ? text.size() : at + end.size());
        } else if (is_word_character(text[0])) {
            const std::string_view word = cut_word(text);
            if (known.contains(word) || is_word_of_script(word)) return true;
        } else {
            text.remove_prefix(1);
        }
    }
    return false;
}

// Parses only the macro's text: everything else is blank, so that all spans are those of the script.
std::optional<ast::ExprId> parsed(GrowingTree& tree, const Source& source, Span body) {
    constexpr std::string_view before = "END{_=(", after = ")}";  // shorter than `#define X `
    Source blank = source;
    blank.text.assign(body.begin - before.size(), ' ');
    blank.text += before;
    blank.text += source.at(body);
    constexpr std::string_view joins = "\\\n";  // lines; in a string, a backslash stays
    for (size_t at = blank.text.find(joins); at != std::string::npos; at = blank.text.find(joins, at))
        blank.text[at] = ' ';
    blank.text += after;
    ast::Program& program = tree.program;
    const size_t items = program.items.size();
    Lexing lexer(blank, tree.diags);
    Parser(lexer, tree).parse();
    const auto* action =
        program.items.size() == items + 1 ? std::get_if<ast::Action>(&program.items.back().node) : nullptr;
    std::optional<ast::ExprId> value;
    if (action != nullptr && action->body.statements.size() == 1) {
        const auto* evaluated = std::get_if<ast::Evaluate>(&program[action->body.statements.front()].node);
        if (evaluated != nullptr) value = evaluated->value;
    }
    program.items.erase(program.items.begin() + static_cast<ptrdiff_t>(items), program.items.end());
    return value;
}

// Macros whose text, or that of a macro in it, only the script's parser can read.
std::set<std::string, std::less<>> macros_of_script(const Source& source, const Bodies& bodies) {
    std::set<std::string, std::less<>> out;
    for (size_t before = SIZE_MAX; before != out.size();) {
        before = out.size();
        for (const auto& [name, body] : bodies)
            if (is_of_script(source.at(body), out)) out.insert(name);
    }
    return out;
}

// Expressions that take a macro's place: the elements [begin, end) of the program's. `within` is the index of the text
// that the macro's name stands in, `depth` the sum of the depths of this text and those around it.
struct Text {
    size_t begin = 0, end = 0;
    std::string name = {};  // empty: the script itself
    size_t within = 0;
    uint32_t depth = 0;
};

bool is_within(const std::vector<Text>& texts, size_t text, std::string_view name) {
    for (; text != 0; text = texts[text].within)
        if (texts[text].name == name) return true;
    return false;
}

}  // namespace

void put_text_macros(GrowingTree& tree, const Source& source) {
    ast::Program& program = tree.program;
    const Bodies bodies = macros_of(source, program);
    const std::set<std::string, std::less<>> of_script = macros_of_script(source, bodies);
    if (of_script.empty()) return;
    std::vector<Text> texts{{0, program.exprs.size()}};
    for (size_t text = 0; text < texts.size(); text++) {
        for (size_t i = texts[text].begin; i < texts[text].end; i++) {
            const auto* found = std::get_if<ast::Name>(&program.exprs[i].node);
            if (found == nullptr || !of_script.contains(found->name)) continue;
            const std::string name = found->name;
            if (is_within(texts, text, name)) {
                tree.diags.error(program.exprs[i].span, "the macro `" + name + "` uses itself");
                return;
            }
            const Span body = bodies.find(name)->second;
            if (texts.size() > most_put) {
                tree.diags.error(body, "macros are replaced by macros too often").hint =
                    "use fewer macros in each macro";
                return;
            }
            const size_t begin = program.exprs.size();
            const auto value = parsed(tree, source, body);
            if (!value) return;
            const uint32_t depth = texts[text].depth + tree.depth(*value);
            if (depth > most_text_depth) {
                tree.diags.error(program.exprs[i].span, "this is nested too deeply after its macros are replaced")
                    .hint = "let fewer macros use each other, or keep values in variables";
                return;
            }
            program.exprs[i].node = ast::ExprNode(program[*value].node);
            texts.push_back({begin, program.exprs.size(), name, text, depth});
            texts.push_back({i, i + 1, name, text, depth});  // the text can be one more name
        }
    }
}

}  // namespace lt
