// What the whole program shares (maps, events, losses) and the functions of each Body: one for an action, two for a
// span.
#include "lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "host.h"
#include "operators.h"
#include "runtime/frames.h"
#include "sampled.h"

namespace lt {
namespace {

constexpr uint32_t most_stack = 400;      // of BPF's 512 bytes; the rest is for spilled registers
constexpr uint32_t most_per_cpu = 32000;  // a value of a map per CPU has 32 KiB at most
constexpr uint32_t most_scratch = 256 << 10;
constexpr uint32_t frames_nested = 4;  // claimed at one time on one CPU; as LT_FRAMES_NESTED in scratch.bpf.c

}  // namespace

Unit::Unit(const ast::Program& program_in, const Typed& typed_in, const Source& source_in, Diags& diags_in)
    : program(program_in), typed(typed_in), source(source_in), diags(diags_in), exclusive(program_in, typed_in) {
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
    out_.plan.c_integers = program.settings.c_integers;
    out_.plan.whole_iterators = program.settings.whole_iterators;
    out_.plan.announces_probes = program.settings.announces_probes;
    out_.plan.binds_command = program.settings.binds_command;
    out_.plan.maps_apart = program.settings.maps_apart;
    out_.plan.print_maps = program.settings.print_maps_on_exit;
    for (size_t i = 0; i < program.c_functions.size(); i++)
        out_.c_functions.push_back(fmt::format("{}{}", ast::c_prefix, i));
    out_.plan.max_errors = program.settings.max_errors;
    out_.plan.stops_at_exit = program.settings.stops_at_exit;
    out_.plan.max_cat_bytes = program.settings.max_cat_bytes;
    out_.plan.cut_mark = program.settings.cut_mark;
    out_.plan.cut_at = program.settings.max_strlen;
    out_.plan.mangled = !program.settings.demangles;
    out_.plan.shows_lines = program.settings.shows_lines;
    out_.license = program.settings.license;
    counted_ = only_counted(program, typed);
    for (const ParamInfo& info : typed.params) plan_param(info);
    for (const MapInfo& info : typed.maps) plan_map(info);
    for (const SpanInfo& info : typed.spans) plan_span(info);
}

// The kernel wants a power of two.
uint32_t Unit::ring_size() const {
    constexpr uint32_t page = 4096, usual = 1024;
    if (program.settings.ring_pages != 0) return std::bit_ceil(program.settings.ring_pages) * page;
    return prints_ || program.settings.max_strlen > usual ? large_ring : small_ring;
}

void Unit::plan_param(const ParamInfo& info) {
    std::vector<uint8_t>& bytes = out_.plan.param_bytes;
    out_.plan.params.push_back({info.name, info.type, static_cast<uint32_t>(bytes.size()), info.help});
    bytes.insert(bytes.end(), info.bytes.begin(), info.bytes.end());
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

// As many places as there are CPUs; the loader knows how many.
uint32_t Unit::counter(const PerfEvent& event, std::string name) {
    std::vector<PlannedCounter>& all = out_.plan.counters;
    const auto known = std::ranges::find(all, event, &PlannedCounter::event);
    const std::string symbol = known != all.end() ? known->symbol : fmt::format("lt_counter_{}", all.size());
    if (known == all.end()) {
        all.push_back({symbol, event, std::move(name)});
        out_.maps.push_back({symbol, ir::Storage::perf_events, 4, 4, 0, false});
    }
    const auto map = std::ranges::find(out_.maps, symbol, &ir::MapDefinition::symbol);
    return static_cast<uint32_t>(map - out_.maps.begin());
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
        out_.maps.push_back({std::string(frames_symbol), ir::Storage::per_cpu_array, 4, 0, frames_nested, false});
    }
    ir::MapDefinition& map = out_.maps[*frames_];
    map.value_size = std::max(map.value_size, header + size);
    if (map.value_size > most_per_cpu) map.storage = ir::Storage::array;
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

void Unit::assume_file(const std::string& path, bool by_symbol) {
    assume(out_.plan.assumed, {Assumed::file, path, "", {}, uint64_t{!by_symbol}});
}

void Unit::compiled_in() { assume(out_.plan.assumed, {Assumed::release}); }

// A relocation finds where a member lies, but not that it is now of another size.
ir::Program Unit::take() {
    for (const Assumption& a : typed.assumed) assume(out_.plan.assumed, a);
    if (!program.c_functions.empty()) compiled_in();  // what C reads is as wide as its clang was told
    for (const ir::Relocation& r : out_.relocations) {
        std::string path;
        for (const Member& m : r.path) path += (path.empty() ? "" : ".") + m.name;
        const Member& last = r.path.back();
        assume(out_.plan.assumed, {Assumed::member, r.root, path, last.type, uint64_t{last.bit_size != 0}});
    }
    return std::move(out_);
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
    if (place.kind == ProbeKind::error) p.when = When::error;
    if (place.kind == ProbeKind::interval) p.when = When::period;
    if (place.kind == ProbeKind::self) p.when = place.set_param.empty() ? When::signal : When::set;
    p.set_param = place.set_param;
    // one that is pinned runs when it is read
    if (place.kind == ProbeKind::iter && place.function.module.empty()) p.when = When::once;
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
ir::Program lower(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags) {
    Diags told;
    Unit unit(program, typed, source, told);
    lower_all(unit);
    if (unit.kernel_bodies().empty()) {
        diags.take(std::move(told));
        return unit.take();
    }
    Typed again = typed;
    for (size_t body : unit.kernel_bodies()) again.bodies[body].host = false;
    return lower(program, again, source, diags);
}

void BodyLowering::run() {
    const ast::ItemNode& node = program_.items[body_.item].node;
    if (const auto* span_node = std::get_if<ast::SpanAction>(&node); span_node && span_node->timeout) {
        if (number() == unit_.typed.spans[body_.span].opening) timeout(*span_node->timeout);
    }
    PlannedProbe& probe = called_by_number(body_.place) ? unit_.pattern(body_) : unit_.probe(body_.place);
    if (body_.span != no_span) probe.of_span = body_.span;
    if (unit_.typed.sampled) {
        probe.collects_into = maps_of(body_);
        probe.stays = body_.span != no_span && is_asked_for(program_, unit_.typed, body_.span);
        if (can_be_sampled(program_, unit_.typed, body_)) {
            if (!probe.gate) probe.gate = unit_.new_gate();
            gate_ = probe.gate;
        }
    }
    for (Rung& rung : probe.rungs) {
        if (!rung.refused.empty()) continue;
        if (body_.host) rung.way = Way::host;
        std::vector<Attachment> others = std::exchange(rung.attachments, {});
        if (const auto* action_node = std::get_if<ast::Action>(&node)) action(*action_node, probe, rung);
        if (const auto* span_node = std::get_if<ast::SpanAction>(&node)) span(*span_node, rung);
        if (called_by_number(body_.place)) call_by_number(std::move(others), rung);
    }
}

ir::Function& BodyLowering::begin(const std::string& name, Way way, bool at_return) {
    ir::Function& f = unit_.function(name);
    f.way = way;
    way_ = way;
    f.at_return = at_return;
    at_calls_end_ = at_calls_end(at_return);
    f.user = way_row(way).user;
    f.target = body_.place.function.name;
    b_.emplace(f);
    b_->at(body_.place.span);
    read_maps_.clear();
    uncaught_.reset();
    return f;
}

// The kernel hands a loop's body nothing but a piece of the stack: the numbers that it shares have to fit there.
void BodyLowering::finish(Span where) {
    raise_uncaught();
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
    const std::set<uint32_t> addressed = addressed_locals();
    for (const LocalInfo& local : locals()) {
        const bool text = in_memory(local.type);
        local_slots_.push_back(text ? 0 : b_->new_slot());
        // Written outside of all loops, it keeps its value from one turn to the next.
        if (!text && unit_.has_loops() && !local.in_block) b_->write(local_slots_.back(), b_->constant(0));
        const bool lies = text || addressed.contains(static_cast<uint32_t>(local_buffers_.size()));
        local_buffers_.push_back(lies ? b_->buffer(padded(local.type.size)) : ir::no_value);
    }
}

std::vector<Attachment> BodyLowering::attachments(const std::string& name, bool at_return) const {
    Attachment a = attachment(name, at_return);
    const std::vector<SharedPlace>& members = body_.place.members;
    if (serves_system_calls(body_.place)) return {a};
    if (members.empty()) assume_file(body_.place.user);
    if (members.empty()) return {a};
    std::vector<Attachment> out;
    for (size_t i = 0; i < members.size(); i++) {
        assume_file(members[i].user);
        a.function = members[i].user.path.empty() ? members[i].function : members[i].user.path;
        a.event = members[i].user.name;
        a.number = members[i].user.offset;
        a.semaphore = members[i].semaphore;
        a.cookie = i;
        out.push_back(a);
    }
    return out;
}

// A function's entry can be found again by its symbol; instructions behind it, variables and markers cannot.
void BodyLowering::assume_file(const UserFunction& f) const {
    if (f.path.empty()) return;
    if (!in_program(body_.place) && has_debug_scope(body_.place)) return unit_.compiled_in();
    const auto is_variable = [](const Use& use) { return std::holds_alternative<ProgramUse>(use); };
    const bool by_symbol = probe_row(body_.place.kind).place != Place::marker && f.inlined.empty() && !f.name.empty() &&
                           f.name.find_first_of("+@") == f.name.npos && !f.name.starts_with("0x") &&
                           body_.place.result.kind == Kind::none && std::ranges::none_of(body_.uses, is_variable);
    unit_.assume_file(f.path, by_symbol);
}

Attachment BodyLowering::attachment(const std::string& name, bool at_return) const {
    Attachment a;
    a.program = name;
    a.at_return = at_return;
    if (serves_system_calls(body_.place)) return system_calls(std::move(a));
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
        case Place::socket_event:
            a.event = body_.place.tracepoint.event;
            break;
        case Place::kernel_objects:
            a.event = body_.place.function.name;
            a.function = body_.place.function.module;  // where it is pinned
            break;
        case Place::raw_event:
            a.event = body_.place.function.name;
            break;
        case Place::kernel_function:
            a.function = body_.place.function.name;
            a.number = body_.place.offset;
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

// A program of sockets is told of all that happens to them; which of it this is stands at the front of its context.
ir::Value BodyLowering::is_accepted() {
    constexpr int64_t passive_established = 5;  // BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB
    return b_->alu(ir::Alu::eq, b_->field(0, 4, false), b_->constant(passive_established));
}

// Where exit() stops all, blocks that come at the end are the only ones that begin after it.
void BodyLowering::unless_stopped(const std::function<void()>& work) {
    const ProbeKind kind = body_.place.kind;
    const bool comes_last = kind == ProbeKind::end || kind == ProbeKind::error;
    if (!program_.settings.stops_at_exit || comes_last) return work();
    b_->branch(b_->stopping(), [] {}, work);
}

void BodyLowering::action(const ast::Action& node, PlannedProbe& probe, Rung& rung) {
    const std::string name = fmt::format("probe_{}", number());
    const bool at_return = probe_row(body_.place.kind).result;
    begin(name, rung.way, at_return);
    make_locals();
    const auto body = [&] { gate([&] { block(node.body); }); };
    const auto asked = [&] { node.predicate ? b_->branch(truth(integer(*node.predicate)), body) : body(); };
    where_called([&] {
        unless_stopped([&] {
            where_traced([&] { body_.place.kind == ProbeKind::socket ? b_->branch(is_accepted(), asked) : asked(); });
        });
    });
    // of one that is pinned others read, who get nothing
    if (body_.place.kind == ProbeKind::iter && body_.place.function.module.empty())
        b_->call(ir::Library::iterated, {b_->context()});
    finish(probe.span);
    rung.attachments = attachments(name, at_return);
}

}  // namespace lt
