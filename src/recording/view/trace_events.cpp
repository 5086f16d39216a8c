#include "recording/view/trace_events.h"

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "json/json.h"
#include "recording/view/lanes.h"

namespace lt {
namespace {

// Exact to the nanosecond, which a double would not be.
std::string microseconds(uint64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

class Events {
  public:
    explicit Events(const Recording& recording) : recording_(recording) {}

    void metadata(std::string_view name, uint32_t pid, uint32_t tid, const std::string& value) {
        add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", name, pid, tid,
                        quoted_json(value)));
    }
    void slice(std::string_view category, const std::string& name, uint32_t tid, uint64_t begin, uint64_t end) {
        add(fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{}}})", category,
                        quoted_json(name), process(tid), tid, microseconds(begin), microseconds(end - begin)));
    }
    // A span overlaps what its thread does in any way, so it has a row of its own.
    void span(uint64_t id, const std::string& name, uint32_t tid, uint64_t begin, uint64_t end) {
        for (const auto& [phase, time] : {std::pair{'b', begin}, std::pair{'e', end}})
            add(fmt::format(R"({{"ph":"{}","cat":"span","id":{},"name":{},"pid":{},"tid":{},"ts":{}}})", phase, id,
                            quoted_json(name), process(tid), tid, microseconds(time)));
    }
    // An arrow from the thread that wakes to the one that is woken.
    void arrow(uint64_t id, uint32_t from, uint32_t to, uint64_t time, uint64_t runs) {
        add(fmt::format(R"({{"ph":"s","cat":"wakeup","name":"wakes","id":{},"pid":{},"tid":{},"ts":{}}})", id,
                        process(from), from, microseconds(time)));
        add(fmt::format(R"({{"ph":"f","cat":"wakeup","name":"wakes","id":{},"pid":{},"tid":{},"ts":{}}})", id,
                        process(to), to, microseconds(runs)));
    }
    void instant(const std::string& name, uint32_t tid, uint64_t time) {
        add(fmt::format(R"({{"ph":"i","s":"t","cat":"span","name":{},"pid":{},"tid":{},"ts":{}}})", quoted_json(name),
                        process(tid), tid, microseconds(time)));
    }
    // Threads of a process that is not known are in a process of their own.
    uint32_t process(uint32_t tid) const {
        const RecordedThread* known = recording_.thread(tid);
        return known && known->process != 0 ? known->process : tid;
    }
    std::string text() && { return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + std::move(out_) + "\n]}\n"; }

  private:
    void add(const std::string& event) {
        if (!out_.empty()) out_ += ",\n";
        out_ += event;
    }
    const Recording& recording_;
    std::string out_;
};

void add_names(Events& events, const Recording& recording, const std::vector<uint32_t>& threads) {
    for (const uint32_t tid : threads) {
        const RecordedThread* known = recording.thread(tid);
        std::string name = known && !known->comm.empty() ? known->comm : recording.thread_text(tid);
        if (const auto before = recording.earlier.find(tid); before != recording.earlier.end())  // one track for all
            for (const auto& thread : std::ranges::reverse_view(before->second))
                name = fmt::format("{}, then {}", thread.comm, name);
        if (events.process(tid) == tid) events.metadata("process_name", tid, tid, name);
        events.metadata("thread_name", events.process(tid), tid, name);
    }
}

void add_thread(Events& events, const Recording& recording, const Explainer& explainer, uint32_t tid, uint64_t& id) {
    const std::span<const Segment> segments = explainer.timeline().of(tid);
    for (size_t i = 0; i < segments.size(); i++) {
        const Segment& segment = segments[i];
        if (segment.end == segment.begin || segment.state == SegmentState::unknown) continue;
        events.slice("thread", segment_text(recording, explainer, segment), tid, segment.begin, segment.end);
        if (!segment.waker.is_thread()) continue;
        for (size_t next = i + 1; next < segments.size(); next++) {
            if (segments[next].state != SegmentState::running) continue;
            events.arrow(++id, segment.waker.tid, tid, segment.end, segments[next].begin);
            break;
        }
    }
}

}  // namespace

std::string trace_events(const Recording& recording, const Explainer& explainer) {
    Events events(recording);
    const std::vector<uint32_t> threads = explainer.timeline().threads();
    add_names(events, recording, threads);
    uint64_t id = 0;
    for (const Record& record : recording.records) {
        const auto span = static_cast<uint32_t>(record.a);
        const uint64_t begin = record.b < record.time ? record.time - record.b : 0;
        if (record.kind == RecordKind::close && span < recording.spans.size())
            events.span(++id, recording.spans[span], opener_in(record), begin, record.time);
        if (record.kind == RecordKind::trigger) events.instant("snapshot()", record.tid, record.time);
    }
    for (const uint32_t tid : threads) add_thread(events, recording, explainer, tid, id);
    return std::move(events).text();
}

}  // namespace lt
