// The state for resolving the names of bodies, one after the other.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"
#include "systemtap/grammar/tree.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {

// The properties of a global, from all its uses.
struct GlobalUse {
    const Global* global = nullptr;
    bool is_array = false;
    bool is_written = false;
    bool is_read = false;
    bool collects = false;  // <<<
    // The maps that keep its statistics: "count" always, "sum" ...; all of it in "samples" if a statistic needs the
    // values themselves.
    std::set<std::string> statistics = {};
};
using Globals = std::map<std::string, GlobalUse>;
using IsGlobal = std::function<bool(const std::string&)>;

// The functions of the script and the library by name and number of parameters; those of the script come first.
struct FunctionTable {
    const Function* find(const std::string& name, size_t arguments) const;
    bool has(const std::string& name) const;
    // Those with this name and number of parameters, in the order in which they are tried.
    std::vector<const Function*> overloads(const std::string& name, size_t arguments) const;
    std::vector<const Function*> all;
};
// The surroundings of a body.
struct Around {
    const StpPoint* row = nullptr;        // none: in a function
    const StpSystemCall* call = nullptr;  // of a system call, if there is only one
    std::string module = {};              // of the location; empty: in a program, or in several
    std::string mark = {};                // the mark's name; empty: there is none, or it is a pattern
    std::string written = {};             // for procfs().write: the parameter for $value
    bool at_return = false;               // in a span: values of the entry are saved there
    std::set<std::string> parameters;     // of the function
    const Function* function = nullptr;   // none: in a probe
};

// Prefix of the names of loops that look for entries by a part of the key.
inline constexpr std::string_view chosen_loop = "chosen#";

// The shared state of name resolution: the program that is changed, and what is known at the current position.
struct Names {
    Names(ast::Program& program_in, Globals& globals_in, const FunctionTable& functions_in, const Invocation& given_in,
          Diags& diags_in)
        : program(program_in), globals(globals_in), functions(functions_in), given(given_in), diags(diags_in) {}

    void put(ast::ExprId id, ast::ExprNode node) { program.put(id, std::move(node)); }
    ast::ExprId add(ast::ExprId like, ast::ExprNode node) { return program.add(span(like), std::move(node)); }
    ast::StmtId add(ast::ExprId like, ast::StmtNode node) { return program.add(span(like), std::move(node)); }
    const ast::ExprNode& node(ast::ExprId id) const { return program[id].node; }
    template <class Node>
    const Node* get(ast::ExprId id) const {
        return program.get<Node>(id);
    }
    Span span(ast::ExprId id) const { return program[id].span; }

    ast::Program& program;
    Globals& globals;
    const FunctionTable& functions;
    const Invocation& given;
    Diags& diags;
    std::set<const Function*> called;  // in all bodies so far
    std::set<std::string> touched;     // globals used so far
    std::set<std::string> texts;       // names that the script uses as texts
    // Names that nothing assigns, wherever one is read, in all bodies so far.
    struct Unassigned {
        std::string name;
        Span span;
        std::string hint;
    };
    std::vector<Unassigned> unassigned;
    std::vector<Span> uncaught;  // in a port: each `try` whose failing reads nothing catches, in all bodies so far

    // Of the current body.
    const Around* around = nullptr;
    struct Seen {
        bool plain = false;   // is there an assignment that gives it its type?
        bool joined = false;  // with .=
    };
    std::map<std::string, Seen> locals;
    std::map<std::string, ast::ExprId> given_types;  // by local: its first value
    std::optional<ast::ExprId> printed;              // printed directly: it does not need to become a string
    std::vector<std::string> walked;                 // arrays visited by the surrounding loops
    uint32_t loops = 0;
    size_t errors = 0;    // calls of error() so far
    size_t followed = 0;  // number of surrounding blocks with statements after this one
};

}  // namespace lt::stp
