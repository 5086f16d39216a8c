// Formatting keeps the tree and every comment, has nothing to do the second time, and does not depend on the blanks of
// the text: all `.lt` files of the tree, all scripts of the text tests that parse, as they are and with other blanks.
#include "parser/format/format.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "parser/lt/lexer.h"
#include "parser/parse.h"

namespace lt {
namespace {

using K = Parser::symbol_kind;
using Random = std::minstd_rand;

std::string file_text(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string formatted_text(const std::string& text) {
    const Source source{"t.lt", text};
    Diags diags;
    std::string out = formatted(source, diags);
    for (const Diag& d : diags.all())
        if (d.severity == Severity::error) ADD_FAILURE() << draw(source, d, false);
    return out;
}

std::string tree_of(const std::string& text, bool& parses) {
    const Source source{"t.lt", text};
    Diags diags;
    const ast::Program program = parse_as_written(source, diags);
    parses = !diags.has_errors();
    return ast::dump(program);
}

// Other blanks for those in `gap`, which has no comment. With `lines` it keeps line breaks, and whether there are
// several.
std::string other_blanks(std::string_view gap, bool lines, bool may_be_empty, Random& random) {
    const auto below = [&](size_t n) { return random() % n; };
    const auto newlines = static_cast<size_t>(std::ranges::count(gap, '\n'));
    size_t wanted = lines ? newlines : below(6) == 0 ? 1 + below(3) : 0;
    if (lines && newlines > 1) wanted = 2 + below(3);
    std::string out(gap.find(',') == gap.npos ? "" : ",");  // one after the last event
    const auto blanks = [&] {
        for (size_t i = below(4); i > 0; i--) out += " \t \r"[below(4)];
    };
    blanks();
    for (; wanted > 0; wanted--) out += '\n', blanks();
    if (out.empty() && !gap.empty() && !may_be_empty) out = ' ';
    if (gap.empty() && !may_be_empty) out.clear();
    return out;
}

// Other blanks around the comments between two tokens. The end of a comment's line stays one.
std::string other_gap(std::string_view gap, bool lines, bool may_be_empty, Random& random) {
    std::string out;
    bool has_comment = false;
    while (!gap.empty()) {
        const size_t begin = std::min({gap.find("//"), gap.find("/*"), gap.find("#!"), gap.size()});
        const bool comment_follows = begin < gap.size();
        const std::string_view rest = gap.substr(begin);
        out += other_blanks(gap.substr(0, begin), lines || has_comment || comment_follows, may_be_empty, random);
        if (!comment_follows) return out;
        // a mark of an interpreter stays at the start of its line
        if (rest.starts_with("#!")) out.erase(out.find_last_not_of(" \t\r") + 1);
        const size_t end = rest.starts_with("/*") ? rest.find("*/") + 2 : std::min(rest.find('\n'), rest.size());
        out += rest.substr(0, end);
        gap = rest.substr(end);
        has_comment = true;
    }
    return out;
}

// The text with other blanks between its tokens and in types. Line breaks between statements and items, after a
// bracket that opens a block, and around comments stay: the formatter keeps them.
std::string damaged(const std::string& text, Random& random) {
    const Source source{"t.lt", text};
    Diags ignored;
    Lexing lexer(source, ignored);
    constexpr std::array keeps{K::S_LBRACE,     K::S_BARE_OPEN, K::S_SPAN_OPEN, K::S_RBRACE,
                               K::S_SPAN_CLOSE, K::S_SEMICOLON, K::S_C_TEXT,    K::S_YYEMPTY};
    constexpr std::array loose{K::S_LPAREN, K::S_RPAREN, K::S_COMMA, K::S_SEMICOLON, K::S_LBRACE, K::S_RBRACE};
    const auto is_one = [](const auto& kinds, SymbolKind kind) {
        return std::ranges::find(kinds, kind) != kinds.end();
    };
    std::string out;
    SymbolKind before = K::S_YYEMPTY;
    uint32_t end = 0;
    for (;;) {
        const Token token = next_token(lexer, 0);
        const SymbolKind kind = token.kind();
        const std::string_view gap = source.at({end, token.location.begin});
        const bool has_comment = gap.find('/') != gap.npos;  // a probe would continue with it
        const bool begins_item = lexer.item_begin == token.location.begin;
        const bool lines = (is_one(keeps, before) && kind != K::S_ELSE) || begins_item || kind == K::S_RBRACE ||
                           kind == K::S_SPAN_CLOSE;
        // after a definition in C the rest of the line matters
        const bool stays = (kind == K::S_LBRACKET && before == K::S_PROBE) || before == K::S_C_TEXT;
        out += stays
                   ? std::string(gap)
                   : other_gap(gap, lines,
                               !begins_item && !has_comment && (is_one(loose, before) || is_one(loose, kind)), random);
        const std::string_view word = source.at(token.location);
        for (const char c : word)
            out += (kind == K::S_CAST || kind == K::S_OFFSET) && c == ' ' ? " \t\n"[random() % 3] : c;
        if (kind == K::S_YYEOF) return out;
        before = kind;
        end = token.location.end;
    }
}

// All letters but blanks and what the formatter drops, in order: nothing else is lost, comments neither.
std::string letters_of(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != ';' && c != ',') out += c;
    return out;
}

// False: it is not a program.
bool holds(const std::string& text, size_t rounds) {
    SCOPED_TRACE(text);
    bool parses = false;
    const std::string tree = tree_of(text, parses);
    if (!parses) return false;
    if (testing::Test::HasFailure()) return true;  // one is enough to look at
    const std::string out = formatted_text(text);
    EXPECT_EQ(tree_of(out, parses), tree);
    EXPECT_EQ(letters_of(out), letters_of(text));
    EXPECT_EQ(formatted_text(out), out);
    for (Random random(1); rounds > 0; rounds--) {
        const std::string other = damaged(text, random);
        EXPECT_EQ(tree_of(other, parses), tree) << other;
        EXPECT_EQ(formatted_text(other), out) << other;
        EXPECT_FALSE(testing::Test::HasFailure()) << "with these blanks:\n" << other;
        if (testing::Test::HasFailure()) return true;
    }
    return true;
}

TEST(Formatter, FilesOfTheTree) {
    size_t count = 0;
    for (const char* folder : {"/examples", "/tools", "/src/driver"}) {
        for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(LT_SOURCE) + folder))
            if (file.path().extension() == ".lt") count += holds(file_text(file.path()), 4);
    }
    EXPECT_GT(count, 60U);
}

