// Spans: a function that opens one and a function that closes it. The clock is read last when it opens and first when
// it closes, so that our own work is not in the latency.
#include <fmt/format.h>

#include <algorithm>

#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr uint32_t span_depth = 32;       // as LT_DEPTH in stdlib/bpf/span.bpf.c
constexpr uint32_t span_threads = 16384;  // where tasks have no storage: threads that were ever inside
constexpr uint32_t span_keys = 16384;     // open at one time
constexpr uint32_t book_size = 16;        // u64 opened, u64 closed
constexpr uint32_t book_closed = 8;
constexpr int helper_ktime_get_ns = 5;
constexpr int64_t no_loss = 0xffffffff;

// How far apart two frames of one stack can be: x86's kernel stacks have 16 KiB, those of programs 8 MiB by default.
constexpr int64_t kernel_stack = 16 << 10;
constexpr int64_t user_stack = 8 << 20;

std::string_view short_name(const ast::Program& program, ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&program[id].node);
    return name ? std::string_view(name->name) : std::string_view();
}

void each_below(const ast::Program& program, const ast::Block& block, const std::function<bool(ast::ExprId)>& visit);

// Calls `visit` with every expression below a node, outermost first, until it says that it has seen enough of one.
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

// What is evaluated at the opening for an expression that is frozen.
ast::ExprId frozen_expr(const ast::Program& program, ast::ExprId id) {
    const auto* call = std::get_if<ast::Call>(&program[id].node);
    return call ? call->arguments[0] : id;
}

// Can a thread be inside only one of the span's calls? It is in one system call at most.
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

    std::vector<Unit::Frozen> make() {
        const auto& node = std::get<ast::SpanAction>(program_.items[info_.item].node);
        const auto note = [&](ast::ExprId id) { return this->note(id); };
        if (node.threshold) each_below(program_, *node.threshold, note);
        each_below(program_, node.body, note);
        if (node.timeout) each_below(program_, node.timeout->body, note);
        uint32_t offset = span_opening_header;
        for (Unit::Frozen& f : frozen_) {
            f.offset = offset;
            offset += f.room;
        }
        return std::move(frozen_);
    }

  private:
    bool note(ast::ExprId id) {
        const std::string source = frozen_source(program_, id, info_.between_events);
        if (source.empty()) return false;
        const auto known = [&](const Unit::Frozen& f) { return f.source == source; };
        if (std::any_of(frozen_.begin(), frozen_.end(), known)) return true;
        Unit::Frozen f{source, frozen_expr(program_, id)};
        for (const Body& body : typed_.bodies) {
            if (typed_.bodies[info_.opening].item != body.item || body.role == Role::close) continue;
            const Type& t = body.types[static_cast<size_t>(f.expr)];
            f.in_memory = in_memory(t);
            if (f.in_memory) f.room = std::max(f.room, padded(t.size));
        }
        frozen_.push_back(std::move(f));
        return true;
    }

    const ast::Program& program_;
    const Typed& typed_;
    const SpanInfo& info_;
    std::vector<Unit::Frozen> frozen_;
};

}  // namespace

