// Programs that are cut off, with bytes missing or too many: whatever the text, parsing ends, every mistake lies in the
// text, and what is said to be without mistakes is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "parser/parse.h"

namespace lt {
namespace {

constexpr std::array<std::string_view, 9> programs = {
    "param slow = 10ms \"only slower\"\nparam who = \"\"; param n = -5\nk:f /comm == who/ { @x[tid] = hist(n); }\n",
    "span req = t:a:b[args.dev, @m[\"k]\"]] -> t:c:d[args.dev, 1], k:vfs_[rw]*[tid] /pid / 2 > 1/ > worst\n"
    "    < @[probe] = dist(latency); if (a > b) { print(req) } >\n    timeout slow * 2 { print(kstack); }\n",
    "t:sched:sched_switch /age(req, args.x) > slow/ { @b[kstack] = count(); $x = entry(args->y); $x++ }\n",
    "u:/lib/x[0-9].so:cpp:\"a[1](int)\", sc:read > 10ms < @ns = a ? ... : -1; >timeout 1s{}BEGIN{exit()}\n",
    "t:a:b[x], t:c:d[y]/pid/, t:e:f [1] /uid == 3/ -> k:g[2], k:h[z] /x / 2/ > 1s < @ = 1; >\n",
    "k:vfs_[rw] -> k:g[rw] < /* c */ @ = 1 > // c\nspan s = k:h [pid]->END<> timeout 1s { return; }\n",
    "#define A 1\nstruct x { int a; /* } */ };\nenum y { B }\nk:f { let $p : struct x *; }",
    "fn f($a : int8) : int8 { return $a; } macro m($x, e, @y) { @y[e] = $x++; e } let @y = lruhash(5); config = { "
    "license = "
    "GPL }\n"
    "chain c = \"a\" last k:f[x => y], k:g[z => 1] /z/ -> \"b\" in k:h -> k:i[x] -> k:j[1 => x], k:k[2 => y] -> "
    "k:l[x]\n"
    "unless \"r\" k:m[x] / x / unless k:n[x] > 1s < @[stage] = latency; @ = at(\"b\", 1); > else { @[reason] = 1; }\n",
    "n=BEGIN { let $i = f(2); for ($j : 0..$i) { while $j { break; } } for ($p : @y) { m($i, 1 ?: 2, @y); } }\n",
};

constexpr std::array<std::string_view, 26> insertions = {
    "[", "]", "{",  "}",  "(",  ")",       "<",      ">",         "/",       "->", ",",    ";",  "=",
    ":", "-", "\"", "\n", " 1", " param ", " span ", " timeout ", " worst ", "*",  "\xc3", "=>", " chain ",
};

bool is_whole(const ast::SpanAction& span) {
    const auto is_plain = [](const ast::Endpoint& e) { return e.key.empty() && !e.predicate; };
    return !span.opens.empty() && (!span.closes.empty() || std::all_of(span.opens.begin(), span.opens.end(), is_plain));
}
bool is_whole(const ast::Chain& chain) { return !chain.name.empty() && !chain.points.empty(); }
bool is_whole(const ast::Action& action) { return !action.probes.empty(); }
bool is_whole(const ast::FunctionItem& function) { return !function.name.empty(); }
bool is_whole(const ast::Macro& macro) { return !macro.name.empty(); }
bool is_whole(const ast::MapDeclaration& map) { return !map.kind.empty(); }
bool is_whole(const ast::Config&) { return true; }
bool is_whole(const ast::Import&) { return true; }
bool is_whole(const ast::CText& c) { return !c.text.empty(); }
bool is_whole(const ast::Parameter& parameter) { return !parameter.name.empty(); }

void survives(std::string text) {
    SCOPED_TRACE(text);
    const Source source{"t.lt", std::move(text)};
    Diags diags;
    const ast::Program program = parse(source, diags);
    ASSERT_LE(diags.all().size(), 21U);
    for (const Diag& diag : diags.all()) {
        ASSERT_LE(diag.span.begin, diag.span.end);
        ASSERT_LE(diag.span.end, source.text.size());
        ASSERT_FALSE(draw(source, diag, false).empty());
    }
    ast::dump(program);
    for (const ast::Item& item : program.items) {
        ASSERT_LE(item.span.end, source.text.size());
        const bool whole = std::visit([](const auto& node) { return is_whole(node); }, item.node);
        ASSERT_TRUE(whole || diags.has_errors());
    }
}

TEST(Damage, NoneIsNoMistake) {
    for (std::string_view program : programs) {
        const Source source{"t.lt", std::string(program)};
        Diags diags;
        parse(source, diags);
        for (const Diag& diag : diags.all()) ADD_FAILURE() << draw(source, diag, false);
    }
}

TEST(Damage, CutAtEveryByte) {
    for (std::string_view program : programs) {
        for (size_t at = 0; at < program.size(); at++) {
            survives(std::string(program.substr(0, at)));
            survives(std::string(program.substr(at)));
        }
    }
}

TEST(Damage, EveryByteMissing) {
    for (std::string_view program : programs) {
        for (size_t at = 0; at < program.size(); at++) survives(std::string(program).erase(at, 1));
    }
}

TEST(Damage, MoreAtEveryByte) {
    for (std::string_view program : programs) {
        for (size_t at = 0; at < program.size(); at++) {
            for (std::string_view more : insertions) survives(std::string(program).insert(at, more));
        }
    }
}

// Is what follows part of a comment, or of `a ? b : c`?
bool takes_next_line(std::string_view text) {
    const size_t comment = text.rfind("/*");
    const bool in_comment = comment != std::string_view::npos && text.find("*/", comment + 2) == std::string_view::npos;
    return in_comment || text.ends_with("?") || text.ends_with("? ");
}

// A mistake in one item hides none in the next.
TEST(Damage, NextItemIsStillRead) {
    for (std::string_view program : programs) {
        for (size_t at = 0; at < program.size(); at++) {
            const std::string_view begin = program.substr(0, at);
            if (takes_next_line(begin)) continue;
            const Source source{"t.lt", std::string(begin) + "\nk:last { @ = }\n"};
            Diags diags;
            parse(source, diags);
            ASSERT_TRUE(diags.has_errors());
            ASSERT_EQ(diags.all().back().message, "expected an expression, found `}`") << source.text;
        }
    }
}

}  // namespace
}  // namespace lt