// Comments between any two tokens, and parts of lists that are too long for a line.
TEST(Formatter, CommentsAndLongPartsInExpressions) {
    const std::string name(70, 'n'),
        program =
            "span s = t:a:b[x,1] /y/, t:c:d[z] -> k:e[w] /v && u/ > 5ms < @x[a, b] = f(1 + 2, c ? d : e, (uint64)-x); "
            "> "
            "k:g /a || b/ { if (c && d) { $x = { $y = 1; $y }; } else if (e) { print(@m, 3); } else { $z = -g[1].h->i; "
            "} "
            "for ($k : 0..5) { @y++; } let $q : struct s * = arg0; $w = if (a) { 1 } else { 2 }; }";
    EXPECT_TRUE(holds("k:f { f(" + name + " + " + name + ", " + name + ".n." + name + "[" + name + "], 1); }", 3));
    EXPECT_TRUE(holds("k:f { @" + name + "[1, 2] = " + name + " == 1 ? " + name + " : " + name + "; }", 3));
    EXPECT_TRUE(
        holds("k:f /" + name + " == 1 && g(" + name + ", " + name + ")/ { $" + name + " += " + name + "; }", 3));
    bool parses = false;
    for (size_t at = program.find(' '); at != std::string::npos; at = program.find(' ', at + 1)) {
        for (const char* comment : {" // c\n", "\n// c\n", " /* c */ ", "\n/* c */ ", " /* c\n c */\n", "\n\n"}) {
            const std::string text = program.substr(0, at) + comment + program.substr(at + 1);
            tree_of(text, parses);
            EXPECT_EQ(holds(text, 1), parses);
        }
    }
}

// The parts `--- file NAME.lt` of a test.
size_t scripts_of_test(const std::string& test) {
    size_t count = 0;
    constexpr std::string_view mark = "\n--- file ";
    for (size_t at = test.find(mark); at != std::string::npos; at = test.find(mark, at)) {
        const size_t line = test.find('\n', at + 1);
        const std::string name = test.substr(at, line - at);
        const size_t end = test.find("\n--- ", line);
        at = line;
        if (name.ends_with(".lt") || name.ends_with(".bt")) count += holds(test.substr(line + 1, end - line), 3);
    }
    return count;
}

TEST(Formatter, ScriptsOfTheTests) {
    size_t count = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(LT_SOURCE "/tests"))
        if (file.path().extension() == ".test") count += scripts_of_test(file_text(file.path()));
    EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace lt
