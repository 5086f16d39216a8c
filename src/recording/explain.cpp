#include "recording/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace lt {
namespace {

constexpr size_t innermost = 6;  // frames in which most functions count, as in stdlib/bpf/why.bpf.c

// The compiler makes copies of functions with other names: f.isra.0.
std::string_view without_suffix(std::string_view function) { return function.substr(0, function.find('.')); }

Cause cause_of_stack(const std::vector<std::string_view>& functions) {
    for (const WaitRow& row : wait_rows()) {
        const size_t deepest = row.anywhere ? functions.size() : std::min(innermost, functions.size());
        for (size_t i = 0; i < deepest; i++)
            if (without_suffix(functions[i]) == row.function) return row.cause;
    }
    return Cause::other;
}

bool same_kind(const CausePart& a, const CausePart& b) {
    return a.cause == b.cause && a.by == b.by && a.holder == b.holder && a.waker.known == b.waker.known &&
           a.waker.context == b.waker.context && a.waker.vector == b.waker.vector &&
           (a.cause != Cause::lock || a.lock_flags == b.lock_flags);
}

uint64_t overlap(const Interruption& interruption, Window window) {
    const uint64_t begin = std::max(interruption.begin, window.begin), end = std::min(interruption.end, window.end);
    return begin < end ? end - begin : 0;
}

void add_window(CausePart& part, Window window) {
    const uint64_t time = window.end - window.begin;
    part.time += time;
    part.count++;
    part.windows.push_back(window);
}

bool is_blocked(Cause cause) {
    return cause != Cause::unexplained && cause_rows()[static_cast<size_t>(cause)].group == CauseGroup::blocked;
}

}  // namespace

Explainer::Explainer(const Recording& recording) : recording_(recording), timeline_(recording) {
    std::map<std::pair<uint32_t, uint64_t>, Request> open;
    for (const Record& record : recording.records) {
        const auto device = static_cast<uint32_t>(record.b >> block_device_at);
        const auto does = static_cast<uint8_t>(record.b >> block_does_at & 0xff);
        if (record.kind == RecordKind::block_issue)
            open[{device, record.a}] = {record.time, recording.end, device, record.tid, does};
        if (record.kind != RecordKind::block_done) continue;
        const auto found = open.find({device, record.a});
        if (found == open.end()) continue;
        found->second.end = record.time;
        requests_.push_back(found->second);
        open.erase(found);
    }
    for (const auto& [key, request] : open) requests_.push_back(request);
}

Cause Explainer::cause_of(const Segment& segment) const {
    if (segment.lock != 0) return (segment.lock_flags & lock_mmap) != 0 ? Cause::mmap_lock : Cause::lock;
    const Cause cause = cause_of_stack(recording_.functions(segment.stack));
    return cause == Cause::other && segment.futex ? Cause::futex : cause;
}

CausePart& Explainer::part(std::vector<CausePart>& parts, const CausePart& like) const {
    const auto found = std::ranges::find_if(parts, [&](const CausePart& other) { return same_kind(other, like); });
    return found == parts.end() ? parts.emplace_back(like) : *found;
}

// Interruptions of a hard interrupt inside a softirq count once.
void Explainer::add_running(std::vector<CausePart>& parts, uint32_t tid, const Segment& segment, Window window) const {
    const std::span<const Interruption> all = timeline_.interruptions(segment.cpu, window.begin, window.end);
    uint64_t hard = 0, soft = 0, nested = 0;
    const Interruption* around = nullptr;  // a softirq is not inside another one: only the next to end can be around
    for (size_t i = all.size(); i-- > 0;) {
        const uint64_t time = overlap(all[i], window);
        (all[i].softirq ? soft : hard) += time;
        if (all[i].softirq)
            around = &all[i];
        else if (around && around->begin <= all[i].begin)
            nested += time;
    }
    const uint64_t whole = window.end - window.begin;
    hard = std::min(hard, whole);
    soft = std::min(soft - std::min(soft, nested), whole - hard);
    const auto add = [&](Cause cause, uint64_t time) {
        if (time == 0) return;
        CausePart like;
        like.cause = cause;
        like.tid = tid;
        part(parts, like).time += time;
    };
    add(Cause::irq, hard);
    add(Cause::softirq, soft);
    add(Cause::running, whole - hard - soft);
}

