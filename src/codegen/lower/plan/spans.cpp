// How open spans are stored: the contents of an opening, and its owner.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "codegen/lower/plan/plan.h"
#include "codegen/lower/unit.h"
#include "runtime/border/why.h"

namespace lt {
namespace {

constexpr uint32_t span_depth = 32;       // same as LT_DEPTH in stdlib/bpf/span.bpf.c
constexpr uint32_t span_threads = 16384;  // without task storage: threads that have ever been inside
constexpr uint32_t span_keys = 16384;     // open at one time
constexpr uint32_t span_calls = 65536;    // the same for calls whose returns are found by decoding

std::string_view short_name(const ast::Program& program, ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&program[id].node);
    return name ? std::string_view(name->name) : std::string_view();
}

void each_below(const ast::Program& program, const ast::Block& block, const std::function<bool(ast::ExprId)>& visit);

// Calls `visit` for every expression below a node, outermost first. Does not descend where `visit` returns true.
void each_below(const ast::Program& program, ast::ExprId id, const std::function<bool(ast::ExprId)>& visit) {
    if (visit(id)) return;
    ast::each_child(program[id], [&](ast::ExprId child) { each_below(program, child, visit); });
    ast::each_block(program[id], [&](const ast::Block& inner) { each_below(program, inner, visit); });
}

void each_below(const ast::Program& program, const ast::Block& block, const std::function<bool(ast::ExprId)>& visit) {
    for (ast::StmtId id : block.statements) {
        ast::each_expr(program[id], [&](ast::ExprId child) { each_below(program, child, visit); });
        ast::each_block(program[id], [&](const ast::Block& inner) { each_below(program, inner, visit); });
    }
}

bool is_call_of(const ast::Call& call, Function function) {
    const FunctionRow* row = find_function(call.name);
    return row && row->id == function;
}

// The expression that is evaluated at the opening for a frozen expression.
ast::ExprId frozen_expr(const ast::Program& program, ast::ExprId id) {
    const auto* call = std::get_if<ast::Call>(&program[id].node);
    return call && is_call_of(*call, Function::entry) ? call->arguments[0] : id;
}

// Can a thread be inside only one of the span's calls? It is in at most one system call.
bool one_at_a_time(const Typed& typed, const SpanInfo& info) {
    const auto index = static_cast<uint32_t>(&info - typed.spans.data());
    return std::all_of(typed.bodies.begin(), typed.bodies.end(), [&](const Body& body) {
        return body.span != index || probe_row(body.place.kind).place == Place::system_call;
    });
}

class LayoutMaker {
  public:
    LayoutMaker(const ast::Program& program, const Typed& typed, const SpanInfo& info)
        : program_(program), typed_(typed), info_(info) {}

    std::vector<FrozenValue> make() {
        const auto& node = std::get<ast::SpanAction>(program_.items[info_.item].node);
        const auto note = [&](ast::ExprId id) { return this->note(id); };
        if (node.threshold) each_below(program_, *node.threshold, note);
        each_below(program_, node.body, note);
        if (node.timeout) each_below(program_, node.timeout->body, note);
        uint32_t offset = info_.by_frame ? span_call_header : span_opening_header;
        for (FrozenValue& f : frozen_) {
            f.offset = offset;
            offset += f.room;
        }
        return std::move(frozen_);
    }

  private:
    bool note(ast::ExprId id) {
        const std::string source = frozen_source(program_, id, info_.between_events);
        if (source.empty()) return false;
        const auto same_source = [&](const FrozenValue& f) { return f.source == source; };
        if (std::any_of(frozen_.begin(), frozen_.end(), same_source)) return true;
        FrozenValue f{source, frozen_expr(program_, id)};
        const auto known = std::ranges::find(info_.entries, f.expr, &SpanInfo::Entry::argument);
        if (known != info_.entries.end()) f.joined = known->type;
        for (const Body& body : typed_.bodies) {
            if (typed_.bodies[info_.opening].item != body.item || body.role == Role::close) continue;
            const Type& t = f.joined ? *f.joined : body.types[static_cast<size_t>(f.expr)];
            if (in_memory(t)) f.room = std::max(f.room, padded_size(t.size));
        }
        frozen_.push_back(std::move(f));
        return true;
    }

    const ast::Program& program_;
    const Typed& typed_;
    const SpanInfo& info_;
    std::vector<FrozenValue> frozen_;
};

void plan_span(Unit& unit, const SpanInfo& info) {
    SpanLayout layout;
    layout.frozen = LayoutMaker(unit.program, unit.typed, info).make();
    PlannedSpan span;
    span.text = info.text;
    span.name = info.name;
    span.symbol = fmt::format("lt_span_{}", unit.spans());
    span.key = info.key;
    span.depth = info.between_events || one_at_a_time(unit.typed, info) ? 1 : span_depth;
    const uint32_t header = info.by_frame ? span_call_header : span_opening_header;
    span.opening_size = layout.frozen.empty() ? header : layout.frozen.back().offset + layout.frozen.back().room;
    if (info.why) {
        layout.why = span.opening_size;
        span.opening_size += why_opening;
    }
    span.state = info.between_events ? SpanState::key
                 : info.by_frame     ? SpanState::frame
                 : info.task_storage ? SpanState::task
                                     : SpanState::thread;

    ir::MapDefinition m;
    m.symbol = span.symbol;
    m.value_size = span.opening_size;
    m.preallocated = true;  // a breakpoint's program runs where the kernel cannot allocate
    if (info.between_events) {
        for (const Type& t : info.key) m.key_size += padded_size(t.size);
        refuse_large_key(unit, m.key_size, "this span", unit.program.items[info.item].span);
        m.max_entries = unit.typed.max_keys.value_or(span_keys);
    } else if (info.by_frame) {
        m.key_size = span_call_key;
        m.max_entries = unit.typed.max_keys.value_or(span_calls);
    } else {
        m.key_size = 4;
        m.value_size = span_thread_header + span.depth * span.opening_size;
        m.max_entries = info.task_storage ? 0 : unit.typed.max_keys.value_or(span_threads);
        m.storage = info.task_storage ? ir::Storage::task_storage : ir::Storage::hash;
        m.preallocated = !info.task_storage;
    }
    layout.map = unit.add_map(std::move(m));
    plan_thread(unit, info, layout);
    unit.add_span(std::move(span), std::move(layout));
}

}  // namespace

std::string frozen_source(const ast::Program& program, ast::ExprId id, bool between_events) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* call = std::get_if<ast::Call>(&node)) {
        const bool frozen =
            is_call_of(*call, Function::entry) || (is_call_of(*call, Function::all_args) && !between_events);
        return frozen ? fmt::format("{} {}", call->name, static_cast<uint32_t>(id)) : "";
    }
    if (between_events) return "";
    if (const auto* member = std::get_if<ast::Member>(&node)) {
        const VariableRow* row = find_variable(short_name(program, member->base));
        return row && row->id == Variable::args ? "args." + member->field : "";
    }
    const VariableRow* row = find_variable(short_name(program, id));
    if (row && row->id == Variable::args) return std::string(row->name);
    return row && row->id == Variable::arg ? std::string(short_name(program, id)) : "";
}

void plan_spans(Unit& unit) {
    for (const SpanInfo& info : unit.typed.spans) plan_span(unit, info);
}

}  // namespace lt
