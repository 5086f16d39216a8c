#include "recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "base/visible.h"

namespace lt {

const RecordedThread* Recording::thread(uint32_t tid) const {
    const auto found = std::ranges::lower_bound(threads, tid, {}, &RecordedThread::tid);
    return found != threads.end() && found->tid == tid ? &*found : nullptr;
}

namespace {

std::string named_text(uint32_t tid, const std::string& comm) {
    if (tid == 0) return "an idle CPU";
    if (comm.empty()) return fmt::format("thread {}", tid);
    std::string name;
    append_visible(name, comm);
    return fmt::format("{} ({})", name, tid);
}

}  // namespace

std::string Recording::thread_text(uint32_t tid) const {
    const RecordedThread* known = thread(tid);
    return named_text(tid, known ? known->comm : "");
}

std::string Recording::thread_text(uint32_t tid, uint64_t time) const {
    if (const auto found = earlier.find(tid); found != earlier.end())
        for (const EarlierThread& each : found->second)
            if (time < each.until) return named_text(tid, each.comm);
    return thread_text(tid);
}

std::string Recording::threads_text(const Trigger& of) const {
    const std::string closer = thread_text(of.tid, of.time);
    return of.opener ? fmt::format("from {} to {}", thread_text(*of.opener, of.begin()), closer) : closer;
}

std::string_view Recording::span_text(const Trigger& of) const {
    return of.span && *of.span < spans.size() ? std::string_view(spans[*of.span]) : "snapshot()";
}

std::string Recording::device_text(uint32_t device) const {
    const auto found = devices.find(device);
    if (found != devices.end()) return visible(found->second);
    constexpr uint32_t minors = 0xfffff;
    return fmt::format("{}:{}", device >> (block_major_at - block_device_at), device & minors);
}

std::vector<std::string_view> Recording::functions(uint64_t stack) const {
    std::vector<std::string_view> out;
    const auto found = stacks.find(stack);
    if (found == stacks.end()) return out;
    for (const uint64_t address : found->second) {
        const auto name = symbols.find(address);
        out.push_back(name == symbols.end() ? std::string_view() : name->second);
    }
    return out;
}

std::vector<Trigger> Recording::triggers() const {
    std::vector<Trigger> out;
    std::map<std::pair<uint32_t, uint16_t>, Record> closes;  // the last one of each thread on each CPU
    for (const Record& record : records) {
        if (record.kind == RecordKind::close) closes[{record.tid, record.cpu}] = record;
        if (record.kind != RecordKind::trigger) continue;
        Trigger found{record.time, record.tid, std::nullopt, record.b};
        if (record.a < spans.size()) found.span = static_cast<uint32_t>(record.a);
        // snapshot() is called a moment after the span was closed
        const auto close = closes.find({record.tid, record.cpu});
        if (close != closes.end() && close->second.b == record.b) {
            found.time = close->second.time;
            if (const uint32_t opener = opener_in(close->second); opener != record.tid) found.opener = opener;
        }
        out.push_back(found);
    }
    if (out.empty()) out.push_back(trigger);
    return out;
}

std::string name_in(const Record& record) {
    char name[17] = {};
    std::memcpy(name, &record.a, 8);
    std::memcpy(name + 8, &record.b, 8);
    return name;
}

uint32_t other_thread_in(const Record& record) {
    if (record.kind == RecordKind::switched || record.kind == RecordKind::waking)
        return static_cast<uint32_t>(record.a);
    return record.kind == RecordKind::fork ? static_cast<uint32_t>(record.b) : record.tid;
}

uint32_t opener_in(const Record& close) { return static_cast<uint32_t>(close.a >> close_opener_at); }

uint64_t lost_stacks(const Recording& recording) {
    constexpr uint64_t surely_long = long_wait_ns + long_wait_ns / 10;  // the kernel read its clock a bit earlier
    constexpr uint64_t dead = 0x80;
    std::unordered_map<uint32_t, uint64_t> departures;  // by thread: when it left its CPU to wait
    uint64_t lost = 0;
    for (const Record& record : recording.records) {
        if (record.kind != RecordKind::switched) continue;
        const uint64_t state = record.a >> switch_state_at & 0xffff;
        const bool preempted = (record.a >> switch_flags_at & switch_preempted) != 0;
        if (state != 0 && (state & dead) == 0 && !preempted)
            departures[record.tid] = record.time;
        else
            departures.erase(record.tid);
        const auto left = departures.find(other_thread_in(record));
        const bool is_long = left != departures.end() && record.time - left->second >= surely_long;
        if (record.b != 0 ? !recording.stacks.contains(record.b) : is_long) lost++;
        if (left != departures.end()) departures.erase(left);
    }
    return lost;
}

void find_earlier(Recording& recording) {
    recording.earlier.clear();
    std::unordered_map<uint32_t, std::string> names;  // the last ones, of threads that have been seen
    for (const Record& record : recording.records) {
        if (record.kind == RecordKind::fork) {
            const auto before = names.find(record.tid);
            if (before != names.end()) recording.earlier[record.tid].push_back({record.time, before->second});
            names.insert_or_assign(record.tid, "");
            continue;
        }
        names.try_emplace(other_thread_in(record));
        if (record.kind == RecordKind::lock_begin) names.try_emplace(static_cast<uint32_t>(record.b >> lock_owner_at));
        std::string& name = names[record.tid];
        const bool is_last = record.kind == RecordKind::name || record.kind == RecordKind::exit;
        if (is_last || (record.kind == RecordKind::renamed && name.empty())) name = name_in(record);
    }
}

void complete(Recording& recording) {
    std::ranges::stable_sort(recording.records, {}, &Record::time);
    const Trigger& call = recording.trigger;
    for (const Trigger& found : recording.triggers())
        if (found.tid == call.tid && found.latency == call.latency && found.time <= call.time)
            recording.trigger.time = found.time, recording.trigger.opener = found.opener;
    // A name in the list is newer than those in the records, also than that of an end: it was of an earlier thread with
    // this number. A thread that is not in the list has its last one.
    std::map<uint32_t, RecordedThread> threads;
    std::set<uint32_t> listed;
    for (const RecordedThread& known : recording.threads)
        if (!known.comm.empty()) listed.insert(known.tid);
    for (RecordedThread& known : recording.threads) threads[known.tid] = std::move(known);
    for (const Record& record : recording.records) {
        if (record.kind == RecordKind::fork) {
            RecordedThread& made = threads.try_emplace(record.tid, RecordedThread{record.tid, 0, 0, {}}).first->second;
            if (made.process == 0) made.process = static_cast<uint32_t>(record.a);
        }
        if (record.kind == RecordKind::member) {
            RecordedThread& ended = threads.try_emplace(record.tid, RecordedThread{record.tid, 0, 0, {}}).first->second;
            if (ended.process == 0) ended.process = static_cast<uint32_t>(record.a);
        }
        if (record.kind != RecordKind::name && record.kind != RecordKind::exit) continue;
        RecordedThread& named = threads.try_emplace(record.tid, RecordedThread{record.tid, 0, 0, {}}).first->second;
        if (!listed.contains(record.tid)) named.comm = name_in(record);
    }
    recording.threads.clear();
    for (auto& [tid, known] : threads) recording.threads.push_back(std::move(known));
    find_earlier(recording);
}

}  // namespace lt