void Explainer::add_segment(std::vector<CausePart>& parts, uint32_t tid, const Segment& segment, Window window) const {
    CausePart like;
    like.tid = tid;
    switch (segment.state) {
        case SegmentState::running:
            return add_running(parts, tid, segment, window);
        case SegmentState::preempted:
            like.cause = Cause::preempted;
            like.by = segment.by;
            break;
        case SegmentState::woken:
            like.cause = Cause::woken;
            break;
        case SegmentState::throttled:
            like.cause = Cause::throttled;
            break;
        case SegmentState::unknown:
            break;
        case SegmentState::blocked:
            like.cause = cause_of(segment);
            like.holder = segment.holder;
            like.lock_flags = segment.lock_flags;
            like.waker = segment.waker;
            like.waker.tid = 0;
            // only the thread that ended the wait, not the one that was current
            if (segment.waker.is_thread()) {
                like.by = segment.waker.tid;
                like.waker = {};
            } else if (!segment.waker.known && segment.holder != 0) {
                like.by = segment.holder;
            }
            break;
    }
    CausePart& to = part(parts, like);
    add_window(to, window);
    if (like.cause == Cause::other && segment.stack == 0) to.unnamed += window.end - window.begin;
    if (window.end - window.begin > to.longest) {
        to.longest = window.end - window.begin;
        to.stack = segment.stack;
    }
}

std::vector<CausePart> Explainer::parts(uint32_t tid, const std::vector<Window>& windows, uint32_t hops) const {
    std::vector<CausePart> out;
    const std::span<const Segment> segments = timeline_.of(tid);
    uint64_t unexplained = 0;
    for (const Window& window : windows) {
        unexplained += window.end - window.begin;
        for (auto at = std::ranges::upper_bound(segments, window.begin, {}, &Segment::end);
             at != segments.end() && at->begin < window.end; ++at) {
            const Window both{std::max(at->begin, window.begin), std::min(at->end, window.end)};
            if (both.begin >= both.end) continue;
            unexplained -= both.end - both.begin;
            add_segment(out, tid, *at, both);
        }
    }
    if (unexplained > 0) {
        CausePart rest;
        rest.tid = tid;
        part(out, rest).time += unexplained;
    }
    for (CausePart& each : out) {
        if (each.cause == Cause::disk) {
            const auto length = [](const Window& w) { return w.end - w.begin; };
            const auto longest = std::ranges::max_element(each.windows, {}, length);
            each.detail = requests_text(tid, each.windows);
            each.longest_detail = requests_text(tid, {longest, 1});
        }
        if (is_blocked(each.cause) && each.by != 0 && each.by != tid && hops < most_hops)
            each.inner = parts(each.by, each.windows, hops + 1);
    }
    std::ranges::stable_sort(out, [](const CausePart& a, const CausePart& b) {
        if ((a.cause == Cause::unexplained) != (b.cause == Cause::unexplained)) return b.cause == Cause::unexplained;
        return a.time > b.time;
    });
    return out;
}

// The thread's own requests during its waits, which are in order; if it had none, all that were under way.
std::string Explainer::requests_text(uint32_t tid, std::span<const Window> windows) const {
    constexpr std::array<std::string_view, 3> names{"read", "write", "flush"};
    std::map<std::pair<uint32_t, uint8_t>, uint64_t> own, all;
    for (const Request& request : requests_) {
        const auto window = std::ranges::upper_bound(windows, request.begin, {}, &Window::end);
        if (window == windows.end() || window->begin >= request.end) continue;
        all[{request.device, request.does}]++;
        if (request.tid == tid) own[{request.device, request.does}]++;
    }
    std::string out;
    for (const auto& [key, count] : own.empty() ? all : own)
        out += fmt::format("{}{}, {}, {}", out.empty() ? "" : "; ", recording_.device_text(key.first),
                           names[std::min<size_t>(key.second, names.size() - 1)], plural(count, "request"));
    return out;
}

Explanation Explainer::explain(const Trigger& call) const {
    if (call.latency == 0 || call.opener) return {call, {}};
    return {call, parts(call.tid, {{call.begin(), call.time}}, 1)};
}

namespace {

void add_threads(std::vector<uint32_t>& out, const std::vector<CausePart>& parts) {
    for (const CausePart& part : parts) {
        for (const uint32_t tid : {part.tid, part.by})
            if (tid != 0 && std::ranges::find(out, tid) == out.end()) out.push_back(tid);
        add_threads(out, part.inner);
    }
}

}  // namespace

std::vector<uint32_t> threads_of(const Explanation& explanation) {
    std::vector<uint32_t> out;
    if (explanation.call.opener) out.push_back(*explanation.call.opener);
    out.push_back(explanation.call.tid);
    add_threads(out, explanation.parts);
    return out;
}

}  // namespace lt
