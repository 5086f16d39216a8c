// What the parser says about a text, as the tests compare it.
#pragma once

#include <string>
#include <string_view>

#include "parser/parse.h"

namespace lt {

// All diagnostics of a program, drawn.
inline std::string mistakes(std::string text) {
    const Source source{"-e", std::move(text)};
    Diags diags;
    parse(source, diags);
    std::string out;
    for (const Diag& diag : diags.all()) out += draw(source, diag, false);
    return out;
}

// How many diagnostics a program has, and the first message.
inline std::string summary(std::string text) {
    const Source source{"-e", std::move(text)};
    Diags diags;
    parse(source, diags);
    if (diags.all().empty()) return "none";
    return std::to_string(diags.all().size()) + ": " + diags.all().front().message;
}

// The tree of a program without mistakes.
inline std::string tree(std::string text) {
    const Source source{"t.lt", std::move(text)};
    Diags diags;
    const ast::Program program = parse(source, diags);
    std::string out;
    for (const Diag& diag : diags.all()) out += draw(source, diag, false);
    return out + ast::dump(program);
}

// The value of `k:f { @ = TEXT; }` as a tree.
inline std::string value(std::string_view text) {
    const std::string all = tree("k:f { @ = " + std::string(text) + "; }");
    const std::string_view before = "action k:f\n  body\n    assign =\n      map @\n";
    return all.starts_with(before) ? all.substr(before.size()) : all;
}

inline std::string repeated(std::string_view what, size_t times) {
    std::string out;
    for (size_t i = 0; i < times; i++) out += what;
    return out;
}

}  // namespace lt
