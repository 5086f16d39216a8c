// What the whole program shares (maps, events, losses) and the functions of each Body: one for an action, two for a span.
#include "lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "operators.h"

namespace lt {
namespace {

constexpr uint32_t span_depth = 32;        // as LT_DEPTH in stdlib/bpf/span.bpf.c
constexpr uint32_t span_threads = 8192;    // inside one span at a time
constexpr uint32_t tid_size = 4;
constexpr int helper_ktime_get_ns = 5;
constexpr uint32_t most_stack = 400;       // of BPF's 512 bytes; the rest is for spilled registers

uint32_t value_size(const Type& t) {
    if (t.kind == Kind::string) return padded(t.size);
    switch (t.aggregation) {
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum: return 8;
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::avg: return 16;
        case Aggregation::hist: return 8 * hist_buckets;
    }
    return 8;
}

MapShape shape_of(const MapInfo& info) {
    const bool per_cpu = info.value.kind == Kind::aggregation;
    if (info.key.empty()) return per_cpu ? MapShape::per_cpu_array : MapShape::array;
    return per_cpu ? MapShape::per_cpu_hash : MapShape::hash;
}

}  // namespace

Unit::Unit(const ast::Program& program_in, const Typed& typed_in, Diags& diags_in)
    : program(program_in), typed(typed_in), diags(diags_in) {
    for (const MapInfo& info : typed.maps) plan_map(info);
}

void Unit::plan_map(const MapInfo& info) {
    PlannedMap m;
    m.name = info.name;
    m.symbol = info.name == "@" ? "at" : "at_" + info.name.substr(1);
    m.shape = shape_of(info);
    m.key = info.key;
    for (const Type& t : info.key) m.key_size += padded(t.size);
    m.value = info.value;
    m.value_size = value_size(info.value);
    m.max_entries = typed.max_keys;
    if (info.key.empty()) {
        m.key_size = 4;
        m.max_entries = 1;
        m.value_size += scalar_mark;
    }
    out_.maps.push_back({m.symbol, static_cast<ir::Storage>(m.shape), m.key_size, m.value_size, m.max_entries, false});
    out_.plan.maps.push_back(std::move(m));
}

uint32_t Unit::text(std::string bytes, uint32_t size) {
    bytes.resize(padded(size), '\0');
    const auto known = std::find(out_.texts.begin(), out_.texts.end(), bytes);
    if (known != out_.texts.end()) return static_cast<uint32_t>(known - out_.texts.begin());
    out_.texts.push_back(std::move(bytes));
    return static_cast<uint32_t>(out_.texts.size() - 1);
}

uint32_t Unit::event(PlannedEvent event) {
    out_.plan.events.push_back(std::move(event));
    return static_cast<uint32_t>(out_.plan.events.size() - 1);
}

uint32_t Unit::loss(LossKind kind, uint32_t subject) {
    std::vector<PlannedLoss>& all = out_.plan.losses;
    for (uint32_t i = 0; i < all.size(); i++) {
        if (all[i].kind == kind && all[i].subject == subject) return i;
    }
    all.push_back({kind, subject});
    return static_cast<uint32_t>(all.size() - 1);
}

uint32_t Unit::ring() {
    if (!ring_) {
        ring_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({"lt_events", ir::Storage::ring_buffer, 0, 0, ring_size, false});
        loss(LossKind::ring_buffer_full, 0);
    }
    return *ring_;
}

// Preallocated: a breakpoint's program runs where the kernel cannot allocate.
uint32_t Unit::span_map(const PlannedSpan& span, uint32_t& index) {
    index = static_cast<uint32_t>(out_.plan.spans.size());
    out_.plan.spans.push_back(span);
    PlannedSpan& planned = out_.plan.spans.back();
    planned.symbol = fmt::format("lt_span_{}", index);
    out_.maps.push_back({planned.symbol, ir::Storage::hash, tid_size, 8 + span_depth * span.opening_size, span_threads, true});
    return static_cast<uint32_t>(out_.maps.size() - 1);
}

ir::Function& Unit::function(std::string name) {
    out_.functions.emplace_back();
    out_.functions.back().name = std::move(name);
    return out_.functions.back();
}

PlannedProbe& Unit::probe(const ResolvedPlace& place) {
    PlannedProbe p;
    p.text = place.text;
    p.span = place.span;
    p.period_ns = place.period_ns;
    p.rungs = place.rungs;
    if (place.kind == ProbeKind::begin) p.when = When::begin;
    if (place.kind == ProbeKind::end) p.when = When::end;
    if (place.kind == ProbeKind::interval) p.when = When::period;
    if (p.rungs.empty()) p.rungs.push_back({Way::run, "", {}});
    out_.plan.probes.push_back(std::move(p));
    return out_.plan.probes.back();
}

ir::Program lower(const ast::Program& program, const Typed& typed, Diags& diags) {
    Unit unit(program, typed, diags);
    for (const Body& body : typed.bodies) BodyLowering(unit, body).run();
    return unit.take();
}

void BodyLowering::run() {
    PlannedProbe& probe = unit_.probe(body_.place);
    for (Rung& rung : probe.rungs) {
        if (!rung.refused.empty()) continue;
        const ast::ItemNode& node = program_.items[body_.item].node;
        if (const auto* action_node = std::get_if<ast::Action>(&node)) action(*action_node, probe, rung);
        if (const auto* span_node = std::get_if<ast::SpanAction>(&node)) span(*span_node, probe, rung);
    }
}

ir::Function& BodyLowering::begin(const std::string& name, Way way, bool at_return) {
    ir::Function& f = unit_.function(name);
    f.way = way;
    f.at_return = at_return;
    f.user = way == Way::uprobe;
    f.target = body_.place.function.name;
    b_.emplace(f);
    b_->at(body_.place.span);
    return f;
}

void BodyLowering::finish(Span where) {
    if (b_->frame() <= most_stack) return;
    unit_.diags.error(where, fmt::format("this block needs {} bytes for strings and keys, more than the {} that there are", b_->frame(), most_stack))
        .hint = "use fewer or shorter keys and strings, or two probes";
}

void BodyLowering::make_locals() {
    local_slots_.clear();
    local_buffers_.clear();
    for (const LocalInfo& local : body_.locals) {
        const bool text = local.type.kind == Kind::string;
        local_slots_.push_back(text ? 0 : b_->new_slot());
        local_buffers_.push_back(text ? b_->buffer(padded(local.type.size)) : ir::no_value);
    }
}

Attachment BodyLowering::attachment(const std::string& name, bool at_return) const {
    Attachment a;
    a.program = name;
    a.at_return = at_return;
    switch (probe_row(body_.place.kind).place) {
        case Place::nothing:
        case Place::period: break;
        case Place::kernel_function: a.function = body_.place.function.name; break;
        case Place::event:
            a.function = body_.place.tracepoint.category;
            a.event = body_.place.tracepoint.event;
            a.number = body_.place.tracepoint.id;
            break;
        case Place::binary_function:
            a.function = body_.place.user.path;
            a.event = body_.place.user.name;
            a.number = body_.place.user.offset;
            break;
    }
    return a;
}

void BodyLowering::action(const ast::Action& node, PlannedProbe& probe, Rung& rung) {
    const std::string name = fmt::format("probe_{}", unit_.typed.bodies.empty() ? 0 : &body_ - unit_.typed.bodies.data());
    const bool at_return = probe_row(body_.place.kind).result;
    begin(name, rung.way, at_return);
    make_locals();
    const auto body = [&] { block(node.body); };
    if (node.predicate) {
        b_->branch(truth(integer(*node.predicate)), body);
    } else {
        body();
    }
    finish(probe.span);
    rung.attachments = {attachment(name, at_return)};
}

void BodyLowering::span(const ast::SpanAction& node, PlannedProbe& probe, Rung& rung) {
    collect_frozen(node);
    PlannedSpan span;
    span.text = probe.text;
    span.depth = span_depth;
    span.opening_size = static_cast<uint32_t>(8 + 8 * frozen_.size());
    uint32_t index = 0;
    const uint32_t map = unit_.span_map(span, index);
    const std::string open = fmt::format("open_{}", index), close = fmt::format("close_{}", index);
    open_function(node, open, rung.way, span, map, index);
    close_function(node, close, rung.way, span, map, index);
    // returns first: an entry whose return is not watched yet would leave an opening behind
    rung.attachments = {attachment(close, true), attachment(open, false)};
}

void BodyLowering::open_function(const ast::SpanAction& node, const std::string& name, Way way, const PlannedSpan& span, uint32_t map, uint32_t index) {
    begin(name, way, false);
    closing_ = false;
    make_locals();
    const auto opens = [&] {
        const ir::Value size = b_->constant(span.opening_size);
        const ir::Value zero = b_->text(unit_.zeros(8 + span_depth * span.opening_size));
        const ir::Value no_room = b_->constant(unit_.loss(LossKind::span_no_room, index));
        const ir::Value too_deep = b_->constant(unit_.loss(LossKind::span_too_deep, index));
        const ir::Value opening = b_->call(ir::Library::span_open, {b_->map(map), size, zero, no_room, too_deep});
        b_->branch(opening, [&] {
            for (const auto& [number, i] : frozen_) b_->store(opening, 8 + 8 * i, b_->argument(number));
            b_->store(opening, 0, b_->helper(helper_ktime_get_ns));  // last, so that our own work is not in the latency
        });
    };
    const auto skips = [&] { b_->call(ir::Library::span_skip, {b_->map(map), b_->constant(span.opening_size)}); };
    if (node.predicate) {
        b_->branch(truth(integer(*node.predicate)), opens, skips);
    } else {
        opens();
    }
    finish(body_.place.span);
}

void BodyLowering::close_function(const ast::SpanAction& node, const std::string& name, Way way, const PlannedSpan& span, uint32_t map, uint32_t index) {
    constexpr int64_t no_loss = 0xffffffff;
    begin(name, way, true);
    closing_ = true;
    const ir::Value now = b_->helper(helper_ktime_get_ns);  // first
    make_locals();
    latency_slot_ = b_->new_slot();
    frozen_slots_.clear();
    for (size_t i = 0; i < frozen_.size(); i++) frozen_slots_.push_back(b_->new_slot());
    // with a predicate a return without an entry may be one that was left out on purpose
    const int64_t unseen = node.predicate ? no_loss : unit_.loss(LossKind::span_no_entry, index);
    const ir::Value opening = b_->call(ir::Library::span_close, {b_->map(map), b_->constant(span.opening_size), b_->constant(unseen)});
    b_->branch(opening, [&] {
        const ir::Value opened = b_->load(opening, 0);
        for (const auto& [number, i] : frozen_) b_->write(frozen_slots_[i], b_->load(opening, 8 + 8 * i));
        b_->call(ir::Library::span_done, {b_->map(map)});
        b_->branch(opened, [&] { latency_and_body(node, now, opened, index); });
    });
    finish(body_.place.span);
}

void BodyLowering::latency_and_body(const ast::SpanAction& node, ir::Value now, ir::Value opened, uint32_t index) {
    const auto in_order = [&] {
        b_->write(latency_slot_, b_->alu(ir::Alu::sub, now, opened));
        const auto body = [&] { block(node.body); };
        if (!node.threshold) return body();
        const ir::Value threshold = integer(*node.threshold);
        b_->branch(b_->alu(ir::Alu::sgt, b_->read(latency_slot_), threshold), body);
    };
    b_->branch(b_->alu(ir::Alu::uge, now, opened), in_order, [&] { b_->loss(unit_.loss(LossKind::span_clock, index)); });
}

void BodyLowering::collect_frozen(const ast::SpanAction& node) {
    frozen_.clear();
    if (node.threshold) note_frozen(*node.threshold);
    note_frozen(node.body);
}

void BodyLowering::note_frozen(ast::ExprId id) {
    const auto note = [&](uint32_t number) { frozen_.emplace(number, static_cast<uint32_t>(frozen_.size())); };
    if (const auto* v = std::get_if<VariableUse>(&use(id)); v && v->id == Variable::arg) note(v->number);
    if (const auto* f = std::get_if<FieldUse>(&use(id))) note(f->field.offset);
    ast::each_child(program_[id], [&](ast::ExprId child) { note_frozen(child); });
}

void BodyLowering::note_frozen(const ast::Block& block_in) {
    for (ast::StmtId id : block_in.statements) {
        ast::each_expr(program_[id], [&](ast::ExprId child) { note_frozen(child); });
        ast::each_block(program_[id], [&](const ast::Block& inner) { note_frozen(inner); });
    }
}

}  // namespace lt
