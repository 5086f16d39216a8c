// Statements: assignments become updates of map values in place, printing becomes records in the ring buffer.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "calls.h"
#include "decided.h"
#include "lower.h"
#include "operators.h"
#include "percent.h"

namespace lt {
namespace {

constexpr int helper_map_update_elem = 2;
constexpr int helper_map_delete_elem = 3;

bool is_scalar(const PlannedMap& map) { return map.key.empty(); }

}  // namespace

void BodyLowering::block(const ast::Block& b) {
    for (ast::StmtId id : b.statements) {
        statement(program_[id]);
        printed_map_ = map_printed_by(program_[id]);
    }
}

// The map that a statement prints whole: a clear() right behind it takes away just what was printed.
std::optional<uint32_t> BodyLowering::map_printed_by(const ast::Stmt& stmt) const {
    const auto* evaluate = std::get_if<ast::Evaluate>(&stmt.node);
    const auto* call = evaluate ? std::get_if<ast::Call>(&program_[evaluate->value].node) : nullptr;
    if (!call || call->name != function_row(Function::print).name) return {};
    const auto* map = std::get_if<ast::Map>(&program_[call->arguments[0]].node);
    if (!map || map->has_key) return {};
    const auto* map_use = std::get_if<MapUse>(&use(call->arguments[0]));
    return map_use ? std::optional(map_use->index) : std::nullopt;
}

void BodyLowering::statement(const ast::Stmt& stmt) {
    const Span before = b_->where();
    b_->at(stmt.span);
    b_->with_buffers([&] { std::visit([&](const auto& node) { statement(stmt, node); }, stmt.node); });
    b_->at(before);
}

void BodyLowering::statement(const ast::Stmt& stmt, const ast::Evaluate& node) {
    const ast::ExprNode& value = program_[node.value].node;
    if (const auto* c = std::get_if<ast::Call>(&value)) {
        call(*c);
    } else if (const auto* inner = std::get_if<ast::BlockValue>(&value)) {
        run_block(*inner);
        if (inner->value && !inner->is_call) statement(stmt, ast::Evaluate{*inner->value, true});
    } else if (node.discard && type(node.value).kind == Kind::integer) {
        integer(node.value);  // it may count something up
    }
}

void BodyLowering::statement(const ast::Stmt&, const ast::If& node) {
    if (const auto known = decided(program_, body_, node.condition)) return block(*known ? node.yes : node.no);
    b_->branch(truth(integer(node.condition)), [&] { block(node.yes); }, [&] { block(node.no); });
}

void BodyLowering::statement(const ast::Stmt&, const ast::Assign& node) {
    if (const auto* map = std::get_if<ast::Map>(&program_[node.target].node)) {
        assign_map(node, *map, std::get<MapUse>(use(node.target)).index);
    } else {
        assign_local(node, std::get<LocalUse>(use(node.target)).index);
    }
}

void BodyLowering::assign_local(const ast::Assign& node, uint32_t local) {
    if (!node.op) return set_local(local, node.value);
    const Type& info = locals()[local].type;
    const ir::Value v = scaled(integer(node.value), info, type(node.value));
    if_no_divisor(*node.op, v, node.target, node.value, true);
    set_local(local, arithmetic(*node.op, info.is_signed, b_->read(local_slots_[local]), v));
}

void BodyLowering::set_local(uint32_t local, ast::ExprId value) {
    const Type& kept = locals()[local].type;
    if (!in_memory(kept)) return set_local(local, integer(value));
    b_->copy(local_buffers_[local], 0, value_as(value, kept), padded(kept.size));
}

void BodyLowering::set_local(uint32_t local, ir::Value number) {
    const Type& kept = locals()[local].type;
    if (kept.view == View::boolean) number = truth(number);
    const ir::Value value = b_->extend(number, static_cast<uint8_t>(kept.size), kept.is_signed);
    b_->write(local_slots_[local], value);
    if (local_buffers_[local] != ir::no_value) b_->store(local_buffers_[local], 0, value);
}

ir::Value BodyLowering::key_of(uint32_t map, const ast::Map& node) {
    const PlannedMap& m = unit_.map(map);
    if (is_scalar(m)) return b_->text(unit_.zeros(m.key_size));
    const ir::Value key = b_->buffer(padded(m.key_size) + (m.generation ? generation_size : 0));
    if (node.key.size() == 1 && is_key_of_parts(type(node.key[0]))) {
        value_into(node.key[0], key, 0, tuple_type(m.key));
        return key;
    }
    uint32_t offset = 0;
    for (size_t i = 0; i < node.key.size(); i++) {
        const uint32_t room = padded(m.key[i].size);
        value_into(node.key[i], key, offset, m.key[i]);
        offset += room;
    }
    return key;
}

// Runs `use` with the value of a key, made where there is none; a scalar is marked as set.
void BodyLowering::with_slot(uint32_t map, ir::Value key, Span where, const std::function<void(ir::Value)>& use_slot) {
    const PlannedMap& m = unit_.map(map);
    if (is_scalar(m)) {
        const ir::Value slot = b_->find(map, key);
        b_->branch(slot, [&] {
            use_slot(slot);
            b_->store(slot, m.value_size - scalar_mark, b_->constant(1));
        });
        return;
    }
    const ir::Value zero = b_->text(unit_.zeros(m.value_size));
    constexpr int64_t uncounted = UINT32_MAX;  // LT_NO_LOSS
    const auto counted = [&](LossKind kind) { return b_->constant(raises() ? uncounted : unit_.loss(kind, map)); };
    const ir::Value full = counted(LossKind::map_full), starved = counted(LossKind::map_no_memory);
    const ir::Value slot = b_->call(ir::Library::slot, {b_->map(map), key, zero, full, starved});
    const auto found = [&] {
        note_arrival(*b_, m, slot);
        use_slot(slot);
    };
    if (!raises()) return b_->branch(slot, found);
    b_->branch(slot, found, [&] { raise("Array overflow, check MAXMAPENTRIES", token_at(where)); });
}

void BodyLowering::assign_map(const ast::Assign& node, const ast::Map& target, uint32_t map) {
    if (const auto* called = std::get_if<ast::Call>(&program_[node.value].node)) {
        const FunctionRow* row = find_function(called->name);
        if (row && row->aggregation != Aggregation::none)
            return collect(map, key_of(map, target), *row, *called, program_[node.target].span);
    }
    if (!node.op) return store_value(map, key_of(map, target), node.value, program_[node.target].span);
    ir::Value v = scaled(integer(node.value), unit_.map(map).value, type(node.value));
    if_no_divisor(*node.op, v, node.target, node.value, true);
    const bool adds = *node.op == ast::BinaryOp::add || *node.op == ast::BinaryOp::subtract;
    if (on_host() && adds && !unit_.map(map).adder.empty()) {
        if (*node.op == ast::BinaryOp::subtract) v = b_->alu(ir::Alu::sub, b_->constant(0), v);
        b_->host(HostCall::add, {b_->map(map), key_of(map, target), v});
        return;
    }
    const bool is_signed = type(node.target).is_signed;
    with_slot(map, key_of(map, target), program_[node.target].span, [&](ir::Value slot) {
        if (*node.op == ast::BinaryOp::add) {
            b_->call(ir::Library::add, {slot, v, alone(map)});
        } else if (*node.op == ast::BinaryOp::subtract) {
            b_->call(ir::Library::add, {slot, b_->alu(ir::Alu::sub, b_->constant(0), v), alone(map)});
        } else {
            b_->store(slot, 0, arithmetic(*node.op, is_signed, b_->load(slot, 0), v));
        }
    });
}

void BodyLowering::store_value(uint32_t map, ir::Value key, ast::ExprId value, Span where) {
    const PlannedMap& m = unit_.map(map);
    const bool text = in_memory(m.value);
    const uint32_t room = padded(m.value.size);
    if (is_scalar(m)) {
        const ir::Value v = text ? value_as(value, m.value) : integer(value);
        with_slot(map, key, where, [&](ir::Value slot) { text ? b_->copy(slot, 0, v, room) : b_->store(slot, 0, v); });
        return;
    }
    ir::Value v;
    if (text && !m.keeps_order) {
        v = value_as(value, m.value);
    } else {
        v = b_->buffer(m.value_size);
        text ? b_->copy(v, 0, value_as(value, m.value), room) : b_->store(v, 0, integer(value));
    }
    if (m.keeps_order) {
        const uint32_t at = m.value_size - arrival_mark, came = b_->new_slot();
        b_->write(came, b_->constant(0));
        const ir::Value before = b_->find(map, key);
        b_->branch(before, [&] { b_->write(came, b_->load(before, at)); });
        b_->store(v, at, b_->read(came));
        note_arrival(*b_, m, v);
    }
    const ir::Value failed =
        b_->extend(b_->helper(helper_map_update_elem, {b_->map(map), key, v, b_->constant(0)}), 4, true);
    if_full(failed, map, where);
}

void BodyLowering::collect(uint32_t map, ir::Value key, const FunctionRow& row, const ast::Call& call_node,
                           Span where) {
    const auto collects = [&](ir::Value at) {
        with_slot(map, at, where, [&](ir::Value slot) { update(map, slot, row, call_node); });
    };
    if (!unit_.map(map).generation) return collects(key);
    const ir::Value words = b_->find(unit_.generations(), b_->text(unit_.zeros(4)));
    b_->branch(words, [&] { collects(in_generation(map, key, words)); });
}

// The key, or index, with the generation that is collected into now.
ir::Value BodyLowering::in_generation(uint32_t map, ir::Value key, ir::Value words) {
    const PlannedMap& m = unit_.map(map);
    const ir::Value generation = b_->load(words, generation_size * *m.generation);
    const ir::Value at = is_scalar(m) ? b_->buffer(generation_size) : key;
    b_->store(at, is_scalar(m) ? 0 : m.key_size, generation);
    return at;
}

// Is an update of this CPU's value not to be atomic? Other values are shared by all CPUs.
ir::Value BodyLowering::alone(uint32_t map) {
    const MapShape shape = unit_.map(map).shape;
    const bool per_cpu = shape == MapShape::per_cpu_array || shape == MapShape::per_cpu_hash;
    return b_->constant(per_cpu && unit_.exclusive.map(map, way_));
}

void BodyLowering::update(uint32_t map, ir::Value slot, const FunctionRow& row, const ast::Call& call_node) {
    const ir::Value v = call_node.arguments.empty() ? b_->constant(1) : integer(call_node.arguments[0]);
    const PlannedMap& m = unit_.map(map);
    switch (row.aggregation) {
        case Aggregation::none:
            break;
        case Aggregation::count:
        case Aggregation::sum:
            b_->call(ir::Library::add, {slot, v, alone(map)});
            break;
        case Aggregation::avg:
        case Aggregation::stats:
            b_->call(ir::Library::average, {slot, v, alone(map)});
            break;
        case Aggregation::dist:
            b_->call(ir::Library::dist, {slot, v, b_->constant(unit_.loss(LossKind::contended, map)), alone(map)});
            break;
        case Aggregation::samples:
            collect_samples(map, slot, v);
            break;
        case Aggregation::lhist: {
            const std::vector<int64_t>& buckets = m.value.shape->buckets;
            const int64_t steps = static_cast<int64_t>(bucket_count(m.value)) - 2;
            b_->call(ir::Library::lhist,
                     {slot, v, b_->constant(buckets[0]), b_->constant(buckets[2]), b_->constant(steps), alone(map)});
            break;
        }
        case Aggregation::tseries:
            collect_series(map, slot, v);
            break;
        case Aggregation::hist:
            if (m.value.shape) {
                b_->call(ir::Library::hist_fine, {slot, v, b_->constant(m.value.shape->buckets[0]), alone(map)});
                break;
            }
            b_->call(m.value.view == View::duration ? ir::Library::hist_duration : ir::Library::hist,
                     {slot, v, alone(map)});
            break;
        case Aggregation::min:
        case Aggregation::max: {
            const auto flip = static_cast<int64_t>(order_flip(row.aggregation, m.value.is_signed));
            const ir::Value order = b_->alu(ir::Alu::bit_xor, v, b_->constant(flip));
            b_->call(ir::Library::raise, {slot, order, b_->constant(unit_.loss(LossKind::contended, map)), alone(map)});
            break;
        }
    }
}

void BodyLowering::call(const ast::Call& node) {
    if (const auto c = program_.c_function(node.name)) {
        c_called(node, *c, ir::no_value);
        return;
    }
    const Function function = find_function(node.name)->id;
    if (const CallRule* rule = call_rule(function)) {
        if (rule->run != nullptr) rule->run(*this, node);
        return;
    }
    struct Own {
        Function id;
        void (BodyLowering::*run)(const ast::Call&);
    };
    static constexpr Own own[] = {
        {Function::printf, &BodyLowering::printf},   {Function::print, &BodyLowering::print},
        {Function::clear, &BodyLowering::clear},     {Function::zero, &BodyLowering::zero},
        {Function::remove, &BodyLowering::removals}, {Function::exit, &BodyLowering::exit},
    };
    const auto* const known = std::ranges::find(own, function, &Own::id);
    if (known != std::end(own)) (this->*known->run)(node);  // of the others only the value counts
}

void BodyLowering::clear(const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::clear;
    e.map = std::get<MapUse>(use(node.arguments[0])).index;
    e.printed = printed_map_ == e.map || read_maps_.contains(e.map);
    emit_event(std::move(e), {});
}

void BodyLowering::zero(const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::zero;
    e.map = std::get<MapUse>(use(node.arguments[0])).index;
    e.printed = printed_map_ == e.map;
    emit_event(std::move(e), {});
}

void BodyLowering::removals(const ast::Call& node) {
    for (ast::ExprId map : node.arguments) remove(map);
}

void BodyLowering::print(const ast::Call& node) {
    if (const auto* span_use = std::get_if<SpanUse>(&use(node.arguments[0]))) {
        PlannedEvent open;
        open.kind = EventKind::spans;
        open.map = span_use->index;
        return emit_event(std::move(open), {});
    }
    if (type(node.arguments[0]).aggregation == Aggregation::samples &&
        std::holds_alternative<ast::Call>(program_[node.arguments[0]].node))
        return print_histogram(std::get<ast::Call>(program_[node.arguments[0]].node));
    const auto* map = std::get_if<ast::Map>(&program_[node.arguments[0]].node);
    if (type(node.arguments[0]).kind == Kind::aggregation) {
        if (const auto* pair = std::get_if<PairUse>(&use(node.arguments[0])))
            return print_entry(pair->map, pairs_.at(pair->local).key);
        const uint32_t index = std::get<MapUse>(use(node.arguments[0])).index;
        if (map && map->has_key) return print_entry(index, key_of(index, *map));
    }
    PlannedEvent e;
    e.kind = map && !map->has_key ? EventKind::map : EventKind::value;
    if (e.kind == EventKind::value) return emit_event(std::move(e), {node.arguments[0]});
    e.map = std::get<MapUse>(use(node.arguments[0])).index;
    if (on_host()) read_maps_.insert(e.map);
    const auto number = [&](size_t i) { return std::get<ast::Integer>(program_[node.arguments[i]].node).value; };
    if (node.arguments.size() > 1) e.top = static_cast<uint32_t>(number(1));
    if (node.arguments.size() > 2) e.divisor = static_cast<int64_t>(number(2));
    emit_event(std::move(e), {});
}

void BodyLowering::exit(const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::exit;
    if (program_.settings.stops_at_exit)
        return b_->branch(b_->stopping(), [] {}, [&] { emit_event(std::move(e), node.arguments, true); });
    emit_event(std::move(e), node.arguments, true);
    b_->leave();
}

void BodyLowering::printf(const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::text;
    e.format = std::get<ast::String>(program_[node.arguments[0]].node).value;
    emit_event(std::move(e), {node.arguments.begin() + 1, node.arguments.end()});
}

// A percentile is computed by whoever prints it: only the key goes into the record.
RecordPart BodyLowering::percentile_part(const ast::Call& node, EventField& field) {
    const uint32_t map = std::get<MapUse>(use(node.arguments[0])).index;
    const PlannedMap& m = unit_.map(map);
    field.type = integer_type(8, true, m.value.view);
    field.percentile = PlannedPercentile{map, percent_share(program_[node.arguments[1]]).value_or(0)};
    if (is_scalar(m)) return {ir::no_value, 0, false};
    return {key_of(map, std::get<ast::Map>(program_[node.arguments[0]].node)), padded(m.key_size), true};
}

RecordPart BodyLowering::record_part(ast::ExprId id, EventField& field) {
    if (const auto* called = std::get_if<CallUse>(&use(id)); called && called->id == Function::percentile) {
        return percentile_part(std::get<ast::Call>(program_[id].node), field);
    }
    field.type = type(id);
    if (!in_memory(field.type)) return {integer(id), 8, false};
    const uint32_t room = padded(field.type.size);
    if (field.type.kind != Kind::array) field.type.size = room;  // what stands behind an array is no element of it
    return {string(id, room), room, true};
}

// Integers are computed before room is reserved, so that as little as possible happens in between; strings are written
// in place.
void BodyLowering::emit_event(PlannedEvent event, const std::vector<ast::ExprId>& values, bool wake) {
    std::vector<RecordPart> ready;
    for (ast::ExprId id : values) {
        EventField field;
        ready.push_back(record_part(id, field));
        event.fields.push_back(field);
    }
    emit_parts(std::move(event), ready, wake);
}

// 1 where it was there.
ir::Value BodyLowering::remove(ast::ExprId id) {
    const auto& map_node = std::get<ast::Map>(program_[id].node);
    const uint32_t map = std::get<MapUse>(use(id)).index;
    const PlannedMap& m = unit_.map(map);
    if (m.shape ==
        MapShape::per_cpu_array) {  // a program reaches only the value of its own CPU: the runtime unsets them all
        PlannedEvent e;
        e.kind = EventKind::clear;
        e.map = map;
        emit_event(std::move(e), {});
        return b_->constant(1);
    }
    const ir::Value key = key_of(map, map_node);
    if (!is_scalar(m)) {
        const ir::Value failed = b_->extend(b_->helper(helper_map_delete_elem, {b_->map(map), key}), 4, true);
        return b_->alu(ir::Alu::eq, failed, b_->constant(0));
    }
    const uint32_t was = b_->new_slot();
    b_->write(was, b_->constant(0));
    const ir::Value slot = b_->find(map, key);
    b_->branch(slot, [&] {
        b_->write(was, truth(b_->load(slot, m.value_size - scalar_mark)));
        for (uint32_t at = 0; at < m.value_size; at += 8) b_->store(slot, at, b_->constant(0));
    });
    return b_->read(was);
}

ir::Value BodyLowering::has_key(ast::ExprId, const ast::Call& node) { return is_set(node.arguments[0]); }

ir::Value BodyLowering::is_set(ast::ExprId id) {
    const uint32_t map = std::get<MapUse>(use(id)).index, found = b_->new_slot();
    b_->write(found, b_->constant(0));
    const ir::Value key = key_of(map, std::get<ast::Map>(program_[id].node));
    const ir::Value slot = stored(map, key);
    b_->branch(slot, [&] {
        const PlannedMap& m = unit_.map(map);
        b_->write(found, is_scalar(m) ? truth(b_->load(slot, m.value_size - scalar_mark)) : b_->constant(1));
    });
    return b_->read(found);
}

ir::Value BodyLowering::length(ast::ExprId, const ast::Call& node) {
    if (type(node.arguments[0]).kind == Kind::stack) {
        const ir::Value stack = string(node.arguments[0], stack_size);
        return b_->call(ir::Library::stack_length, {b_->map(unit_.stacks()), stack});
    }
    const uint32_t map = std::get<MapUse>(use(node.arguments[0])).index;
    if (is_scalar(unit_.map(map))) return is_set(node.arguments[0]);
    const uint32_t count = b_->new_slot();
    b_->write(count, b_->constant(0));
    if (on_host()) return walk_length(map);
    b_->each(map, [&] { b_->write(count, b_->alu(ir::Alu::add, b_->read(count), b_->constant(1))); });
    return b_->read(count);
}

}  // namespace lt
