// Records of a fixed size are reserved and written in place. Records with long strings are built in scratch memory, and
// only the bytes in use are copied to the ring buffer.
#include "codegen/lower/statements/record.h"

#include <linux/bpf.h>

#include "codegen/ir/outside.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/percent.h"
#include "runtime/border/records.h"

namespace lt {
namespace {

// Does this record prevent all further handlers from running?
bool ends_run(EventKind kind, const Settings& settings) {
    const bool fails = kind == EventKind::raised && settings.max_errors == 0;
    return settings.stops_at_exit && (kind == EventKind::exit || fails);
}

ir::Value wake_flags(Lowering& l, bool wake) {
    if (wake) return l.b.constant(force_wakeup);
    const uint32_t ring = ring_map(l.unit), eighth = l.unit.map_definition(ring).max_entries / 8;
    return l.b.call(ir::Library::wake_flags, {l.b.map(ring), l.b.constant(eighth)});
}

void write_record(Lowering& l, uint32_t index, const std::vector<RecordPart>& parts, bool wake) {
    const std::vector<EventField> fields = l.unit.planned(index).fields;
    const bool ends = ends_run(l.unit.planned(index).kind, l.program.settings);
    const ir::Value flags = wake_flags(l, wake);
    const ir::Value record = ir::reserve(l.b, ring_map(l.unit), index);
    l.b.branch(
        record,
        [&] {
            l.b.store(record, 0, l.b.constant(index));
            for (size_t i = 0; i < fields.size(); i++) {
                if (parts[i].room == 0) continue;
                parts[i].bytes ? l.b.copy(record, fields[i].offset, parts[i].value, parts[i].room)
                               : l.b.store(record, fields[i].offset, parts[i].value);
            }
            if (ends) ir::halt(l.b);
            ir::submit(l.b, record, flags);
        },
        [&] { l.b.loss(l.unit.loss(LossKind::ring_buffer_full, 0)); });
}

// `most`: the size if all strings fill their buffers. The start of the next string is only known at run time, but the
// verifier sees its upper limit.
void write_long_record(Lowering& l, uint32_t index, const std::vector<RecordPart>& parts, uint32_t most, bool prints,
                       bool wake) {
    const std::vector<EventField> fields = l.unit.planned(index).fields;
    const ir::Value record = l.b.uncleared(most), ring = l.b.map(ring_map(l.unit));
    const uint32_t end = l.b.new_slot();
    uint32_t furthest = l.unit.planned(index).size;
    l.b.write(end, l.b.constant(furthest));
    l.b.store(record, 0, l.b.constant(index));
    for (size_t i = 0; i < fields.size(); i++) {
        if (parts[i].room == 0) continue;
        if (!parts[i].bytes) {
            l.b.store(record, fields[i].offset, parts[i].value);
        } else if (!lies_apart(fields[i].type)) {
            l.b.copy(record, fields[i].offset, parts[i].value, parts[i].room);
        } else {
            const auto room = l.b.constant(parts[i].room + 1);  // a string that fills its buffer has no zero after it
            const ir::Value at = l.b.call(ir::Library::at_most, {l.b.read(end), l.b.constant(furthest)});
            l.b.store(record, fields[i].offset, at);
            const ir::Value length =
                l.b.helper(BPF_FUNC_probe_read_kernel_str, {l.b.address_plus(record, at), room, parts[i].value});
            l.b.write(end, l.b.alu(ir::Alu::add, at, l.b.call(ir::Library::at_most, {length, room})));
            furthest += parts[i].room + 1;
        }
    }
    const ir::Value size = l.b.call(ir::Library::at_most, {l.b.read(end), l.b.constant(most)});
    const auto lose = [&] { l.b.loss(l.unit.loss(LossKind::ring_buffer_full, 0)); };
    const bool ends = ends_run(l.unit.planned(index).kind, l.program.settings);
    const auto write = [&] {
        l.b.branch(l.b.helper(BPF_FUNC_ringbuf_output, {ring, record, size, wake_flags(l, wake)}), lose, [&] {
            if (ends) ir::halt(l.b);
        });
    };
    if (!prints) return write();
    l.b.branch(l.b.call(ir::Library::room, {ring, size}), write, lose);
}

// The printing side computes a percentile: only the key goes into the record.
RecordPart percentile_part(Lowering& l, const ast::Call& node, EventField& field) {
    const uint32_t map = std::get<MapUse>(l.use(node.arguments[0])).index;
    const PlannedMap& m = l.unit.map(map);
    field.type = integer_type(8, true, m.value.view);
    field.percentile = PlannedPercentile{map, percent_share(l.program[node.arguments[1]]).value_or(0)};
    if (is_scalar(m)) return {ir::no_value, 0, false};
    return {key_of(l, map, std::get<ast::Map>(l.program[node.arguments[0]].node)), padded_size(m.key_size), true};
}

RecordPart record_part(Lowering& l, ast::ExprId id, EventField& field) {
    if (const auto* called = std::get_if<CallUse>(&l.use(id)); called && called->id == Function::percentile) {
        return percentile_part(l, std::get<ast::Call>(l.program[id].node), field);
    }
    field.type = l.type(id);
    if (!in_memory(field.type)) return {integer_of(l, id), 8, false};
    const uint32_t room = padded_size(field.type.size);
    if (field.type.kind != Kind::array) field.type.size = room;  // the bytes after an array are not an element of it
    return {text_of(l, id, room), room, true};
}

}  // namespace

void emit_parts(Lowering& l, PlannedEvent event, std::vector<RecordPart> ready, bool wake) {
    if (l.unit.typed.timestamps) {
        event.timed = true;
        event.fields.push_back({integer_type(), 0});
        ready.push_back({l.b.helper(BPF_FUNC_ktime_get_ns), 8, false});
    }
    uint32_t size = record_header, apart = 0;
    for (size_t i = 0; i < ready.size(); i++) {
        const bool is_long = ready[i].bytes && lies_apart(event.fields[i].type);
        event.fields[i].offset = size;
        size += is_long ? 8 : ready[i].room;
        if (is_long) apart += ready[i].room + 1;
    }
    event.size = size;
    const bool prints = kind_row(event.kind).only_prints;
    const uint32_t lost = l.unit.loss(LossKind::ring_buffer_full, 0);
    const uint32_t ring = ring_map(l.unit);
    if (!l.on_host()) fit_ring(l.unit, size + apart);
    const uint32_t index = l.unit.event(std::move(event));
    if (apart > 0) return write_long_record(l, index, ready, size + apart, prints, wake);
    const auto write = [&] { write_record(l, index, ready, wake); };
    if (!prints) return write();
    l.b.branch(l.b.call(ir::Library::room, {l.b.map(ring), l.b.constant(size)}), write, [&] { l.b.loss(lost); });
}

// Integers are computed before the record is reserved, so that as little as possible happens in between; strings are
// written in place.
void emit_values(Lowering& l, PlannedEvent event, const std::vector<ast::ExprId>& values, bool wake) {
    std::vector<RecordPart> ready;
    for (ast::ExprId id : values) {
        EventField field;
        ready.push_back(record_part(l, id, field));
        event.fields.push_back(field);
    }
    emit_parts(l, std::move(event), ready, wake);
}

void print_entry(Lowering& l, uint32_t map, ir::Value key) {
    const PlannedMap& m = l.unit.map(map);
    PlannedEvent e;
    e.kind = EventKind::map;
    e.map = map;
    e.fields.push_back({tuple_type(m.key)});
    emit_parts(l, std::move(e), {{key, padded_size(m.key_size), true}}, false);
}

}  // namespace lt