std::string frozen_source(const ast::Program& program, ast::ExprId id, bool between_events) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* call = std::get_if<ast::Call>(&node)) {
        const FunctionRow* row = find_function(call->name);
        return row && row->id == Function::entry ? fmt::format("entry {}", static_cast<uint32_t>(id)) : "";
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

void Unit::plan_span(const SpanInfo& info) {
    SpanLayout layout;
    layout.frozen = LayoutMaker(program, typed, info).make();
    PlannedSpan span;
    span.text = info.text;
    span.name = info.name;
    span.symbol = fmt::format("lt_span_{}", out_.plan.spans.size());
    span.key = info.key;
    span.depth = info.between_events || one_at_a_time(typed, info) ? 1 : span_depth;
    span.opening_size =
        layout.frozen.empty() ? span_opening_header : layout.frozen.back().offset + layout.frozen.back().room;
    span.state = info.between_events ? SpanState::key : info.task_storage ? SpanState::task : SpanState::thread;

    ir::MapDefinition m;
    m.symbol = span.symbol;
    m.value_size = span.opening_size;
    m.preallocated = true;  // a breakpoint's program runs where the kernel cannot allocate
    if (info.between_events) {
        for (const Type& t : info.key) m.key_size += padded(t.size);
        m.max_entries = typed.max_keys.value_or(span_keys);
    } else {
        m.key_size = 4;
        m.value_size = span_thread_header + span.depth * span.opening_size;
        m.max_entries = info.task_storage ? 0 : typed.max_keys.value_or(span_threads);
        m.storage = info.task_storage ? ir::Storage::task_storage : ir::Storage::hash;
        m.preallocated = !info.task_storage;
    }
    layout.map = static_cast<uint32_t>(out_.maps.size());
    out_.maps.push_back(std::move(m));
    out_.plan.spans.push_back(std::move(span));
    layouts_.push_back(std::move(layout));
}

uint32_t Unit::books() {
    if (!books_) {
        books_ = static_cast<uint32_t>(out_.maps.size());
        out_.plan.books = "lt_books";
        out_.maps.push_back({out_.plan.books, ir::Storage::per_cpu_array, 4, book_size * spans(), 1, false});
    }
    return *books_;
}

PlannedProbe& Unit::internal_probe(std::string text_in) {
    PlannedProbe p;
    p.text = std::move(text_in);
    p.internal = true;
    out_.plan.probes.push_back(std::move(p));
    return out_.plan.probes.back();
}

void thread_exits(Unit& unit) {
    ir::Function* f = nullptr;
    for (uint32_t i = 0; i < unit.spans(); i++) {
        const SpanState state = unit.span(i).state;
        if (state == SpanState::key) continue;
        if (!f) {
            f = &unit.function("thread_exit");
            f->way = Way::raw_tracepoint;
            Attachment a;
            a.program = f->name;
            a.event = "sched_process_exit";
            unit.internal_probe("exits of threads").rungs = {{Way::raw_tracepoint, "", {a}}};
        }
        Builder b(*f);
        const ir::Value map = b.map(unit.layout(i).map);
        const ir::Value thread =
            b.call(state == SpanState::task ? ir::Library::task_state : ir::Library::hash_state, {map});
        b.branch(thread, [&] {
            b.call(ir::Library::span_die, {thread, b.constant(unit.loss(LossKind::span_died, i))});
            if (state == SpanState::thread) b.call(ir::Library::hash_state_drop, {map});
        });
    }
}

uint32_t Unit::stuck() {
    if (!stuck_) {
        uint32_t size = 0;
        for (const PlannedSpan& planned : out_.plan.spans) size = std::max(size, planned.opening_size);
        stuck_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({"lt_stuck", ir::Storage::array, 4, stuck_header + size, 1, false});
    }
    return *stuck_;
}

uint32_t Unit::scratch() {
    if (!scratch_) {
        scratch_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({"lt_scratch", ir::Storage::per_cpu_array, 4, walk_stack, 1, false});
    }
    return *scratch_;
}

// Only where somebody asks: the program costs more to load than a span does.
bool asks_what_is_open(const ast::Program& program, const Typed& typed) {
    const auto waits = [&](const SpanInfo& info) {
        return std::get<ast::SpanAction>(program.items[info.item].node).timeout.has_value();
    };
    const auto prints = [&](const Body& body) {
        for (const ast::Expr& expr : program.exprs) {
            const auto* call = std::get_if<ast::Call>(&expr.node);
            if (!call || call->name != function_row(Function::print).name || call->arguments.empty()) continue;
            if (std::holds_alternative<SpanUse>(body.uses[static_cast<size_t>(call->arguments[0])])) return true;
        }
        return false;
    };
    return typed.accounts || std::any_of(typed.spans.begin(), typed.spans.end(), waits) ||
           std::any_of(typed.bodies.begin(), typed.bodies.end(), prints);
}

void open_spans(Unit& unit) {
    if (!asks_what_is_open(unit.program, unit.typed)) return;
    ir::Function* f = nullptr;
    for (uint32_t i = 0; i < unit.spans(); i++) {
        if (unit.span(i).state != SpanState::task) continue;
        if (!f) {
            f = &unit.function("walk");
            f->way = Way::walk;
            Attachment a;
            a.program = f->name;
            unit.internal_probe("what is open").rungs = {{Way::walk, "", {a}}};
            unit.walk(f->name);
        }
        Builder b(*f);
        const ir::Value room = b.find(unit.scratch(), b.text(unit.zeros(4)));
        b.branch(room, [&] {
            b.call(ir::Library::walk, {b.context(), b.map(unit.layout(i).map), b.constant(unit.span(i).opening_size),
                                       b.constant(unit.span(i).depth), b.constant(i), room, b.constant(walk_stack)});
        });
    }
}

void BodyLowering::span(const ast::SpanAction& node, Rung& rung) {
    const std::string open = fmt::format("open_{}", number()), close = fmt::format("close_{}", number());
    switch (body_.role) {
        case Role::action:
            return;
        case Role::call:
            open_call(node, open, rung.way);
            close_call(node, close, rung.way);
            // returns first: an entry whose return is not watched yet would leave an opening behind
            rung.attachments = attachments(close, true);
            std::ranges::copy(attachments(open, false), std::back_inserter(rung.attachments));
            if (way_row(rung.way).session) rung.attachments = session(open, close);
            return;
        case Role::open:
            open_pair(node, open, rung.way);
            rung.attachments = attachments(open, probe_row(body_.place.kind).result);
            return;
        case Role::close:
            close_pair(node, close, rung.way);
            rung.attachments = attachments(close, probe_row(body_.place.kind).result);
            return;
    }
}

// One program for both ends.
std::vector<Attachment> BodyLowering::session(const std::string& open, const std::string& close) {
    const std::string name = fmt::format("span_{}", number());
    ir::Function& both = begin(name, way_, false);
    both.on_entry = open;
    both.on_return = close;
    return attachments(name, false);
}

// While the session detaches, closers may already be gone: what opened then would seem to be left without a return.
// `refused`: for what a predicate turns away.
void BodyLowering::if_opens(const ast::SpanAction& node, const std::function<void()>& work,
                            const std::function<void()>& refused) {
    const auto if_true = [&](const std::optional<ast::ExprId>& predicate, const std::function<void()>& then) {
        predicate ? b_->branch(truth(integer(*predicate)), then, refused) : then();
    };
    const auto own = node.opens[body_.endpoint].predicate;
    const auto asked = [&] { if_true(own, [&] { if_true(node.predicate, work); }); };
    where_called([&] { b_->branch(b_->stopping(), [] {}, [&] { where_traced(asked); }); });
}

// What a close without an opening can be; nothing of it where some openings are left out on purpose.
BodyLowering::Unmatched BodyLowering::unmatched(const ast::SpanAction& node) {
    const bool filtered = unit_.typed.traced.by != TracedBy::all ||
                          std::any_of(node.opens.begin(), node.opens.end(),
                                      [](const ast::Endpoint& e) { return e.predicate.has_value(); });
    const auto loss = [&](LossKind kind) {
        return b_->constant(node.predicate || filtered || unit_.typed.sampled ? no_loss : unit_.loss(kind, body_.span));
    };
    return {loss(LossKind::span_no_entry), loss(LossKind::span_no_room), loss(LossKind::span_unmeasured)};
}

ir::Value BodyLowering::thread_state(uint32_t span_index, bool make) {
    const PlannedSpan& planned = unit_.span(span_index);
    const uint32_t map = unit_.layout(span_index).map;
    const ir::Value state = b_->map(map);
    if (!make)
        return b_->call(planned.state == SpanState::task ? ir::Library::task_state : ir::Library::hash_state, {state});
    const ir::Value no_room = b_->constant(unit_.loss(LossKind::span_no_room, span_index));
    if (planned.state == SpanState::task) return b_->call(ir::Library::task_state_make, {state, no_room});
    const ir::Value zero = b_->text(unit_.zeros(span_thread_header + planned.depth * planned.opening_size));
    return b_->call(ir::Library::hash_state_make, {state, zero, no_room});
}

// One more in the books of this span.
void BodyLowering::book(uint32_t offset) {
    const ir::Value page = b_->find(unit_.books(), b_->text(unit_.zeros(4)));
    b_->branch(page, [&] {
        b_->call(ir::Library::add, {b_->address(page, book_size * body_.span + offset), b_->constant(1),
                                    b_->constant(unit_.exclusive.books(body_.span, way_))});
    });
}

// What fails here is no error of the run: an opening that was left half made would be measured from an older one's
// time. It is zero, and counted.
void BodyLowering::freeze(ir::Value opening) {
    for (const Unit::Frozen& f : unit_.layout(body_.span).frozen) {
        const auto forget = [&] { b_->copy(opening, f.offset, b_->text(unit_.zeros(f.room)), f.room); };
        const auto keep = [&] {
            if (f.in_memory) forget();
            f.in_memory ? string_into(f.expr, opening, f.offset, f.room)
                        : b_->store(opening, f.offset, integer(f.expr));
        };
        if (!raises()) {
            keep();
            continue;
        }
        b_->scope([&](uint32_t done) {
            b_->scope([&](uint32_t failed) {
                attempts_.push_back({failed, {}});
                keep();
                attempts_.pop_back();
                b_->quit(done);
            });
            forget();
            b_->loss(unit_.loss(LossKind::failed_read, 0));
        });
    }
}

ir::Value BodyLowering::thread_opening(ir::Value thread) {
    const PlannedSpan& planned = unit_.span(body_.span);
    const ir::Value missed = b_->constant(unit_.loss(LossKind::span_missed, body_.span));
    if (planned.depth == 1) return b_->call(ir::Library::span_open_one, {thread, missed});
    return b_->call(ir::Library::span_open, {thread, b_->constant(planned.opening_size), b_->frame(),
                                             b_->constant(way_row(way_).user ? user_stack : kernel_stack), missed,
                                             b_->constant(unit_.loss(LossKind::span_too_deep, body_.span))});
}

ir::Value BodyLowering::closed_opening(ir::Value thread, const Unmatched& none) {
    const PlannedSpan& planned = unit_.span(body_.span);
    if (planned.depth == 1)
        return b_->call(ir::Library::span_close_one, {thread, none.no_entry, none.no_room, none.unmeasured});
    return b_->call(ir::Library::span_close, {thread, b_->constant(planned.opening_size), b_->frame(),
                                              b_->constant(unit_.loss(LossKind::span_missed, body_.span)),
                                              none.no_entry, none.no_room, none.unmeasured});
}

void BodyLowering::open_call(const ast::SpanAction& node, const std::string& name, Way way) {
    begin(name, way, false);
    closing_ = false;
    make_locals();
    const auto opens = [&] {
        const ir::Value thread = thread_state(body_.span, true);
        b_->branch(thread, [&] {
            const ir::Value opening = thread_opening(thread);
            b_->branch(opening, [&] {
                freeze(opening);
                b_->store(opening, time_offset, b_->helper(helper_ktime_get_ns));
            });
        });
    };
    const auto skips = [&] { skip_call(); };
    const auto booked = [&] {
        book(0);
        gate(opens, skips);
    };
    if_opens(node, booked, skips);
    finish(body_.place.span);
}

// Of a call that is not measured. Like an opening it says what has been left without a return: its own return would
// close that.
void BodyLowering::skip_call() {
    const PlannedSpan& planned = unit_.span(body_.span);
    const ir::Value missed = b_->constant(unit_.loss(LossKind::span_missed, body_.span));
    const ir::Value thread = thread_state(body_.span, false);
    b_->branch(thread, [&] {
        if (planned.depth == 1) {
            b_->call(ir::Library::span_skip_one, {thread, missed});
            return;
        }
        b_->call(ir::Library::span_skip, {thread, b_->constant(planned.opening_size), b_->frame(),
                                          b_->constant(way_row(way_).user ? user_stack : kernel_stack), missed});
    });
}

void BodyLowering::close_call(const ast::SpanAction& node, const std::string& name, Way way) {
    begin_close(name, way, true);
    const Unmatched none = unmatched(node);
    where_called([&] {
        now_ = b_->helper(helper_ktime_get_ns);
        const ir::Value opening = closed_opening(thread_state(body_.span, false), none);
        b_->branch(opening, [&] {
            thaw(opening);
            close(node, b_->load(opening, time_offset));
        });
    });
    finish(body_.place.span);
}

void BodyLowering::begin_close(const std::string& name, Way way, bool at_return) {
    begin(name, way, at_return);
    closing_ = true;
    make_locals();
    make_thawed();
}

void BodyLowering::make_thawed() {
    latency_slot_ = b_->new_slot();
    thawed_.clear();
    for (const Unit::Frozen& f : unit_.layout(body_.span).frozen) {
        const bool text = f.in_memory;
        thawed_.push_back(text ? Thawed{0, b_->buffer(f.room)} : Thawed{b_->new_slot(), ir::no_value});
    }
}

void BodyLowering::thaw(ir::Value opening) {
    const std::vector<Unit::Frozen>& all = unit_.layout(body_.span).frozen;
    for (size_t i = 0; i < all.size(); i++) {
        if (all[i].in_memory) {
            b_->copy(thawed_[i].buffer, 0, b_->address(opening, all[i].offset), all[i].room);
        } else {
            b_->write(thawed_[i].slot, b_->load(opening, all[i].offset));
        }
    }
}

// A difference below zero (clocks of CPUs disagree) is no latency.
void BodyLowering::close(const ast::SpanAction& node, ir::Value opened) {
    const auto in_order = [&] {
        book(book_closed);
        b_->write(latency_slot_, b_->alu(ir::Alu::sub, now_, opened));
        const auto body = [&] { unless_stopped([&] { block(node.body); }); };
        if (const auto worst = unit_.typed.spans[body_.span].worst) {
            return b_->branch(b_->call(ir::Library::exceed, {b_->param(unit_.param(*worst)), b_->read(latency_slot_)}),
                              body);
        }
        if (!node.threshold) return body();
        const ir::Value threshold = integer(*node.threshold);
        b_->branch(b_->alu(ir::Alu::sgt, b_->read(latency_slot_), threshold), body);
    };
    b_->branch(b_->alu(ir::Alu::uge, now_, opened), in_order,
               [&] { b_->loss(unit_.loss(LossKind::span_clock, body_.span)); });
}

// Which of the frozen values an expression at the close means.
std::optional<size_t> BodyLowering::frozen(ast::ExprId id) const {
    if (!closing_) return {};
    const std::string source = frozen_source(program_, id, body_.role != Role::call);
    if (source.empty()) return {};
    const std::vector<Unit::Frozen>& all = unit_.layout(body_.span).frozen;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Unit::Frozen& f) { return f.source == source; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<size_t>(found - all.begin()));
}

}  // namespace lt
