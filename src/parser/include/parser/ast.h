// The tree that every grammar makes: closed sums, children as ids into vectors of the Program. It holds names and spans
// of text; nothing in it knows a kernel, a type or which grammar it came from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "stdlib/settings.h"

namespace lt::ast {

enum class ExprId : uint32_t {};
enum class StmtId : uint32_t {};

enum class UnaryOp : uint8_t { minus, logical_not, bit_not, dereference, address };
enum class BinaryOp : uint8_t {
    add,
    subtract,
    multiply,
    divide,
    modulo,
    shift_left,
    shift_right,
    bit_and,
    bit_or,
    bit_xor,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
};
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);

struct Integer {
    uint64_t value;
};
struct Boolean {
    bool value;
};
struct Duration {
    int64_t nanoseconds;
};
struct String {
    std::string value;
};  // escapes already replaced
struct Name {
    std::string name;
};  // pid, comm, arg0, args ...
struct Ellipsis {};  // `...`
struct Local {
    std::string name;
};  // $name, without the $
struct Map {  // @name or @name[key, ...], without the @; the anonymous map is ""
    std::string name;
    std::vector<ExprId> key;
    bool has_key = false;  // were there brackets?
};
struct Member {
    ExprId base;
    std::string field;
    Span field_span;
};  // base.field, base->field; a number where the base is a tuple
struct Index {
    ExprId base;
    ExprId index;
};  // base[index], where the base is no map
struct Tuple {
    std::vector<ExprId> parts;
    std::vector<std::string> names = {};  // of a record: (a = 1, b = 2); else empty
};
// A type of C as it was written: "struct file", "unsigned long", with so many stars behind it, then [count].
struct TypeName {
    Span span;
    std::string name;  // words with one blank between them, without const and volatile
    uint32_t pointers = 0;
    std::optional<uint64_t> count = {};
    bool any_tag = false;             // may the name be that of a struct or union without saying so?
    std::optional<ExprId> like = {};  // typeof(expression): the type of that; there is no name
};
struct Cast {
    TypeName type;
    ExprId value;
    bool decays = false;  // of an array in memory to its address, as in SystemTap
};
struct SizeOf {
    TypeName type;
};  // of an expression it is a Call
struct OffsetOf {
    TypeName type;
    std::vector<std::string> path;
};
struct Call {
    std::string name;
    Span name_span;
    std::vector<ExprId> arguments;
    bool lenient = false;  // is memory that cannot be read no error here, where there are errors?
};
struct Unary {
    UnaryOp op;
    ExprId operand;
};
struct Binary {
    BinaryOp op;
    ExprId left;
    ExprId right;
};
struct Conditional {
    ExprId condition;
    ExprId yes;
    ExprId no;
};

struct Step {  // ++x, x++, --x, x--
    ExprId target;
    BinaryOp op;
    bool before;  // is the value that of after the step?
};
struct Positional {
    uint32_t number;
};  // $1, $2 ...; 0: $#, how many there are

struct Block {
    std::vector<StmtId> statements;
};
struct BlockValue {  // { statements; value }
    Block block;
    std::optional<ExprId> value;
    bool is_call = false;  // the body of a function where it is called: `return` leaves it
};

struct AnyPart {};  // `*` among the parts of a map's key: whatever stands there

// What is known when the program is compiled, so that only what depends on it is looked at: are the names in it there,
// or, of `comptime`, the value itself.
struct Defined {
    ExprId value;
    bool is_value = false;
};

using ExprNode =
    std::variant<Integer, Boolean, Duration, String, Name, Ellipsis, Local, Map, Member, Index, Tuple, Cast, SizeOf,
                 OffsetOf, Call, Unary, Binary, Conditional, Step, Positional, BlockValue, AnyPart, Defined>;
struct Expr {
    Span span;
    ExprNode node;
};

