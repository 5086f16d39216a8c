#include "runtime/print/causes_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/visible.h"
#include "runtime/border/duration.h"
#include "runtime/print/show.h"

namespace lt {
namespace {

std::string time_text(int64_t nanoseconds, bool plain) {
    return plain ? fmt::format("{}", nanoseconds) : show_duration(nanoseconds);
}

// In percent; "<1" for a part that is not nothing. The times of many hosts, times a hundred, do not fit into 64 bits.
std::string share_text(int64_t part, int64_t whole) {
    const auto percent = static_cast<int64_t>(whole > 0 ? (__int128{part} * 100 + whole / 2) / whole : 0);
    return percent == 0 ? "<1" : fmt::format("{}", percent);
}

struct Thread {
    int64_t tid = 0;
    std::string comm;
    std::string text() const {
        std::string out;
        append_visible(out, comm);
        return tid == 0 ? out : fmt::format("{} ({})", out, tid);
    }
    // In a PID namespace it is not always known by its number.
    bool is_same(const Thread& other) const {
        return comm == other.comm && (tid == other.tid || tid == 0 || other.tid == 0);
    }
};

// The number and the name are parts of a record from `at` on.
Thread thread_at(const Group& wait, size_t at) {
    Thread out;
    if (const auto* tid = std::get_if<int64_t>(&wait.parts[at].data)) out.tid = *tid;
    if (const auto* comm = std::get_if<std::string>(&wait.parts[at + 1].data)) out.comm = *comm;
    return out;
}

// The kernel itself wakes as "interrupt" or "softirq".
bool is_interrupt(const Thread& by) { return by.tid == 0 && (by.comm == "interrupt" || by.comm == "softirq"); }

std::string ending_text(Cause cause, const Thread& by, const Thread& holder) {
    if (by.comm.empty()) return {};
    if (is_interrupt(by)) return fmt::format(", woken by {} {}", by.comm.starts_with('i') ? "an" : "a", by.comm);
    if (cause == Cause::preempted) return fmt::format(" by {}", by.text());
    const bool is_lock = cause == Cause::lock || cause == Cause::mmap_lock;
    if (holder.is_same(by)) return {};  // "held by"
    return fmt::format(", {} by {}", is_lock ? "released" : "woken", by.text());
}

}  // namespace

Causes causes_of(const Group& why) {
    Causes out{1, {}};
    for (size_t i = 0; i < out.times.size() && i + 1 < why.parts.size(); i++)
        if (const auto* time = std::get_if<int64_t>(&why.parts[i + 1].data)) out.times[i] = *time;
    return out;
}

void append_longest_wait(std::string& out, const Group& why, bool plain) {
    const auto* wait = why.parts.empty() ? nullptr : std::get_if<Group>(&why.parts.back().data);
    if (!wait || wait->parts.size() != 7) return;
    const auto* time = std::get_if<int64_t>(&wait->parts[0].data);
    const int64_t number = number_of(wait->parts[1]);
    if (!time || *time * 100 < causes_of(why).total() || *time == 0 || number < 0 ||
        number > static_cast<int64_t>(cause_count))
        return;
    const CauseRow& row = cause_rows()[static_cast<size_t>(number)];
    const Thread by = thread_at(*wait, 3), holder = thread_at(*wait, 5);
    const std::string held = holder.comm.empty() ? "" : ", held by " + holder.text();
    out += fmt::format("longest wait: {}, {}{}{}\n", time_text(*time, plain), row.title, held,
                       ending_text(row.id, by, holder));
    const auto* stack = std::get_if<Stack>(&wait->parts[2].data);
    if (!stack || stack->id == stack_none) return;
    for (const std::string& frame : stack_rows(*stack, StackForm::names)) {
        out += "    ";
        append_visible(out, frame);
        out += '\n';
    }
}

std::string causes_heading(const Causes& causes, bool plain) {
    const std::string whole = time_text(causes.total(), plain);
    return causes.count == 1 ? whole : fmt::format("{} in {} spans", whole, causes.count);
}

std::vector<CauseLine> cause_lines(const Causes& causes, bool plain) {
    const int64_t whole = causes.total();
    std::vector<CauseLine> parts;
    for (const CauseRow& row : cause_rows()) {
        const int64_t time = causes.times[static_cast<size_t>(row.id)];
        if (time != 0) parts.push_back({&row, time, time_text(time, plain), share_text(time, whole)});
    }
    std::ranges::stable_sort(parts, [](const CauseLine& a, const CauseLine& b) {
        if ((a.cause->id == Cause::unexplained) != (b.cause->id == Cause::unexplained))
            return b.cause->id == Cause::unexplained;
        return a.time > b.time;
    });
    return parts;
}

void append_causes(std::string& out, const Causes& causes, bool plain) {
    out += causes_heading(causes, plain) + '\n';
    for (const CauseLine& part : cause_lines(causes, plain))
        out += fmt::format("{:>12} {:>4} %  {}\n", part.text, part.share, part.cause->title);
}

}  // namespace lt
