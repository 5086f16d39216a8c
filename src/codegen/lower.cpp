// What the whole program shares (maps, events, losses) and the functions of each Body: one for an action, two for a
// span.
#include "lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "host.h"

#include "operators.h"
#include "runtime/samples.h"
#include "sampled.h"

namespace lt {
namespace {

constexpr uint32_t most_stack = 400;      // of BPF's 512 bytes; the rest is for spilled registers
constexpr uint32_t most_scratch = 32000;  // a value of a map per CPU has 32 KiB at most
constexpr uint32_t frames_nested = 4;     // claimed at one time on one CPU; as LT_FRAMES_NESTED in scratch.bpf.c

uint32_t value_size(const Type& t) {
    if (in_memory(t)) return padded(t.size);
    switch (t.aggregation) {
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
            return 8;
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::avg:
        case Aggregation::stats:
            return 16;
        case Aggregation::hist:
        case Aggregation::lhist:
            return 8 * bucket_count(t);
        case Aggregation::dist:
            return 8 * dist_words;
        case Aggregation::samples:
            return 8 * samples_layout(t).words;
    }
    return 8;
}

// A dist() with a key is one of 8 KB for all CPUs, though updates of one key by many CPUs then wait for each other: a
// program that needs room for a new key gets memory per CPU only from pages that happen to lie ready. Of 3000 new keys,
// one every 100 us, a third found no room on Linux 6.18; as one piece of ordinary memory all did. Neither is
// preallocated (4096 keys would be 32 MB): before 6.1 kernels refused such hashes to programs of perf events, since
// then they take them from every kind of program.
MapShape shape_of(const MapInfo& info, bool counted) {
    const bool per_cpu = info.value.kind == Kind::aggregation || counted;
    if (info.key.empty()) return per_cpu ? MapShape::per_cpu_array : MapShape::array;
    return per_cpu && info.value.aggregation != Aggregation::dist ? MapShape::per_cpu_hash : MapShape::hash;
}

// Values that are sums of what came, per CPU.
bool adds_up(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::avg:
        case Aggregation::stats:
        case Aggregation::hist:
        case Aggregation::lhist:
            return true;
        case Aggregation::none:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::dist:
            return false;
        case Aggregation::samples:  // of extremes nothing can be subtracted
            return samples_layout(type).extremes == 0;
    }
    return false;
}

// Is a map only collected into, printed and cleared, in all bodies? Whatever else is done with it must see what the
// kernel has. Blocks that lt runs read what a report sees; only what they delete or set to zero must be so there, too.
bool only_collects(const ast::Program& program, const Typed& typed, uint32_t map, bool counted) {
    if (counted) return true;
    if (!adds_up(typed.maps[map].value)) return false;
    std::vector<bool> harmless(program.exprs.size(), false), deleted(program.exprs.size(), false);
    for (const ast::Stmt& stmt : program.stmts) {
        if (const auto* assign = std::get_if<ast::Assign>(&stmt.node))
            harmless[static_cast<size_t>(assign->target)] = true;
    }
    for (const ast::Expr& expr : program.exprs) {
        const auto* call = std::get_if<ast::Call>(&expr.node);
        const FunctionRow* row = call && !call->arguments.empty() ? find_function(call->name) : nullptr;
        if (row && (row->id == Function::remove || row->id == Function::zero)) {
            for (ast::ExprId argument : call->arguments) deleted[static_cast<size_t>(argument)] = true;
        }
        if (!row || (row->id != Function::print && row->id != Function::clear && row->id != Function::zero)) continue;
        const auto* argument = std::get_if<ast::Map>(&program[call->arguments[0]].node);
        if (argument && !argument->has_key) harmless[static_cast<size_t>(call->arguments[0])] = true;
    }
    for (const Body& body : typed.bodies) {
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* use = std::get_if<MapUse>(&body.uses[i]);
            const bool fits = harmless[i] || (body.host && !deleted[i]);
            if (use && use->index == map && !fits) return false;
        }
    }
    return true;
}

}  // namespace

