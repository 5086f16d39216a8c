// Records in the ring buffer: those of a fixed size are reserved and written in place; those with long strings are put
// together in the scratch, and only as much of it as there is content goes into the ring buffer.
#include "lower.h"
#include "runtime/records.h"

namespace lt {
namespace {

constexpr int helper_ktime_get_ns = 5;
constexpr int helper_probe_read_kernel_str = 115;
constexpr int helper_ringbuf_output = 130;
constexpr uint32_t record_header = 8;  // u32 index, u32 zero
constexpr int64_t force_wakeup = 2;    // BPF_RB_FORCE_WAKEUP

// Does the record change nothing about the run?
bool only_prints(EventKind kind) {
    switch (kind) {
        case EventKind::text:
        case EventKind::value:
        case EventKind::join:
        case EventKind::cat:
        case EventKind::error:
        case EventKind::warning:
        case EventKind::histogram:
        case EventKind::time:
            return true;
        case EventKind::map:
        case EventKind::spans:
        case EventKind::stack:
        case EventKind::clear:
        case EventKind::zero:
        case EventKind::exit:
        case EventKind::system:
        case EventKind::raised:
        case EventKind::option:
            return false;
    }
    return false;
}

// May no handler begin any more once this is written?
bool ends_run(EventKind kind, const Settings& settings) {
    const bool fails = kind == EventKind::raised && settings.max_errors == 0;
    return settings.stops_at_exit && (kind == EventKind::exit || fails);
}

}  // namespace

void BodyLowering::emit_parts(PlannedEvent event, std::vector<RecordPart> ready, bool wake) {
    if (unit_.typed.timestamps) {
        event.timed = true;
        event.fields.push_back({integer_type(), 0});
        ready.push_back({b_->helper(helper_ktime_get_ns), 8, false});
    }
    uint32_t size = record_header, apart = 0;
    for (size_t i = 0; i < ready.size(); i++) {
        const bool is_long = ready[i].bytes && lies_apart(event.fields[i].type);
        event.fields[i].offset = size;
        size += is_long ? 8 : ready[i].room;
        if (is_long) apart += ready[i].room + 1;
    }
    event.size = size;
    const bool prints = only_prints(event.kind);
    const uint32_t lost = unit_.loss(LossKind::ring_buffer_full, 0);
    const uint32_t ring = unit_.ring();
    const uint32_t index = unit_.event(std::move(event));
    if (apart > 0) return write_long_record(index, ready, size + apart, prints, wake);
    const auto write = [&] { write_record(index, ready, wake); };
    if (!prints) return write();
    b_->branch(b_->call(ir::Library::room, {b_->map(ring), b_->constant(size)}), write, [&] { b_->loss(lost); });
}

ir::Value BodyLowering::wake_flags(bool wake) {
    if (wake) return b_->constant(force_wakeup);
    return b_->call(ir::Library::wake_flags, {b_->map(unit_.ring()), b_->constant(unit_.ring_size() / 8)});
}

void BodyLowering::write_record(uint32_t index, const std::vector<RecordPart>& parts, bool wake) {
    const std::vector<EventField> fields = unit_.planned(index).fields;
    const bool ends = ends_run(unit_.planned(index).kind, program_.settings);
    const ir::Value flags = wake_flags(wake);
    const ir::Value record = b_->reserve(unit_.ring(), index);
    b_->branch(
        record,
        [&] {
            b_->store(record, 0, b_->constant(index));
            for (size_t i = 0; i < fields.size(); i++) {
                if (parts[i].room == 0) continue;
                parts[i].bytes ? b_->copy(record, fields[i].offset, parts[i].value, parts[i].room)
                               : b_->store(record, fields[i].offset, parts[i].value);
            }
            if (ends) b_->halt();
            b_->submit(record, flags);
        },
        [&] { b_->loss(unit_.loss(LossKind::ring_buffer_full, 0)); });
}

// `most` bytes, if all strings fill their room. Where the next one begins is known only as the program runs, but the
// verifier sees how far that can be at most.
void BodyLowering::write_long_record(uint32_t index, const std::vector<RecordPart>& parts, uint32_t most, bool prints,
                                     bool wake) {
    const std::vector<EventField> fields = unit_.planned(index).fields;
    const ir::Value record = b_->uncleared(most), ring = b_->map(unit_.ring());
    const uint32_t end = b_->new_slot();
    uint32_t furthest = unit_.planned(index).size;
    b_->write(end, b_->constant(furthest));
    b_->store(record, 0, b_->constant(index));
    for (size_t i = 0; i < fields.size(); i++) {
        if (parts[i].room == 0) continue;
        if (!parts[i].bytes) {
            b_->store(record, fields[i].offset, parts[i].value);
        } else if (!lies_apart(fields[i].type)) {
            b_->copy(record, fields[i].offset, parts[i].value, parts[i].room);
        } else {
            const auto room = b_->constant(parts[i].room + 1);  // a string that fills its own has no zero behind it
            const ir::Value at = b_->call(ir::Library::at_most, {b_->read(end), b_->constant(furthest)});
            b_->store(record, fields[i].offset, at);
            const ir::Value length =
                b_->helper(helper_probe_read_kernel_str, {b_->address_plus(record, at), room, parts[i].value});
            b_->write(end, b_->alu(ir::Alu::add, at, b_->call(ir::Library::at_most, {length, room})));
            furthest += parts[i].room + 1;
        }
    }
    const ir::Value size = b_->call(ir::Library::at_most, {b_->read(end), b_->constant(most)});
    const auto lose = [&] { b_->loss(unit_.loss(LossKind::ring_buffer_full, 0)); };
    const bool ends = ends_run(unit_.planned(index).kind, program_.settings);
    const auto write = [&] {
        b_->branch(b_->helper(helper_ringbuf_output, {ring, record, size, wake_flags(wake)}), lose, [&] {
            if (ends) b_->halt();
        });
    };
    if (!prints) return write();
    b_->branch(b_->call(ir::Library::room, {ring, size}), write, lose);
}

}  // namespace lt
