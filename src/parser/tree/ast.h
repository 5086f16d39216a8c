// The tree that every grammar builds: closed sum types, with children as ids into vectors of the Program. It contains
// names and spans of text; it does not depend on a kernel, on types or on the grammar.
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
};  // base.field, base->field; a number if the base is a tuple
struct Index {
    ExprId base;
    ExprId index;
};  // base[index], where the base is not a map
struct Tuple {
    std::vector<ExprId> parts;
    std::vector<std::string> names = {};  // for a record, (a = 1, b = 2); otherwise empty
};
// A C type as written: "struct file", "unsigned long", the number of stars after it, then [count].
struct TypeName {
    Span span;
    std::string name;  // words separated by one space, without const and volatile
    uint32_t pointers = 0;
    std::optional<uint64_t> count = {};
    bool any_tag = false;             // may the name refer to a struct or union without the keyword?
    std::optional<ExprId> like = {};  // typeof(expression): the type of that; there is no name
};
struct Cast {
    TypeName type;
    ExprId value;
    bool decays = false;  // an array in memory becomes its address, as in SystemTap
};
struct SizeOf {
    TypeName type;
};  // for an expression it is a Call
struct OffsetOf {
    TypeName type;
    std::vector<std::string> path;
};
struct Call {
    std::string name;
    Span name_span;
    std::vector<ExprId> arguments;
    bool lenient = false;  // do failed reads not count as errors, even if errors are enabled?
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
    bool before;  // prefix: its value is that after the step
};
struct Positional {
    uint32_t number;
};  // $1, $2 ...; 0: $#, their number

struct Block {
    std::vector<StmtId> statements;
};
struct BlockValue {  // { statements; value }
    Block block;
    std::optional<ExprId> value;
    bool is_call = false;  // the inlined body of a function: `return` leaves it
};

struct AnyPart {};  // `*` among the parts of a map's key: matches anything

// A value that is known when the program is compiled, so that only the code that it selects is compiled: whether the
// names in it exist, or, for `comptime`, the value itself.
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
struct Scope {  // a block as a statement
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
// The order in which a loop visits a map's entries, by key or by value. For aggregations it names the statistic; the
// default is the one that print() sorts by.
struct MapOrder {
    enum class By : uint8_t { value, key, count, sum, min, max, avg, variance };
    By by = By::value;
    std::optional<uint32_t> part;  // By::key: compare only this part, counted from 0; empty: all parts in turn
    bool descending = false;
    Span span;
};
struct ForMap {  // for ($name : @map): $name.0 is the key, $name.1 the value
    std::string name;
    Span name_span;
    // A Map. If it has a key, the key contains an AnyPart, and the loop visits only entries whose other parts match.
    ExprId map;
    Block body;
    std::optional<MapOrder> order = {};  // empty: in the order of storage
    std::optional<ExprId> limit = {};    // the largest number of entries
};
struct Unroll {  // repeats the body this many times
    ExprId count;
    Block body;
};
struct Jump {
    bool again;  // continue; otherwise break
};

// A failure in the body at run time continues with the handler, which has the message in the local `name`.
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

// A probe that the program can run without.
struct Alternative {
    // One of several alternatives: if a sufficient one exists, later ones in its group are skipped.
    struct Choice {
        uint32_t group;
        uint32_t position;
        bool sufficient;
    };
    bool optional = false;  // is it allowed to be missing?
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
    std::optional<ExprId> predicate;  // of one opening event among several: checked there, in addition to the span's
    Span predicate_span;              // includes its slashes
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
    std::vector<Endpoint> closes;  // empty: the return of the opening call; otherwise the first of these
    std::optional<ExprId> predicate;
    std::optional<ExprId> threshold;
    bool worst = false;  // `> worst`: longer than everything reported so far
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

// A function whose body is kernel C; expressions call it by name like any other function.
struct CFunction {
    struct Parameter {
        std::string name;
        bool is_text;
    };
    enum class Result : uint8_t { number, text };
    std::string name;   // a name that a script cannot write
    std::string shown;  // its name in messages
    Span span;          // of its declaration
    std::vector<Parameter> parameters;
    Result result = Result::number;
    std::string text;
    Span text_span;
    bool is_value = false;  // the text is an expression, not a body
    Span kept_as_c = {};    // the part that cannot be translated to the language itself
};

// The prefix of these functions' names in the C compiler's output, followed by their index. Numbers are passed as 64
// bits, strings by address. A function that returns a string takes the result's address after its parameters. The
// result is a number. The last argument is the index of the loss that counts failed reads.
inline constexpr std::string_view c_prefix = "lt_c_";
// The name of the script's file in that output's line information.
inline constexpr std::string_view c_file = "script";

// C code that such functions share.
struct CPiece {
    Span span;
    std::string text;
};

// An option that a script defines: getopt("name", default, "description").
struct ScriptOption {
    std::string name;
    std::string otherwise;  // the default as written; empty: it is a flag
    std::string description;
};

struct Program {
    std::vector<Expr> exprs;
    std::vector<Stmt> stmts;
    std::vector<Item> items;
    std::vector<ScriptOption> options;
    std::vector<CPiece> c_pieces;
    std::vector<CFunction> c_functions;
    std::string declarations;  // as dumped, of a SystemTap script of which only the grammar is read
    Settings settings;         // of the dialect, changed by the program's own settings

