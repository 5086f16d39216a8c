// From the typed tree to IR and plan. `Unit` collects what the whole program shares; `BodyLowering` makes the functions of one Body.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "builder.h"
#include "codegen/compile.h"

namespace lt {

class Unit {
  public:
    Unit(const ast::Program& program, const Typed& typed, Diags& diags);
    ir::Program take() { return std::move(out_); }

    uint32_t text(std::string bytes, uint32_t size);  // padded with zeros to `size`; the same text once only
    uint32_t zeros(uint32_t size) { return text("", size); }
    uint32_t event(PlannedEvent event);
    const PlannedEvent& planned(uint32_t event) const { return out_.plan.events[event]; }
    uint32_t loss(LossKind kind, uint32_t subject);
    uint32_t span_map(const PlannedSpan& span, uint32_t& index);
    uint32_t ring();  // the ring buffer's index among the maps; made when first asked for
    PlannedMap& map(uint32_t i) { return out_.plan.maps[i]; }
    ir::Function& function(std::string name);
    PlannedProbe& probe(const ResolvedPlace& place);

    const ast::Program& program;
    const Typed& typed;
    Diags& diags;

  private:
    void plan_map(const MapInfo& info);
    ir::Program out_;
    std::optional<uint32_t> ring_;
};

constexpr uint32_t ring_size = 4 << 20;  // bytes

// A value frozen at the opening of a span: an argument of the function.
using Frozen = std::map<uint32_t, uint32_t>;  // number of the argument -> index

class BodyLowering {
  public:
    BodyLowering(Unit& unit, const Body& body) : unit_(unit), body_(body), program_(unit.program) {}
    void run();

  private:
    // lower.cpp: functions
    void action(const ast::Action& node, PlannedProbe& probe, Rung& rung);
    void span(const ast::SpanAction& node, PlannedProbe& probe, Rung& rung);
    void open_function(const ast::SpanAction& node, const std::string& name, Way way, const PlannedSpan& span, uint32_t map, uint32_t index);
    void close_function(const ast::SpanAction& node, const std::string& name, Way way, const PlannedSpan& span, uint32_t map, uint32_t index);
    void latency_and_body(const ast::SpanAction& node, ir::Value now, ir::Value opened, uint32_t index);
    void collect_frozen(const ast::SpanAction& node);
    void note_frozen(ast::ExprId id);
    void note_frozen(const ast::Block& block);
    ir::Function& begin(const std::string& name, Way way, bool at_return);
    void finish(Span where);
    void make_locals();
    Attachment attachment(const std::string& program, bool at_return) const;

    // lower_stmt.cpp
    void block(const ast::Block& block);
    void statement(const ast::Stmt& stmt);
    void statement(const ast::Stmt& stmt, const ast::Evaluate& node);
    void statement(const ast::Stmt& stmt, const ast::Assign& node);
    void statement(const ast::Stmt& stmt, const ast::If& node);
    void statement(const ast::Stmt& stmt, const ast::Return& node);
    void assign_map(const ast::Assign& node, const ast::Map& target, uint32_t map);
    void assign_local(const ast::Assign& node, uint32_t local);
    void store_value(uint32_t map, ir::Value key, ast::ExprId value);
    void collect(uint32_t map, ir::Value key, const FunctionRow& row, const ast::Call& call);
    void update(uint32_t map, ir::Value slot, const FunctionRow& row, const ast::Call& call);
    void with_slot(uint32_t map, ir::Value key, const std::function<void(ir::Value)>& use);
    ir::Value key_of(uint32_t map, const ast::Map& node);
    void call(const ast::Stmt& stmt, ast::ExprId id, const ast::Call& node, Function function);
    void emit_event(PlannedEvent event, const std::vector<ast::ExprId>& values, bool wake = false);
    void write_record(uint32_t event, const std::vector<ir::Value>& values, bool wake);
    void print(const ast::Call& node);
    void printf(const ast::Call& node);
    void remove(const ast::Call& node);

    // lower_expr.cpp
    ir::Value integer(ast::ExprId id);
    ir::Value integer_of(ast::ExprId id, const ast::Integer& node);
    ir::Value integer_of(ast::ExprId id, const ast::Duration& node);
    ir::Value integer_of(ast::ExprId id, const ast::String& node);
    ir::Value integer_of(ast::ExprId id, const ast::Name& node);
    ir::Value integer_of(ast::ExprId id, const ast::Ellipsis& node);
    ir::Value integer_of(ast::ExprId id, const ast::Local& node);
    ir::Value integer_of(ast::ExprId id, const ast::Map& node);
    ir::Value integer_of(ast::ExprId id, const ast::Member& node);
    ir::Value integer_of(ast::ExprId id, const ast::Call& node);
    ir::Value integer_of(ast::ExprId id, const ast::Unary& node);
    ir::Value integer_of(ast::ExprId id, const ast::Binary& node);
    ir::Value integer_of(ast::ExprId id, const ast::Conditional& node);
    ir::Value variable(const VariableUse& use);
    ir::Value argument(uint32_t n);
    ir::Value logical(const ast::Binary& node);
    ir::Value same_strings(const ast::Binary& node);
    ir::Value arithmetic(ast::BinaryOp op, bool is_signed, ir::Value a, ir::Value b);
    ir::Value truth(ir::Value v);
    // The address of `room` bytes (a multiple of 8) that hold the string, padded with zeros.
    ir::Value string(ast::ExprId id, uint32_t room);
    // Writes the string to memory at `to` + offset, which is zero.
    void string_into(ast::ExprId id, ir::Value to, uint32_t offset, uint32_t room);
    void field_string(const Field& field, ir::Value to, uint32_t room);
    void read_string(ir::Value to, uint32_t room, ast::ExprId address);

    const Type& type(ast::ExprId id) const { return body_.types[static_cast<uint32_t>(id)]; }
    const Use& use(ast::ExprId id) const { return body_.uses[static_cast<uint32_t>(id)]; }

    Unit& unit_;
    const Body& body_;
    const ast::Program& program_;
    std::optional<Builder> b_;
    Frozen frozen_;
    bool closing_ = false;                       // in the close function of a span: arguments come from the opening
    std::vector<uint32_t> frozen_slots_;         // where the close function keeps them
    uint32_t latency_slot_ = 0;
    std::vector<uint32_t> local_slots_;          // of integer locals
    std::vector<ir::Value> local_buffers_;       // of string locals
};

}  // namespace lt
