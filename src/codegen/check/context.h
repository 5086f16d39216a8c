// The state of the type checker in one body. All bodies share the maps, whose types come from every use, so the
// whole program is checked again until nothing changes; only the diagnostics of the last round are kept (rounds.cpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diag.h"
#include "codegen/typed/typed.h"

namespace lt {

// The part of an item in which an expression is; it decides which values are available.
enum class Region : uint8_t { body, predicate, threshold, timeout };

// All maps of the program by name, in the order of their first use.
class MapTable {
  public:
    explicit MapTable(std::vector<MapInfo>& maps) : maps_(maps) {}
    uint32_t index(const std::string& name, Span where);  // adds a map that is new
    MapInfo& operator[](uint32_t i) { return maps_[i]; }

  private:
    std::vector<MapInfo>& maps_;
};

// A local that can be named.
struct NamedLocal {
    std::string name;
    uint32_t index;       // into Body::locals
    uint32_t level;       // of the block that first writes it
    bool is_open = true;  // until that block ends
};

struct CheckContext {
    const ast::Program& program;
    Typed& typed;
    Body& body;
    MapTable& maps;
    Kernel& kernel;
    Diags& diags;

    Region region = Region::body;
    std::vector<NamedLocal> named = {};                  // visible here, innermost last
    std::vector<NamedLocal> opened = {};                 // those of a span's predicate, for entry() in its block
    std::vector<std::string> failed = {};                // names of locals whose value has an error
    std::vector<LocalInfo> before = {};                  // the locals of the previous round
    uint32_t level = 0;                                  // nesting of the block
    uint32_t loops = 0;                                  // enclosing loops in the same function
    uint32_t passed_over = 0;                            // enclosing branches that are never taken
    std::vector<const ast::BlockValue*> calls = {};      // enclosing calls of the script's functions
    std::vector<std::optional<uint32_t>> attempts = {};  // enclosing `try` blocks: the local with the message
    std::optional<ast::ExprId> indexed = {};             // a histogram that is indexed: one bucket is read
    std::optional<ast::ExprId> printed = {};             // a direct argument of print() or printf()

    const ast::Expr& expr(ast::ExprId id) const { return program[id]; }
    Span span(ast::ExprId id) const { return program[id].span; }
    const Settings& settings() const { return program.settings; }
    const ResolvedPlace& place() const { return body.place; }

    Type& type(ast::ExprId id) { return body.types[static_cast<uint32_t>(id)]; }  // of an expression that was checked
    Use& use(ast::ExprId id) { return body.uses[static_cast<uint32_t>(id)]; }     // the meaning of a name
    // The local that a `let` or a loop declares.
    uint32_t& declared(const ast::Stmt& stmt) {
        return body.declared[static_cast<size_t>(&stmt - program.stmts.data())];
    }

    Diag& error(ast::ExprId id, std::string message) { return diags.error(span(id), std::move(message)); }
    Diag& error(Span where, std::string message) { return diags.error(where, std::move(message)); }

    // Records an assumption of the plan about the machine.
    void assume(Assumption one) { lt::assume(typed.assumed, std::move(one)); }

    // The type of a comparison. of_row() returns a row's type, in which truth_type() stands for truth().
    Type truth() const { return settings().shows_truths ? truth_type() : integer_type(); }
    Type of_row(const Type& row) const { return row == truth_type() ? truth() : row; }

    bool in_action() const { return body.role == Role::action; }
    // Is an expression evaluated when the span opens?
    bool is_opening() const {
        return region == Region::predicate || (body.role == Role::open && region != Region::timeout);
    }
};

}  // namespace lt
