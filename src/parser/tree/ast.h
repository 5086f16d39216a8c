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

#include "parser/tree/items.h"
#include "parser/tree/nodes.h"
#include "stdlib/settings.h"

namespace lt::ast {

using ItemNode =
    std::variant<Action, SpanAction, Chain, Parameter, FunctionItem, Macro, MapDeclaration, Config, Import, CText>;
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
    void put(ExprId id, ExprNode node);
    void put(StmtId id, StmtNode node);
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

// The value of an integer literal, with or without minus signs.
std::optional<int64_t> literal_integer(const Program& program, ExprId id);

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
