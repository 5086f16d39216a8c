#include "driver/report/uncovered.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/visible.h"
#include "runtime/border/duration.h"
#include "runtime/os/mounts.h"
#include "runtime/os/timestamps.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

using ThreadTimes = std::map<uint32_t, int64_t>;  // nanoseconds, by thread

struct UncoveredThread {
    uint32_t tid = 0;
    std::string comm;
    char state = ' ';             // as in proc(5)
    int64_t age = 0;              // nanoseconds, up to a clock tick too much
    int64_t uncovered = 0;        // of the run
    std::optional<int64_t> open;  // of that, since the thread last left a CPU; none: no span is open
    bool is_seen = false;         // some of its time is explained
};

// A file of a thread in /proc; empty if it cannot be read.
std::string task_text(int process, uint32_t tid, std::string_view file) {
    const Result<std::string> text = read_text(fmt::format("/proc/{}/task/{}/{}", process, tid, file));
    return text ? *text : std::string();
}

std::optional<UncoveredThread> living_thread(int process, uint32_t tid) {
    constexpr size_t state = 0, start = 19;  // proc(5), counted from the field after the name
    const std::string stat = task_text(process, tid, "stat");
    const size_t name = stat.find('('), name_end = stat.rfind(") ");
    if (name == stat.npos || name_end == stat.npos || name_end < name) return std::nullopt;
    const std::vector<std::string_view> fields = split(std::string_view(stat).substr(name_end + 2), ' ');
    if (fields.size() <= start || fields[state].empty()) return std::nullopt;
    UncoveredThread thread{tid, stat.substr(name + 1, name_end - name - 1), fields[state].front(), 0, 0, {}, false};
    if (thread.state == 'Z' || thread.state == 'X') return std::nullopt;
    const int64_t tick = 1'000'000'000 / std::max(::sysconf(_SC_CLK_TCK), 1L);
    const int64_t began = parse_number<int64_t>(fields[start]).value_or(0) * tick;
    thread.age = static_cast<int64_t>(clock_now(CLOCK_BOOTTIME)) - began;
    return thread;
}

std::vector<UncoveredThread> living_threads(int process) {
    std::vector<UncoveredThread> threads;
    std::error_code failed;
    std::filesystem::directory_iterator at(fmt::format("/proc/{}/task", process), failed);
    for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        const auto tid = parse_number<uint32_t>(at->path().filename().string());
        if (!tid) continue;
        if (auto thread = living_thread(process, *tid)) threads.push_back(*std::move(thread));
    }
    return threads;
}

// The time of each thread that the result explains. A thread may have had several names.
ThreadTimes explained_times(const MapContent& content) {
    ThreadTimes times;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const MapEntry entry = content.entries.plain(i);
        const auto* tid = entry.key.size() == 2 ? std::get_if<int64_t>(&entry.key[1].data) : nullptr;
        const auto* causes = std::get_if<Causes>(&entry.value.data);
        if (tid != nullptr && causes != nullptr) times[static_cast<uint32_t>(*tid)] += causes->total();
    }
    return times;
}

// How long each span was open at the end of the run.
ThreadTimes open_times(const OpenSpans& open, int64_t since_end) {
    ThreadTimes times;
    for (const OpenSpanLine& span : open.spans) times[span.tid] = std::max<int64_t>(span.age - since_end, 0);
    return times;
}

std::optional<int64_t> time_of(const ThreadTimes& times, uint32_t tid) {
    const auto at = times.find(tid);
    return at == times.end() ? std::nullopt : std::optional(at->second);
}

// Those of which a tenth of the run or more is not explained, the longest first.
std::vector<UncoveredThread> uncovered_threads(std::vector<UncoveredThread> threads, const ThreadTimes& explained,
                                               const ThreadTimes& open, int64_t run, int64_t since_end) {
    for (UncoveredThread& thread : threads) {
        const std::optional<int64_t> time = time_of(explained, thread.tid);
        thread.is_seen = time.has_value();
        thread.open = time_of(open, thread.tid);
        thread.uncovered = std::min(run, thread.age - since_end) - time.value_or(0);
        if (thread.open) thread.open = std::min(*thread.open, std::max<int64_t>(thread.uncovered, 0));
    }
    std::erase_if(threads,
                  [&](const UncoveredThread& thread) { return thread.uncovered < std::max(run / 10, int64_t{1}); });
    std::ranges::stable_sort(threads, std::greater{}, &UncoveredThread::uncovered);
    return threads;
}

// ---- what a thread does now

std::string_view state_name(char state) {
    if (state == 'R') return "running";
    if (state == 'D') return "blocked";
    return state == 'T' || state == 't' ? "stopped" : "sleeping";
}

// The system calls of a 32-bit program have other numbers.
bool is_narrow(int process) {
    constexpr char elf_class_32 = 1;
    std::array<char, 5> head{};
    std::ifstream(fmt::format("/proc/{}/exe", process), std::ios::binary).read(head.data(), head.size());
    return head[4] == elf_class_32;
}