    const Expr& operator[](ExprId id) const { return exprs[static_cast<uint32_t>(id)]; }
    const Stmt& operator[](StmtId id) const { return stmts[static_cast<uint32_t>(id)]; }
    std::optional<uint32_t> c_function(std::string_view name) const;
    ExprId add(Span span, ExprNode node);
    StmtId add(Span span, StmtNode node);
    void put(ExprId id, ExprNode node) { exprs[static_cast<uint32_t>(id)].node = std::move(node); }
    void put(StmtId id, StmtNode node) { stmts[static_cast<uint32_t>(id)].node = std::move(node); }
    // The node, if it is of this kind; otherwise nullptr.
    template <class Node>
    const Node* get(ExprId id) const {
        return std::get_if<Node>(&(*this)[id].node);
    }
    template <class Node>
    const Node* get(StmtId id) const {
        return std::get_if<Node>(&(*this)[id].node);
    }
    // Is it a Name, a Map, a Call ... with the name?
    template <class Node>
    bool is(ExprId id, std::string_view name) const {
        const Node* found = get<Node>(id);
        return found && found->name == name;
    }
    // The call that the statement consists of; nullptr: it is something else.
    const Call* call(StmtId id) const {
        const auto* evaluate = get<Evaluate>(id);
        return evaluate ? get<Call>(evaluate->value) : nullptr;
    }
    // The target of an assignment, if that is such a node; otherwise nullptr.
    template <class Node>
    const Node* target(StmtId id) const {
        const auto* assign = get<Assign>(id);
        return assign ? get<Node>(assign->target) : nullptr;
    }
};

// Calls `visit` for each direct child of a node, in the order of the text.
void each_child(const Expr& expr, const std::function<void(ExprId)>& visit);
void each_expr(const Stmt& stmt, const std::function<void(ExprId)>& visit);
void each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit);
void each_block(const Expr& expr, const std::function<void(const Block&)>& visit);  // for a block with a value

// All expressions of a part of the tree, outer ones before inner ones, also those in blocks. `enter` says whether to
// look below an expression, and may change it.
void walk(const Program& program, ExprId id, const std::function<bool(ExprId)>& enter);
void walk(const Program& program, const Block& block, const std::function<bool(ExprId)>& enter);
template <class Part, class Visit>
void each_expr_in(const Program& program, const Part& part, const Visit& visit) {
    walk(program, part, [&](ExprId id) {
        visit(id);
        return true;
    });
}
template <class Part, class Is>
bool any_expr_in(const Program& program, const Part& part, const Is& is) {
    bool found = false;
    walk(program, part, [&](ExprId id) {
        found = found || is(id);
        return !found;
    });
    return found;
}
// All statements of a block, also those of the blocks in it.
void each_statement(const Program& program, const Block& block, const std::function<void(StmtId)>& visit);

// As written: "struct file *".
std::string text(const TypeName& type);

// "value", "count" ...: as in sort(@map, ...) and top(@map, n, ...).
std::string_view spelling(MapOrder::By by);
std::optional<MapOrder::By> order_named(std::string_view name);
// sort(...) and top(...) in the head of a loop over a map.
struct OrderHead {
    std::string_view name;
    bool limited;  // the second argument is the limit; the largest come first
};
const OrderHead* order_head(std::string_view name);
// "key.1 desc"
std::string text(const MapOrder& order);

// The tree as indented text, one node per line; for --dump=ast and the golden tests.
std::string dump(const Program& program);
std::string dump(const Program& program, const Block& block, size_t depth);  // its statements
std::string dump(const Program& program, ExprId id, size_t depth);

}  // namespace lt::ast
