// The result of SystemTap's grammar for one or more files: declarations, with expressions and statements in the
// ast::Program that all share. Names, target variables ($x) and @-words are still ast::Name, ast::Map and ast::Call as
// typed; link() finds out what each of them is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt::stp {

// name or name(argument), of a probe point.
struct PointPart {
    Span span;
    std::string name;
    std::optional<std::variant<int64_t, std::string>> argument;
};

struct Point {
    Span span;
    std::vector<PointPart> parts;
    bool optional = false;                  // ?
    bool sufficient = false;                // !: if this one exists, those after it are ignored
    std::optional<ast::ExprId> armed = {};  // if (condition)
};
std::string text(const Point& point);  // as written, without its marks

struct Probe {
    Span span;
    std::vector<Point> points;
    ast::Block body;
};

// probe name = points { prologue }, { epilogue }
struct Alias {
    Span span;
    std::vector<PointPart> name;
    std::vector<Point> points;
    ast::Block before;
    ast::Block after;
};

struct Global {
    std::string name;
    Span span;
    std::optional<ast::ExprId> value;  // a literal
    uint64_t size = 0;                 // 0: not given
    bool wraps = false;                // the oldest entry is dropped if there is no room
};

struct Function {
    struct Parameter {
        std::string name;
        Span span;
        std::string type;  // "long", "string" or empty
    };
    std::string name;
    Span span;
    std::vector<Parameter> parameters;
    std::string type;
    int64_t priority = 1;
    ast::Block body;
    std::optional<std::string> embedded;  // C instead of a body
    Span embedded_span;                   // including its %{ and %}
};

// foreach (value = [keys] in array[slice] sorted limit n)
struct Each {
    struct Sort {
        Span span;
        bool asked = false;
        bool descending = false;
        std::string by;  // "@sum", empty: the value itself
    };
    struct Name {
        std::string name;
        Span span;
        Sort sort;
    };
    std::vector<Name> keys;
    std::optional<Name> value;
    std::string array;
    Span array_span;
    std::vector<ast::ExprId> slice;
    std::optional<ast::ExprId> statistic;  // a histogram instead of an array
    Sort sort;
    std::optional<ast::ExprId> limit;
};

struct Tree {
    std::vector<Probe> probes;
    std::vector<Alias> aliases;
    std::vector<Global> globals;
    std::vector<Function> functions;
    std::vector<ast::CPiece> embedded;   // C outside of functions
    std::map<uint32_t, Span> kept_as_c;  // by the position of a function's C, the part of it that keeps it C
};

// The C inside of %{ and %}.
inline Span c_span(Span whole) { return {whole.begin + 2, whole.end - 2}; }

// Names under which the grammar leaves constructs for link().
inline constexpr std::string_view address_call = "&";       // &$x
inline constexpr std::string_view regex_call = "=~";        // string =~ "pattern"
inline constexpr std::string_view embedded_call = "%{";     // %{ C %} as a value
inline constexpr std::string_view wildcard_name = "*";      // [*, k]
inline constexpr std::string_view collect_call = "<<<";     // aggregate <<< value
inline constexpr std::string_view in_call = "in ";          // [key] in array
inline constexpr std::string_view delete_call = "delete ";  // as a statement
inline constexpr std::string_view next_call = "next ";      // likewise

}  // namespace lt::stp
