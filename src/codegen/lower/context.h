// The function that is being built; the lowering functions of these folders append operations to it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/ir/builder.h"
#include "codegen/lower/unit.h"
#include "codegen/typed/operators.h"

namespace lt {

// A body of the program; one or more functions are made from it.
struct BodyContext {
    BodyContext(Unit& unit_in, const Body& body_in) : unit(unit_in), body(body_in), program(unit_in.program) {}
    size_t number() const { return static_cast<size_t>(&body - unit.typed.bodies.data()); }

    Unit& unit;
    const Body& body;
    const ast::Program& program;
    std::optional<PlannedGate> gate;  // decides which events the session may skip
};

// The loop around a statement: how to leave it, and how its next iteration begins.
struct LoopAround {
    std::optional<uint32_t> leave;  // a scope; empty: the loop's own end
    uint32_t next;
};
// The call of one of the script's functions that contains a statement.
struct CallAround {
    uint32_t scope;
    std::optional<uint32_t> result;  // a local
};
// The handler of an error: the scope where execution continues, and the local that receives the message.
struct AttemptAround {
    uint32_t handler;  // a scope
    std::optional<uint32_t> message;
};
// Uncaught errors: the scope around the whole function, and the slots for which error it was.
struct Uncaught {
    uint32_t scope, error, address;  // the latter two are slots
};
// The key and value at the loop's current position in a map.
struct Pair {
    ir::Value key = ir::no_value;
    ir::Value value = ir::no_value;
};
// A frozen value at the close of a span: an integer is in a slot, a string in a buffer.
struct Thawed {
    uint32_t slot = 0;
    ir::Value buffer = ir::no_value;
};

struct Lowering : BodyContext {
    // Begins a function of this name.
    Lowering(const BodyContext& context, const std::string& name, Way way, bool at_return);
    // Ends the function: raises errors that nothing caught, and allocates its buffers. Reports a function that needs
    // too much memory.
    void finish(Span where);

    const Type& type(ast::ExprId id) const { return body.types[static_cast<uint32_t>(id)]; }
    const Use& use(ast::ExprId id) const { return body.uses[static_cast<uint32_t>(id)]; }
    const ast::Expr& expr(ast::ExprId id) const { return program[id]; }
    const std::vector<LocalInfo>& locals() const { return stuck == ir::no_value ? body.locals : body.timeout_locals; }
    // The local that a statement declares.
    uint32_t declared(const ast::Stmt& stmt) const {
        return body.declared[static_cast<size_t>(&stmt - program.stmts.data())];
    }
    bool on_host() const { return way == Way::host; }
    // Are failures at run time errors of the script?
    bool raises() const { return program.settings.runtime_errors; }

    ir::Function& function;
    const Way way;
    const bool at_return;
    Builder b;

    std::vector<uint32_t> local_slots;     // of integer locals
    std::vector<ir::Value> local_buffers;  // of string locals, and of integers whose address is taken
    std::map<uint32_t, Pair> pairs;        // by local
    std::vector<LoopAround> loops;
    std::vector<CallAround> calls;
    std::vector<AttemptAround> attempts;
    std::optional<Uncaught> uncaught;
    std::set<uint32_t> printed_maps;  // printed before in the same block, and not used since
    std::set<uint32_t> read_maps;     // on the host: maps that the block has read
    bool as_handed = false;           // take arguments from the context, with the types that the verifier knows?
    ir::Value call_number = ir::no_value, call_row = ir::no_value;  // in a program for many system calls: this one's

    // At the close of a span, frozen values come from the opening.
    bool closing = false;
    std::vector<Thawed> thawed;  // indexed as SpanLayout::frozen
    uint32_t latency_slot = 0;
    ir::Value why = ir::no_value;         // the value of `why`
    std::optional<uint32_t> opener_slot;  // for the flight recorder: the thread that opened the span
    ir::Value now = ir::no_value;
    ir::Value stuck = ir::no_value;  // in a timeout's block: the record of the stuck span
};

}  // namespace lt