Unit::Unit(const ast::Program& program_in, const Typed& typed_in, Diags& diags_in)
    : program(program_in), typed(typed_in), diags(diags_in), exclusive(program_in, typed_in) {
    prints_ = std::any_of(program.exprs.begin(), program.exprs.end(), [](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return call && call->name == function_row(Function::printf).name;
    });
    loops_ = std::any_of(program.stmts.begin(), program.stmts.end(), [](const ast::Stmt& s) {
        return std::holds_alternative<ast::While>(s.node) || std::holds_alternative<ast::ForRange>(s.node) ||
               std::holds_alternative<ast::ForMap>(s.node);
    });
    has_host_ = std::any_of(typed.bodies.begin(), typed.bodies.end(), [](const Body& b) { return b.host; });
    out_.plan.plain_integers = program.settings.plain_integers;
    out_.plan.announces_probes = program.settings.announces_probes;
    out_.plan.maps_apart = program.settings.maps_apart;
    out_.plan.print_maps = program.settings.print_maps_on_exit;
    counted_ = only_counted(program, typed);
    for (const ParamInfo& info : typed.params) plan_param(info);
    for (const MapInfo& info : typed.maps) plan_map(info);
    for (const SpanInfo& info : typed.spans) plan_span(info);
}

void Unit::plan_param(const ParamInfo& info) {
    std::vector<uint8_t>& bytes = out_.plan.param_bytes;
    out_.plan.params.push_back({info.name, info.type, static_cast<uint32_t>(bytes.size()), info.help});
    bytes.insert(bytes.end(), info.bytes.begin(), info.bytes.end());
}

void Unit::plan_map(const MapInfo& info) {
    PlannedMap m;
    m.name = info.name;
    m.symbol = info.name == "@" ? "at" : "at_" + info.name.substr(1);
    const auto index = static_cast<uint32_t>(out_.plan.maps.size());
    m.shape = shape_of(info, counted_[index]);
    m.key = info.key;
    for (const Type& t : info.key) m.key_size += padded(t.size);
    m.value = info.value;
    m.value_size = value_size(info.value);
    m.cleared_by_difference = only_collects(program, typed, index, counted_[index]);
    m.max_entries = info.entries == 0 ? typed.max_keys.value_or(program.settings.max_map_keys) : info.entries;
    if (info.key.empty()) {
        m.key_size = 4;
        m.max_entries = 1;
        m.value_size += scalar_mark;
    }
    ir::Storage storage = static_cast<ir::Storage>(m.shape);
    if (info.declared && info.declared->forgets)
        storage = info.declared->per_cpu ? ir::Storage::lru_per_cpu_hash : ir::Storage::lru_hash;
    const bool shared = m.shape == MapShape::array && has_host_;
    out_.maps.push_back({m.symbol, storage, m.key_size, m.value_size, m.max_entries, false, shared});
    out_.plan.maps.push_back(std::move(m));
}

uint32_t Unit::session(SessionValue what) {
    std::vector<PlannedSessionValue>& all = out_.plan.session_values;
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.what == what; });
    if (known != all.end()) return known->offset;
    std::vector<uint8_t>& bytes = out_.plan.param_bytes;
    all.push_back({what, static_cast<uint32_t>(bytes.size())});
    bytes.insert(bytes.end(), sizeof(uint64_t), 0);
    return all.back().offset;
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

uint32_t Unit::frames(uint32_t size) {
    constexpr uint32_t header = 8;  // the claim
    if (!frames_) {
        frames_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({"lt_frames", ir::Storage::per_cpu_array, 4, 0, frames_nested, false});
    }
    ir::MapDefinition& map = out_.maps[*frames_];
    map.value_size = std::max(map.value_size, header + size);
    return *frames_;
}

