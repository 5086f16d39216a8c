// Explanations as text.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/visible.h"
#include "recording/explain.h"
#include "runtime/border/duration.h"

namespace lt {

std::string duration(uint64_t time) { return show_duration(static_cast<int64_t>(time)); }

namespace {

constexpr std::array<std::string_view, 10> vectors{"HI",   "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                                   "poll", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
constexpr uint64_t smallest_share = 100;  // parts below 1 % of the call are summed up

std::string share_text(uint64_t part, uint64_t whole) {
    const uint64_t percent = whole > 0 ? (part * 100 + whole / 2) / whole : 0;
    return percent == 0 ? "<1" : fmt::format("{}", percent);
}

const CauseRow& row_of(const CausePart& part) { return cause_rows()[static_cast<size_t>(part.cause)]; }

std::string kind_of_lock(uint32_t flags) {
    if ((flags & lock_mutex) != 0) return " (mutex)";
    if ((flags & lock_write) != 0) return " (to write)";
    if ((flags & lock_read) != 0) return " (to read)";
    return {};
}

std::string waker_text(const Waker& waker) {
    switch (waker.context) {
        case WakeContext::timer:
            return ", ended by its timer";
        case WakeContext::interrupt:
            return ", ended by an interrupt";
        case WakeContext::softirq:
            return fmt::format(", ended by softirq {}",
                               waker.vector < vectors.size() ? vectors[waker.vector] : std::string_view("?"));
        case WakeContext::thread:
            return {};
    }
    return {};
}

// "kernel lock (to write), held by backup (2219)"
std::string part_text(const Recording& recording, const CausePart& part) {
    const CauseRow& row = row_of(part);
    const Window first = part.windows.empty() ? Window{} : part.windows.front();
    std::string out(row.title);
    if (part.cause == Cause::preempted && part.by != 0)
        return out + " by " + recording.thread_text(part.by, first.begin);
    if (row.group != CauseGroup::blocked) return out;
    if (part.cause == Cause::lock) out += kind_of_lock(part.lock_flags);
    if (!part.detail.empty()) out += " " + part.detail;
    if (part.count > 1) out += fmt::format(", {} times", part.count);
    if (part.holder != 0) out += ", held by " + recording.thread_text(part.holder, first.begin);
    const bool is_kernel_lock = part.cause == Cause::lock || part.cause == Cause::mmap_lock;
    if (part.by != 0 && part.by != part.holder)
        out +=
            fmt::format(", {} by {}", is_kernel_lock ? "released" : "woken", recording.thread_text(part.by, first.end));
    if (part.by == 0 && part.waker.known) out += waker_text(part.waker);
    if (part.by == 0 && !part.waker.known) out += ", not over at that time";
    return out;
}

void append_totals(std::string& out, const Explanation& explanation) {
    std::array<uint64_t, cause_count + 1> times{};
    for (const CausePart& part : explanation.parts) times[static_cast<size_t>(part.cause)] += part.time;
    std::vector<const CauseRow*> rows;
    for (const CauseRow& row : cause_rows())
        if (times[static_cast<size_t>(row.id)] != 0) rows.push_back(&row);
    std::ranges::stable_sort(rows, [&](const CauseRow* a, const CauseRow* b) {
        if ((a->id == Cause::unexplained) != (b->id == Cause::unexplained)) return b->id == Cause::unexplained;
        return times[static_cast<size_t>(a->id)] > times[static_cast<size_t>(b->id)];
    });
    for (const CauseRow* row : rows) {
        const uint64_t time = times[static_cast<size_t>(row->id)];
        out +=
            fmt::format("{:>12} {:>4} %  {}\n", duration(time), share_text(time, explanation.call.latency), row->title);
    }
}

void append_longest(std::string& out, const Recording& recording, const Explanation& explanation) {
    const CausePart* longest = nullptr;
    for (const CausePart& part : explanation.parts)
        if (part.longest > (longest ? longest->longest : 0)) longest = &part;
    if (!longest || longest->longest * 100 < explanation.call.latency) return;
    CausePart one = *longest;
    one.count = 1;
    one.windows = {*std::ranges::max_element(one.windows, {}, [](const Window& w) { return w.end - w.begin; })};
    one.detail = one.longest_detail;
    out += fmt::format("longest wait: {}, {}\n", duration(one.longest), part_text(recording, one));
    for (const std::string_view function : recording.functions(one.stack)) {
        out += "    ";
        append_visible(out, function.empty() ? std::string("?") : std::string(function));
        out += '\n';
    }
}

// Only long waits have a stack, which says what they were for.
void append_unnamed(std::string& out, const Explanation& explanation) {
    uint64_t time = 0;
    for (const CausePart& part : explanation.parts) time += part.unnamed;
    if (time == 0 || time * smallest_share < explanation.call.latency) return;
    out += fmt::format("of the other waits, {} have no stack: shorter than 200us, not over, or lost\n", duration(time));
}

// Does a part name another thread or a device, so that the parts say more than the totals?
bool is_chain(const Explanation& explanation) {
    return std::ranges::any_of(explanation.parts, [&](const CausePart& part) {
        const bool says_more = (part.cause == Cause::preempted && part.by != 0) || !part.detail.empty();
        return !part.inner.empty() || (says_more && part.time * smallest_share >= explanation.call.latency);
    });
}

// A line for each part, and below it what the thread that ended it did meanwhile. `end` is that of the time which the
// parts make up.
void append_parts(std::string& out, const Recording& recording, const std::vector<CausePart>& parts, uint64_t whole,
                  uint64_t end, size_t depth) {
    uint64_t small = 0, count = 0;
    for (const CausePart& part : parts) {
        if (part.time * smallest_share < whole) {
            small += part.time;
            count++;
            continue;
        }
        out += fmt::format("{:>12} {:>4} %  {:{}}{}: {}\n", duration(part.time), share_text(part.time, whole), "",
                           2 * depth, recording.thread_text(part.tid, end), part_text(recording, part));
        if (!part.inner.empty()) append_parts(out, recording, part.inner, whole, part.windows.front().end, depth + 1);
    }
    if (count > 0 && small * smallest_share >= whole)
        out += fmt::format("{:>12} {:>4} %  {:{}}{}\n", duration(small), share_text(small, whole), "", 2 * depth,
                           plural(count, "smaller part"));
}

}  // namespace

std::string explanation_text(const Recording& recording, const Explanation& explanation) {
    const Trigger& call = explanation.call;
    std::string out;
    append_visible(out, recording.span_text(call));
    out += fmt::format(", {}: ", recording.threads_text(call));
    if (call.latency == 0) return out + "a moment, not a call\n";
    out += duration(call.latency) + "\n";
    if (call.opener)
        return out + "it began in another thread than it ended in, so no single thread's time explains it\n";
    append_totals(out, explanation);
    append_unnamed(out, explanation);
    append_longest(out, recording, explanation);
    if (!is_chain(explanation)) return out;
    out += "chain of waiting:\n";
    append_parts(out, recording, explanation.parts, call.latency, call.time, 0);
    return out;
}

}  // namespace lt
