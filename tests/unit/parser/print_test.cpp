// What is printed of a tree parses to the same tree: all examples, all scripts of the text tests that parse, and
// programs that put operators where a span or a predicate would take them for its end.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "parser/parse.h"
#include "parser/tree/print.h"

namespace lt {
namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// False: it is no program.
bool comes_back(const std::string& text) {
    SCOPED_TRACE(text);
    const Source source{"t.lt", text};
    Diags diags;
    const ast::Program program = parse_as_written(source, diags);
    if (diags.has_errors() || program.items.empty()) return false;
    const Source printed{"printed.lt", ast::print(program)};
    Diags wrong;
    const ast::Program again = parse_as_written(printed, wrong);
    for (const Diag& d : wrong.all()) ADD_FAILURE() << draw(printed, d, false);
    EXPECT_EQ(ast::dump(program), ast::dump(again)) << printed.text;
    EXPECT_EQ(ast::print(again), printed.text);
    return true;
}

TEST(Print, ExamplesAndToolsComeBack) {
    size_t count = 0;
    for (const std::string folder : {LT_SOURCE "/examples", LT_SOURCE "/tools"})
        for (const auto& file : std::filesystem::directory_iterator(folder))
            if (file.path().extension() == ".lt") count += comes_back(contents(file.path()));
    EXPECT_GT(count, 50U);
}

// The parts `--- file NAME.lt` of a test.
size_t scripts_of(const std::string& test) {
    size_t count = 0;
    constexpr std::string_view mark = "\n--- file ";
    for (size_t at = test.find(mark); at != std::string::npos; at = test.find(mark, at)) {
        const size_t line = test.find('\n', at + 1);
        const std::string name = test.substr(at, line - at);
        const size_t end = test.find("\n--- ", line);
        at = line;
        if (!name.ends_with(".lt") && !name.ends_with(".bt")) continue;
        count += comes_back(test.substr(line + 1, end - line));
    }
    return count;
}

TEST(Print, ScriptsOfTheTestsComeBack) {
    size_t count = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(LT_SOURCE "/tests")) {
        if (file.path().extension() == ".test") count += scripts_of(contents(file.path()));
    }
    EXPECT_GT(count, 100U);
}

TEST(Print, OperatorsThatCouldEndSomething) {
    constexpr std::array programs = {
        "k:f /a / 2 > 1 && b < 3/ > (x < 1 ? 2 : 3) < @[a > 1] = 1; @x = (a > b); if (a >> 2 > c) { @y++; } > timeout "
        "2s { @z--; }",
        "k:f { $x = -(-1); $y = - -$x; $z = &*(struct s *)arg0; $w = *(uint64 *)&args.b->c; $v = (1 + 2) * 3 - (4 - "
        "5); }",
        "k:f { $x = (a ? b : c) ? d : e ? f : g; $y = !(a == b) == (c < d); $z = (a, b).1; $t = (1,); $r = (p = 1, q = "
        "2).q; }",
        "k:f { $x = (int64)-$y; $z = (int8)(pid + 1); $w = ((struct a *)arg0)->b[2].c; let $q : string[16] = "
        "\"a\\\"\\n\"; }",
        "span s = t:a:b[x, 1] /y/, t:c:d[z] -> k:e[w] /v/ > worst < return; > k:g { for ($k : sort(@m[*, 1], key.1, "
        "desc)) { } }",
        "k:f { for ($k : top(@m, 3, avg, asc)) { break; } while (1 < 2) { continue; } unroll (3) { ++@x; } { @y = "
        "@x++; } _ = f(1); }",
        "interval:1s { if (a) { @x = 1; } else if (b) { @y = 1; } else { @z = { $a = 1; $a + 1 }; } }",
        "fn f($a, $b : int64) { return $a; } fn g() : string[8] { return \"x\"; } macro m(a, @b, $c) { @b[a] = $c; $c "
        "} param p = 1500us \"h\"",
        "k:f { $x = offsetof(struct a, b.c) + sizeof(struct a) + sizeof($y); $z = defined(args.x) ? 0x10 : 1h; }",
    };
    for (const char* program : programs) EXPECT_TRUE(comes_back(program)) << program;
}

}  // namespace
}  // namespace lt