uint32_t Unit::ring() {
    if (!ring_) {
        ring_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({"lt_events", ir::Storage::ring_buffer, 0, 0, ring_size(), false});
        loss(LossKind::ring_buffer_full, 0);
    }
    return *ring_;
}

ir::Function& Unit::function(std::string name) {
    out_.functions.emplace_back();
    out_.functions.back().name = std::move(name);
    return out_.functions.back();
}

PlannedProbe& Unit::probe(const ResolvedPlace& place) {
    PlannedProbe p;
    p.text = place.text;
    p.places = std::max<uint32_t>(1, static_cast<uint32_t>(place.members.size()));
    p.span = place.span;
    p.period_ns = place.period_ns;
    p.rungs = place.rungs;
    if (place.kind == ProbeKind::begin) p.when = When::begin;
    if (place.kind == ProbeKind::end) p.when = When::end;
    if (place.kind == ProbeKind::interval) p.when = When::period;
    if (place.kind == ProbeKind::self) p.when = When::signal;
    if (place.kind == ProbeKind::iter) p.when = When::once;
    p.signal = place.signal;
    if (p.rungs.empty()) p.rungs.push_back({Way::run, "", {}});
    out_.plan.probes.push_back(std::move(p));
    return out_.plan.probes.back();
}

namespace {

void lower_all(Unit& unit) {
    family(unit);
    thread_exits(unit);
    open_spans(unit);
    additions(unit);
    // What closes a span is attached before what opens it: an opening whose close is missed would be closed by a later
    // event.
    for (const Body& body : unit.typed.bodies) {
        if (body.role == Role::close) BodyLowering(unit, body).run();
    }
    for (const Body& body : unit.typed.bodies) {
        if (body.role != Role::close) BodyLowering(unit, body).run();
    }
}

}  // namespace

// Who runs a block decides how maps are kept, so all is made anew when one of those that the dialect leaves to lt must
// go to the kernel.
ir::Program lower(const ast::Program& program, const Typed& typed, Diags& diags) {
    Diags told;
    Unit unit(program, typed, told);
    lower_all(unit);
    if (unit.kernel_bodies().empty()) {
        diags.take(std::move(told));
        return unit.take();
    }
    Typed again = typed;
    for (size_t body : unit.kernel_bodies()) again.bodies[body].host = false;
    return lower(program, again, diags);
}

void BodyLowering::run() {
    const ast::ItemNode& node = program_.items[body_.item].node;
    if (const auto* span_node = std::get_if<ast::SpanAction>(&node); span_node && span_node->timeout) {
        if (number() == unit_.typed.spans[body_.span].opening) timeout(*span_node->timeout);
    }
    PlannedProbe& probe = unit_.probe(body_.place);
    if (body_.span != no_span) probe.of_span = body_.span;
    if (unit_.typed.sampled) {
        probe.collects_into = maps_of(body_);
        probe.stays = body_.span != no_span && is_asked_for(program_, unit_.typed, body_.span);
        if (can_be_sampled(program_, unit_.typed, body_)) gate_ = probe.gate = unit_.new_gate();
    }
    for (Rung& rung : probe.rungs) {
        if (!rung.refused.empty()) continue;
        if (body_.host) rung.way = Way::host;
        if (const auto* action_node = std::get_if<ast::Action>(&node)) action(*action_node, probe, rung);
        if (const auto* span_node = std::get_if<ast::SpanAction>(&node)) span(*span_node, rung);
    }
}

ir::Function& BodyLowering::begin(const std::string& name, Way way, bool at_return) {
    ir::Function& f = unit_.function(name);
    f.way = way;
    way_ = way;
    f.at_return = at_return;
    f.user = way_row(way).user;
    f.target = body_.place.function.name;
    b_.emplace(f);
    b_->at(body_.place.span);
    read_maps_.clear();
    return f;
}