struct Evaluate {
    ExprId value;
    bool discard = false;  // _ = value
};  // an expression as a statement: a call
struct Assign {                  // target = value, target += value ..., target++
    ExprId target;               // a Map or a Local
    std::optional<BinaryOp> op;  // of a compound assignment
    ExprId value;
};
struct If {
    ExprId condition;
    Block yes;
    Block no;
};
struct Return {
    std::optional<ExprId> value;
};
struct Let {  // let $name : type = value
    std::string name;
    Span name_span;
    std::optional<TypeName> type;
    std::optional<ExprId> value;
};
struct Scope {  // a block that stands alone
    Block body;
};
struct While {
    ExprId condition;
    Block body;
};
struct ForRange {  // for ($name : from..to), without `to`
    std::string name;
    Span name_span;
    ExprId from;
    ExprId to;
    Block body;
};
// In which order the entries of a map are visited, by the key or by the value. What a value is that collects is said by
// its statistic; without one it is that by which the map is printed.
struct MapOrder {
    enum class By : uint8_t { value, key, count, sum, min, max, avg, variance };
    By by = By::value;
    std::optional<uint32_t> part;  // By::key: of which only this part is asked, counted from 0; none: all, in turn
    bool descending = false;
    Span span;
};
struct ForMap {  // for ($name : @map): $name.0 is the key, $name.1 the value
    std::string name;
    Span name_span;
    // A Map; one with a key has an AnyPart in it, and only the entries are visited whose other parts are these.
    ExprId map;
    Block body;
    std::optional<MapOrder> order = {};  // none: as they are stored
    std::optional<ExprId> limit = {};    // so many at most
};
struct Unroll {  // the body so many times, one after the other
    ExprId count;
    Block body;
};
struct Jump {
    bool again;  // continue; else break
};

// What fails in the body at run time goes on with the handler, which has the message in the local `name`.
struct Attempt {
    Block body;
    std::string name;  // may be empty
    Span name_span;
    Block handler;
};
struct Raise {  // fails with this message
    ExprId message;
};

using StmtNode =
    std::variant<Evaluate, Assign, If, Return, Let, Scope, While, ForRange, ForMap, Unroll, Jump, Attempt, Raise>;
struct Stmt {
    Span span;
    StmtNode node;
};

// A probe that the program can do without.
struct Alternative {
    // One of several ways of saying it: where a sufficient one is there, those behind it in its group are left out.
    struct Choice {
        uint32_t group;
        uint32_t position;
        bool sufficient;
    };
    bool optional = false;  // is it no mistake if it is not there?
    std::vector<Choice> choices;
};

// A probe as it was typed, split at its colons: "kprobe:vfs_read" is {"kprobe", "vfs_read"}.
struct ProbeSpec {
    struct Part {
        Span span;
        std::string text;
    };
    Span span;
    std::vector<Part> parts;  // never empty
    std::string label;        // name=probe; may be empty
    Alternative alternative = {};
};

// probe, probe /predicate/ { body }
struct Action {
    std::vector<ProbeSpec> probes;
    std::optional<ExprId> predicate;
    Block body;
};

// One event of a span and the key that pairs it with the other one: probe[key, ...] /predicate/.
struct Endpoint {
    ProbeSpec probe;
    std::vector<ExprId> key;          // empty: the thread
    std::optional<ExprId> predicate;  // of one opening event among several: asked there, besides that of the span
    Span predicate_span;              // with its slashes
};

// timeout after { body }
struct Timeout {
    Span span;
    ExprId after;
    Block body;
};

// span name = opens -> closes /predicate/ > threshold < body > timeout ...
struct SpanAction {
    std::string name;  // may be empty
    Span name_span;
    std::vector<Endpoint> opens;   // never empty; each opens a span
    std::vector<Endpoint> closes;  // empty: the return of what opened it; else whichever comes first
    std::optional<ExprId> predicate;
    std::optional<ExprId> threshold;
    bool worst = false;  // `> worst`: longer than all that were reported so far
    Block body;
    std::optional<Timeout> timeout;
};

// param name = value "help"
struct Parameter {
    std::string name;
    Span name_span;
    ExprId value;      // a literal
    std::string help;  // may be empty
};

