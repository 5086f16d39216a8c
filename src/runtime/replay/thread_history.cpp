#include "runtime/replay/thread_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lt {
namespace {

// The last change up to that time. What holds at the first change has held before, as far as is known.
template <class Changes>
auto at(const Changes& changes, uint64_t time) {
    const auto after = std::ranges::upper_bound(changes, time, {}, [](const auto& change) { return change.first; });
    return after == changes.begin() ? changes.front().second : std::prev(after)->second;
}

}  // namespace

ThreadHistory::ThreadHistory(const Recording& recording) {
    for (const Record& record : recording.records) take(record);
    for (const RecordedThread& thread : recording.threads) {
        if (auto& names = names_[thread.tid]; names.empty() && !thread.comm.empty()) names.emplace_back(0, thread.comm);
        if (auto& processes = processes_[thread.tid]; processes.empty() && thread.process != 0)
            processes.emplace_back(0, thread.process);
    }
    count_incomplete(recording);
}

void ThreadHistory::take(const Record& record) {
    auto& names = names_[record.tid];
    switch (record.kind) {
        case RecordKind::fork: {
            std::string name = comm(static_cast<uint32_t>(record.b), record.time, record.cpu);
            if (!name.empty()) names_[record.tid].emplace_back(record.time, std::move(name));
            processes_[record.tid].emplace_back(record.time, static_cast<uint32_t>(record.a));
            return;
        }
        case RecordKind::name:
            names.emplace_back(record.time, name_in(record));
            return;
        case RecordKind::renamed:
        case RecordKind::exit:  // it has had this name since the last record that says so
            if (names.empty()) names.emplace_back(0, name_in(record));
            return;
        case RecordKind::member:
            if (auto& processes = processes_[record.tid]; processes.empty())
                processes.emplace_back(0, static_cast<uint32_t>(record.a));
            return;
        default:
            return;
    }
}

void ThreadHistory::count_incomplete(const Recording& recording) {
    std::set<uint32_t> threads;
    for (const Record& record : recording.records) threads.insert({record.tid, other_thread_in(record)});
    threads.erase(0);
    const auto is_incomplete = [&](uint32_t tid) { return comm(tid, 0, 0).empty() || process(tid, 0) == 0; };
    incomplete_ = static_cast<uint64_t>(std::ranges::count_if(threads, is_incomplete));
}

std::string ThreadHistory::comm(uint32_t tid, uint64_t time, uint16_t cpu) const {
    if (tid == 0) return fmt::format("swapper/{}", cpu);
    const auto found = names_.find(tid);
    return found == names_.end() || found->second.empty() ? "" : at(found->second, time);
}

uint32_t ThreadHistory::process(uint32_t tid, uint64_t time) const {
    const auto found = processes_.find(tid);
    return found == processes_.end() || found->second.empty() ? 0 : at(found->second, time);
}

}  // namespace lt
