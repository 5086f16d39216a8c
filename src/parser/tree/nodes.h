// The expressions and statements of the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"

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
constexpr bool compares(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }

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
// In the sources of a TypeName: the kernel and its modules.
inline constexpr std::string_view kernel_source = "kernel";
// A C type as written: "struct file", "unsigned long", the number of stars after it, then [count].
struct TypeName {
    Span span;
    std::string name;  // words separated by one space, without const and volatile
    uint32_t pointers = 0;
    std::optional<uint64_t> count = {};
    bool any_tag = false;             // may the name refer to a struct or union without the keyword?
    std::optional<ExprId> like = {};  // typeof(expression): the type of that; there is no name
    // Whose types, in this order: "kernel", the path of a program, "<header>" for any program. Empty: those of the
    // traced program, then the kernel's.
    std::vector<std::string> sources = {};
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

}  // namespace lt::ast
