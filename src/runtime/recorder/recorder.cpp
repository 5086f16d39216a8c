#include "runtime/recorder/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "runtime/os/timestamps.h"

namespace lt {
namespace {

void in_order() { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace

FlightRecorder::FlightRecorder(std::unique_ptr<RecorderObject> object)
    : object_(std::move(object)), rings_(2 * object_->size().cpus) {}

Result<std::unique_ptr<FlightRecorder>> FlightRecorder::open(const LoadedObject& script, const KeepSize& size) {
    auto object = RecorderObject::load(script, size);
    if (!object) return object.error();
    return std::unique_ptr<FlightRecorder>(new FlightRecorder(*std::move(object)));
}

Status FlightRecorder::attach() {
    volatile KeptControl& control = object_->control();
    control.mask = object_->size().slots - 1;
    control.cpus = cpus();
    control.generation = 0;
    if (Status attached = object_->attach(); !attached) return attached.error();
    began_[0] = began_[1] = monotonic_now();
    in_order();
    control.on = 1;
    return Done{};
}

void FlightRecorder::detach() {
    object_->control().on = 0;
    object_->detach();
}

std::optional<Record> FlightRecorder::slot(uint64_t ring, uint64_t index, uint32_t cpu) const {
    volatile KeptSlot& slot = object_->slots(ring)[index & (object_->size().slots - 1)];
    const auto sequence = static_cast<uint32_t>(index + 1);
    if (slot.sequence != sequence) return std::nullopt;
    in_order();
    const uint32_t what = slot.what;
    const Record record{slot.time,
                        slot.a,
                        slot.b,
                        what >> slot_tid_at,
                        static_cast<uint16_t>(cpu),
                        static_cast<RecordKind>(what & 0xff)};
    in_order();
    if (slot.sequence != sequence || record.kind == RecordKind::none ||
        static_cast<uint32_t>(record.kind) >= record_kinds)
        return std::nullopt;
    return record;
}

// A record that is still being written comes within moments; one that does not is torn, or was overwritten.
void FlightRecorder::read_slot(uint64_t ring, uint64_t index, uint32_t cpu, Recording& to) {
    constexpr int most_tries = 50;
    std::optional<Record> record = slot(ring, index, cpu);
    for (int i = 0; i < most_tries && !record; i++) {
        usleep(20);
        record = slot(ring, index, cpu);
    }
    if (!record)
        to.account.torn++;
    else
        to.records.push_back(*record);
}

uint64_t FlightRecorder::read(uint64_t generation, uint32_t cpu, uint64_t since, Recording& to) {
    const uint64_t ring = generation * cpus() + cpu, slots = object_->size().slots;
    const uint64_t head = object_->ring(ring).head, from = rings_[ring].first;
    const uint64_t first = std::max(from, head > slots ? head - slots : 0);
    to.account.overwritten += first - from;
    const size_t before = to.records.size();
    for (uint64_t index = first; index < head; index++) read_slot(ring, index, cpu, to);
    if (first == from) return since;
    uint64_t oldest = monotonic_now();
    for (size_t i = before; i < to.records.size(); i++) oldest = std::min(oldest, to.records[i].time);
    return oldest;
}

// A stack whose hash is not that of its frames is being written.
void FlightRecorder::read_stacks(Recording& to) {
    std::set<uint64_t> wanted;
    for (const Record& record : to.records)
        if (record.kind == RecordKind::switched && record.b != 0) wanted.insert(record.b);
    for (const uint64_t hash : wanted) {
        volatile KeptStack& kept = object_->stack(hash & (kept_stacks - 1));
        uint64_t frames[kept_frames];
        for (uint32_t i = 0; i < kept_frames; i++) frames[i] = kept.frames[i];
        if (kept.hash != hash || stack_hash(frames) != hash) continue;
        std::vector<uint64_t>& stack = to.stacks[hash];
        for (const uint64_t frame : frames) {
            if (frame == 0) break;
            stack.push_back(frame);
        }
    }
}

// The resting generation holds what was before the last exchange; it is read before it is written again.
Recording FlightRecorder::take() {
    Recording out;
    out.cpus = static_cast<uint32_t>(cpus());
    out.account.missing = object_->missing();
    volatile KeptControl& control = object_->control();
    const uint64_t active = control.generation & 1, resting = active ^ 1;
    std::vector<uint64_t> complete_from(cpus());
    for (uint32_t cpu = 0; cpu < cpus(); cpu++) complete_from[cpu] = read(resting, cpu, began_[resting], out);
    for (uint32_t cpu = 0; cpu < cpus(); cpu++)
        rings_[resting * cpus() + cpu].first = object_->ring(resting * cpus() + cpu).head;
    out.end = monotonic_now();
    began_[resting] = out.end;
    in_order();
    control.generation = resting;
    in_order();
    out.account.overwritten = 0;  // counted when that generation was taken
    for (uint32_t cpu = 0; cpu < cpus(); cpu++) {
        const uint64_t from = read(active, cpu, complete_from[cpu], out);
        out.begin = std::max(out.begin, from);
    }
    // Writers that had chosen their ring before the exchange may have written a little later.
    for (const Record& record : out.records) out.end = std::max(out.end, record.time);
    std::erase_if(out.records, [&](const Record& record) { return record.time < out.begin; });
    read_stacks(out);
    out.account.missed = object_->missed();
    return out;
}

void FlightRecorder::add_ended(Recording& to) const {
    std::set<uint32_t> unknown;
    for (const Record& record : to.records) unknown.insert({record.tid, other_thread_in(record)});
    for (const RecordedThread& thread : to.threads) unknown.erase(thread.tid);
    const uint64_t active = object_->control().generation & 1, slots = object_->size().slots;
    std::map<uint32_t, RecordedThread> ended;
    for (uint64_t ring = active * cpus(); ring < (active + 1) * cpus(); ring++) {
        const uint64_t head = object_->ring(ring).head;
        for (uint64_t index = std::max(rings_[ring].first, head > slots ? head - slots : 0); index < head; index++) {
            const std::optional<Record> record = slot(ring, index, 0);
            if (!record || !unknown.contains(record->tid)) continue;
            RecordedThread& thread =
                ended.try_emplace(record->tid, RecordedThread{record->tid, 0, 0, {}}).first->second;
            if (record->kind == RecordKind::member) thread.process = static_cast<uint32_t>(record->a);
            if (record->kind == RecordKind::exit || record->kind == RecordKind::name) thread.comm = name_in(*record);
        }
    }
    for (auto& [tid, thread] : ended)
        if (!thread.comm.empty()) to.threads.push_back(std::move(thread));
}

}  // namespace lt
