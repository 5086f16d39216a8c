#include "recording/view/lanes.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

enum Kind : uint8_t { running, runnable, lock, user_lock, disk, memory, network, pipe, timer, other, unknown };

constexpr std::array all_looks{
    Look{'#', "running", "#2e9e4f", "#3fb963", 32},     Look{'r', "waits for a CPU", "#d9a400", "#e3b93c", 33},
    Look{'L', "kernel lock", "#c2271d", "#f0655b", 31}, Look{'U', "user lock", "#d4603a", "#f59068", 31},
    Look{'D', "disk", "#7b3fb5", "#a97be0", 35},        Look{'M', "memory", "#a03a86", "#d678bd", 35},
    Look{'N', "socket", "#1f6fb8", "#5ba4e6", 34},      Look{'P', "pipe", "#168a93", "#4cc2cb", 36},
    Look{'t', "timer", "#8a8f98", "#7f8692", 37},       Look{'w', "other wait", "#6b7280", "#9aa1ad", 37},
    Look{' ', "unknown", "#d5d7db", "#3a3f47", 37},
};

Kind kind_of(Cause cause) {
    switch (cause) {
        case Cause::lock:
        case Cause::mmap_lock:
        case Cause::file_lock:
            return lock;
        case Cause::futex:
            return user_lock;
        case Cause::disk:
        case Cause::dirty:
        case Cause::server:
            return disk;
        case Cause::memory:
        case Cause::fault:
            return memory;
        case Cause::network:
            return network;
        case Cause::pipe:
            return pipe;
        case Cause::timer:
            return timer;
        default:
            return other;
    }
}

Kind kind_of(const Explainer& explainer, const Segment& segment) {
    switch (segment.state) {
        case SegmentState::running:
            return running;
        case SegmentState::preempted:
        case SegmentState::woken:
        case SegmentState::throttled:
            return runnable;
        case SegmentState::blocked:
            return kind_of(explainer.cause_of(segment));
        case SegmentState::unknown:
            return unknown;
    }
    return unknown;
}

}  // namespace

Picture picture_of(const Recording& recording, const Explanation& explanation) {
    const Trigger& call = explanation.call;
    constexpr uint64_t moment = 10'000'000;
    const uint64_t length = std::max(call.latency, call.latency == 0 ? moment : 1);
    const uint64_t margin = length / 20, from = call.time > length ? call.time - length : 0;
    Picture out;
    out.begin = std::max(from > margin ? from - margin : 0, recording.begin);
    out.end = std::max(std::min(call.time + margin, recording.end), out.begin + 1);
    out.threads = threads_of(explanation);
    return out;
}

std::span<const Look> looks() { return all_looks; }

const Look& look_of(const Explainer& explainer, const Segment& segment) {
    return all_looks[kind_of(explainer, segment)];
}

std::string segment_text(const Recording& recording, const Explainer& explainer, const Segment& segment) {
    switch (segment.state) {
        case SegmentState::running:
            return "running on CPU " + std::to_string(segment.cpu);
        case SegmentState::preempted:
            return segment.by == 0 ? "preempted" : "preempted by " + recording.thread_text(segment.by, segment.begin);
        case SegmentState::woken:
            return "woken, waits for a CPU";
        case SegmentState::throttled:
            return "waits for CPU quota";
        case SegmentState::unknown:
            return "unknown";
        case SegmentState::blocked:
            break;
    }
    std::string out(cause_rows()[static_cast<size_t>(explainer.cause_of(segment))].title);
    if (segment.holder != 0) out += ", held by " + recording.thread_text(segment.holder, segment.begin);
    if (segment.waker.is_thread()) out += ", ended by " + recording.thread_text(segment.waker.tid, segment.end);
    return out;
}

}  // namespace lt