// The kernel hands a loop's body nothing but a piece of the stack: the numbers that it shares have to fit there.
void BodyLowering::finish(Span where) {
    const uint32_t size = b_->frame_size(), shared = b_->shared_size();
    if (on_host()) return refuse_kernel(where);
    if (size <= most_stack) return;
    if (size <= most_scratch && shared <= most_stack)
        return b_->frame_in(unit_.frames(size), unit_.loss(LossKind::scratch_busy, 0));
    const bool numbers = shared > most_stack;
    unit_.diags
        .error(where,
               fmt::format("this block needs {} bytes for {}, more than the {} that there are", numbers ? shared : size,
                           numbers ? "numbers that its loops use" : "strings, structures and keys",
                           numbers ? most_stack : most_scratch))
        .hint = numbers ? "use fewer variables, or make the loop in a probe of its own"
                        : "use fewer or shorter ones, or two probes";
}

void BodyLowering::make_locals() {
    local_slots_.clear();
    local_buffers_.clear();
    for (const LocalInfo& local : locals()) {
        const bool text = in_memory(local.type);
        local_slots_.push_back(text ? 0 : b_->new_slot());
        // Written outside of all loops, it keeps its value from one turn to the next.
        if (!text && unit_.has_loops() && !local.in_block) b_->write(local_slots_.back(), b_->constant(0));
        local_buffers_.push_back(text ? b_->buffer(padded(local.type.size)) : ir::no_value);
    }
}

std::vector<Attachment> BodyLowering::attachments(const std::string& name, bool at_return) const {
    Attachment a = attachment(name, at_return);
    const std::vector<SharedPlace>& members = body_.place.members;
    if (members.empty()) return {a};
    std::vector<Attachment> out;
    for (size_t i = 0; i < members.size(); i++) {
        a.function = members[i].user.path.empty() ? members[i].function : members[i].user.path;
        a.event = members[i].user.name;
        a.number = members[i].user.offset;
        a.semaphore = members[i].semaphore;
        a.cookie = i;
        out.push_back(a);
    }
    return out;
}

Attachment BodyLowering::attachment(const std::string& name, bool at_return) const {
    Attachment a;
    a.program = name;
    a.at_return = at_return;
    switch (probe_row(body_.place.kind).place) {
        case Place::nothing:
        case Place::period:
        case Place::signal:
        case Place::marker:  // has members
            break;
        case Place::clock:
        case Place::counter:
        case Place::address:
            a.perf = body_.place.perf;
            break;
        case Place::kernel_objects:
        case Place::raw_event:
            a.event = body_.place.function.name;
            break;
        case Place::kernel_function:
            a.function = body_.place.function.name;
            break;
        case Place::system_call:
            return attachment(at_return ? body_.place.exit : body_.place.tracepoint, std::move(a));
        case Place::event:
            return attachment(body_.place.tracepoint, std::move(a));
        case Place::binary_function:
            a.function = body_.place.user.path;
            a.event = body_.place.user.name;
            a.number = body_.place.user.offset;
            break;
    }
    return a;
}

Attachment BodyLowering::attachment(const Tracepoint& event, Attachment a) {
    a.function = event.category;
    a.event = event.event;
    a.number = event.id;
    return a;
}

void BodyLowering::action(const ast::Action& node, PlannedProbe& probe, Rung& rung) {
    const std::string name = fmt::format("probe_{}", number());
    const bool at_return = probe_row(body_.place.kind).result;
    begin(name, rung.way, at_return);
    make_locals();
    const auto body = [&] { gate([&] { block(node.body); }); };
    where_traced([&] { node.predicate ? b_->branch(truth(integer(*node.predicate)), body) : body(); });
    if (body_.place.kind == ProbeKind::iter) b_->call(ir::Library::iterated, {b_->context()});
    finish(probe.span);
    rung.attachments = attachments(name, at_return);
}

}  // namespace lt