// The system call that the thread is in; empty: none, or unknown.
std::string current_call(int process, uint32_t tid) {
    const std::string text = task_text(process, tid, "syscall");
    const auto number = parse_number<int64_t>(std::string_view(text).substr(0, text.find(' ')));
    if (!number || *number < 0) return {};
    const std::string_view name = is_narrow(process) ? std::string_view() : system_call_name(*number);
    return name.empty() ? fmt::format("system call {}", *number) : fmt::format("{}()", name);
}

// The innermost functions of the kernel that the thread is in. Only root can read its stack.
std::vector<std::string> current_functions(int process, uint32_t tid) {
    constexpr size_t most = 5;
    constexpr std::string_view before = "] ";  // "[<0>] flock_lock_inode_wait+0x1b0/0x1e0"
    std::vector<std::string> functions;
    const std::string stack = task_text(process, tid, "stack");
    for (const std::string_view line : split(stack, '\n')) {
        const size_t at = line.find(before);
        if (at == line.npos || functions.size() == most) continue;
        const std::string_view function = line.substr(at + before.size());
        functions.emplace_back(function.substr(0, function.find('+')));
    }
    if (!functions.empty()) return functions;
    const std::string place = task_text(process, tid, "wchan");
    if (!place.empty() && place != "0") functions.push_back(place);
    return functions;
}

// ---- the message

// Where the time is that is not explained.
std::string missing_parts(const UncoveredThread& thread) {
    const auto shown = [](int64_t time) { return show_duration(time); };
    if (!thread.is_seen && !thread.open) return "it was not seen to leave a CPU";
    const int64_t open = thread.open.value_or(0), before = thread.uncovered - open;
    std::vector<std::string> parts;
    if (before >= thread.uncovered / 10)
        parts.push_back(
            fmt::format("{} before {}", shown(before), thread.is_seen ? "the explained time" : "it first left a CPU"));
    if (open >= thread.uncovered / 10) parts.push_back(fmt::format("{} since it last left a CPU", shown(open)));
    return join(parts, " and ");
}

std::string doing(char state, const std::string& call, const std::vector<std::string>& functions) {
    if (state == 'R') return "it is running or waiting for a CPU";
    std::string out = fmt::format("it is {}", state_name(state));
    if (!call.empty()) out += fmt::format(" in {}", call);
    if (!functions.empty()) out += fmt::format(", in the kernel: {}", join(functions, " < "));
    return out;
}

void report_thread(const UncoveredThread& thread, const ProcessRun& run, Printer& printer, std::FILE* messages) {
    const bool runs = thread.state == 'R';
    const std::string call = runs ? std::string() : current_call(run.process, thread.tid);
    const std::vector<std::string> functions =
        runs ? std::vector<std::string>() : current_functions(run.process, thread.tid);
    const std::string text =
        fmt::format("thread {} ({}): {} of {} are not explained: {}; now {}", thread.tid, visible(thread.comm),
                    show_duration(thread.uncovered), show_duration(run.time.count()), missing_parts(thread),
                    doing(thread.state, call, functions));
    if (messages != nullptr) fmt::print(messages, "lt: {}\n", text);
    Fact fact{"uncovered", {}, ""};
    if (messages != nullptr) fact.notice = text;
    fact.members = {{"tid", int64_t{thread.tid}},
                    {"comm", thread.comm},
                    {"uncovered_ns", thread.uncovered},
                    {"open_ns", thread.open.value_or(0)},
                    {"run_ns", int64_t{run.time.count()}},
                    {"state", std::string(state_name(thread.state))},
                    {"call", call},
                    {"kernel", functions},
                    {"text", text}};
    printer.fact(fact);
}

}  // namespace

void report_uncovered(Session& session, const ProcessRun& run, Printer& printer, std::FILE* messages) {
    constexpr size_t most_lines = 10;
    const Result<MapContent> content = session.map(0);
    const Result<OpenSpans> open = session.open_spans(0);
    if (!content || !open) {
        fmt::print(messages, "lt: whether time of threads is missing is not known: {}\n",
                   (content ? open.error() : content.error()).what);
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const int64_t since_end = std::chrono::duration_cast<std::chrono::nanoseconds>(now - run.end).count();
    const std::vector<UncoveredThread> threads =
        uncovered_threads(living_threads(run.process), explained_times(*content), open_times(*open, since_end),
                          run.time.count(), since_end);
    if (threads.empty()) return;
    printer.at({});
    for (size_t i = 0; i < threads.size(); i++)
        report_thread(threads[i], run, printer, i < most_lines ? messages : nullptr);
    if (threads.size() > most_lines)
        fmt::print(messages, "lt: and {}, which -f json lists\n", plural(threads.size() - most_lines, "more thread"));
    fmt::print(messages, "lt: time is explained once the thread leaves a CPU again; trace longer to see more of it\n");
    printer.flush();
}

}  // namespace lt