// fn name($parameter : type, ...) : type { body }
struct FunctionItem {
    struct Parameter {
        std::string name;
        Span span;
        TypeName type;
    };
    std::string name;
    Span name_span;
    std::vector<Parameter> parameters;
    std::optional<TypeName> result;
    Block body;
};

// macro name($local, @map, name) { body; value }
struct Macro {
    std::string name;
    Span name_span;
    std::vector<ExprId> parameters;  // each a Local, a Map without a key or a Name
    Block body;
    std::optional<ExprId> value;
};

// let @name = kind(entries)
struct MapDeclaration {
    std::string name;
    Span name_span;
    std::string kind;
    Span kind_span;
    uint64_t entries;
};

// config = { name = value; ... }
struct Config {
    struct Setting {
        std::string name;
        Span name_span;
        std::string value;
        Span value_span;
    };
    std::vector<Setting> settings;
};

struct Import {
    std::string path;
    Span path_span;
};

// A line of the C preprocessor, or the definition of a type.
struct CText {
    std::string text;
};

using ItemNode =
    std::variant<Action, SpanAction, Parameter, FunctionItem, Macro, MapDeclaration, Config, Import, CText>;
struct Item {
    Span span;
    ItemNode node;
};

// A function whose body is C of the kernel's kind; expressions call it by its name like any other.
struct CFunction {
    struct Parameter {
        std::string name;
        bool is_text;
    };
    enum class Result : uint8_t { number, text };
    std::string name;   // none that a script could write
    std::string shown;  // who it is, in messages
    Span span;          // of what it is declared by
    std::vector<Parameter> parameters;
    Result result = Result::number;
    std::string text;
    Span text_span;
    bool is_value = false;  // the text is an expression and no body
    Span kept_as_c = {};    // what in it has no counterpart in the language itself, into which it was to be put
};

// In what the compiler of C makes such functions are called so, with their index behind it. A number is passed as 64
// bits, a text by the address of its bytes; one that gives a text gets where it goes behind its parameters. The result
// is a number. Last comes the index of the loss that counts what cannot be read.
inline constexpr std::string_view c_prefix = "lt_c_";
// The lines of the script are those of a file of this name there.
inline constexpr std::string_view c_file = "script";

// C that such functions share.
struct CPiece {
    Span span;
    std::string text;
};

// An option that a script asks for: getopt("name", default, "description").
struct ScriptOption {
    std::string name;
    std::string otherwise;  // the default as it would be written; empty: it is a flag
    std::string description;
};

struct Program {
    std::vector<Expr> exprs;
    std::vector<Stmt> stmts;
    std::vector<Item> items;
    std::vector<ScriptOption> options;
    std::vector<CPiece> c_pieces;
    std::vector<CFunction> c_functions;
    Settings settings;  // of the dialect, changed by the program's own

    const Expr& operator[](ExprId id) const { return exprs[static_cast<uint32_t>(id)]; }
    const Stmt& operator[](StmtId id) const { return stmts[static_cast<uint32_t>(id)]; }
    std::optional<uint32_t> c_function(std::string_view name) const;
    ExprId add(Span span, ExprNode node);
    StmtId add(Span span, StmtNode node);
};

// Calls `visit` with each direct child of a node, in the order of the text.
void each_child(const Expr& expr, const std::function<void(ExprId)>& visit);
void each_expr(const Stmt& stmt, const std::function<void(ExprId)>& visit);
void each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit);
void each_block(const Expr& expr, const std::function<void(const Block&)>& visit);  // of a block with a value

// As it is written: "struct file *".
std::string text(const TypeName& type);

// "value", "count" ...: as it is written in sort(@map, ...) and top(@map, n, ...).
std::string_view spelling(MapOrder::By by);
std::optional<MapOrder::By> order_named(std::string_view name);
// sort(...) and top(...) in the head of a loop over a map.
struct OrderHead {
    std::string_view name;
    bool limited;  // the second argument says how many; the greatest come first
};
const OrderHead* order_head(std::string_view name);
// "key.1 desc"
std::string text(const MapOrder& order);

// The tree as indented text, one node a line; for --dump=ast and the golden tests.
std::string dump(const Program& program);

}  // namespace lt::ast
