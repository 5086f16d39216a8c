// What the grammar of SystemTap makes of one or more files: declarations, with expressions and statements in the
// ast::Program that all share. In it a name, a target variable ($x) and an @-word are still ast::Name, ast::Map and
// ast::Call as they were typed; link() says what each of them is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"
#include "parser/ast.h"

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
    bool sufficient = false;                // !: those behind it are not looked at if it is there
    std::optional<ast::ExprId> armed = {};  // if (condition)
};
std::string text(const Point& point);  // as it would be written, without its marks

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
    uint64_t size = 0;                 // 0: not said
    bool wraps = false;                // the oldest goes when there is no room
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
    Span embedded_span;                   // with its %{ and %}
};

// foreach (value = [keys] in array[slice] sorted limit n)
struct Each {
    struct Sort {
        Span span;
        bool asked = false;
        bool descending = false;
        std::string by;  // "@sum", empty: as it stands
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
    std::optional<ast::ExprId> statistic;  // instead of an array: a histogram
    Sort sort;
    std::optional<ast::ExprId> limit;
};

struct Tree {
    std::vector<Probe> probes;
    std::vector<Alias> aliases;
    std::vector<Global> globals;
    std::vector<Function> functions;
    std::vector<ast::CPiece> embedded;   // C outside of functions
    std::map<uint32_t, Span> kept_as_c;  // by where C of a function begins, what in it keeps it C
};

// Of C with its %{ and %}: that of the C alone.
inline Span c_span(Span whole) { return {whole.begin + 2, whole.end - 2}; }

// Names under which the grammar leaves what link() has to look at.
inline constexpr std::string_view address_call = "&";       // &$x
inline constexpr std::string_view regex_call = "=~";        // string =~ "pattern"
inline constexpr std::string_view embedded_call = "%{";     // %{ C %} as a value
inline constexpr std::string_view wildcard_name = "*";      // [*, k]
inline constexpr std::string_view collect_call = "<<<";     // aggregate <<< value
inline constexpr std::string_view in_call = "in ";          // [key] in array
inline constexpr std::string_view delete_call = "delete ";  // as a statement
inline constexpr std::string_view next_call = "next ";      // likewise

}  // namespace lt::stp
