#include "runtime/session/open_spans.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "base/text.h"
#include "runtime/bpf/map.h"
#include "runtime/bpf/program.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"
#include "runtime/os/pid_namespace.h"
#include "runtime/os/timestamps.h"
#include "runtime/recorder/snapshots.h"

namespace lt {
namespace {

template <class T>
T read_at(std::span<const uint8_t> bytes, size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

Result<Bytes> read_all(int fd) {
    Bytes all;
    uint8_t part[65536];
    for (;;) {
        const ssize_t n = ::read(fd, part, sizeof part);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) return system_error("cannot read the iterator over tasks", errno);
        if (n == 0) return all;
        all.insert(all.end(), part, part + n);
    }
}

Result<Bytes> walk(int program) {
    const Descriptor link = bpf::link_iterator(program);
    if (!link) return system_error("cannot create an iterator over tasks", errno);
    const Descriptor file = bpf::run_iterator(link.get());
    if (!file) return system_error("cannot run an iterator over tasks", errno);
    return read_all(file.get());
}

std::vector<OpenRecord> decode_walk(const Plan& plan, std::span<const uint8_t> bytes) {
    std::vector<OpenRecord> all;
    while (bytes.size() >= sizeof(OpenSpan)) {
        const auto record = read_at<OpenSpan>(bytes, 0);
        bytes = bytes.subspan(sizeof record);
        const size_t size = record.span < plan.spans.size() ? plan.spans[record.span].opening_size : 0;
        if (size == 0 || bytes.size() < size) break;  // truncated by the kernel
        OpenRecord open{record.span, record.level, record.who,
                        record.time, {},           Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)),
                        {}};
        bytes = bytes.subspan(size);
        if (record.stack_bytes != 0 && bytes.size() >= walk_stack) {
            const size_t count = std::min<size_t>(record.stack_bytes, walk_stack) / sizeof(uint64_t);
            for (size_t i = 0; i < count; i++)
                open.kernel_stack.push_back(read_at<uint64_t>(bytes, i * sizeof(uint64_t)));
            bytes = bytes.subspan(walk_stack);
        }
        // The call may have returned since the program read the time, and another one has its place.
        open.time = read_at<uint64_t>(open.opening, sizeof(uint64_t));
        if (open.time != record.time) open.kernel_stack.clear();
        all.push_back(std::move(open));
    }
    return all;
}

// The openings in one entry of a hash.
void decode_entry(const PlannedSpan& span, uint32_t index, std::span<const uint8_t> key, std::span<const uint8_t> value,
                  std::vector<OpenRecord>& out) {
    const bool keyed = span.state != SpanState::thread;
    const size_t header = keyed ? 0 : span_thread_header;
    const uint64_t depth = keyed ? 1 : std::min<uint64_t>(read_at<uint64_t>(value, 0), span.depth);
    for (uint32_t i = 0; i < depth; i++) {
        const size_t at = header + size_t{i} * span.opening_size;
        const auto time = read_at<uint64_t>(value, at + sizeof(uint64_t));
        if (keyed && time == 0) continue;  // just closed, or only an owner of calls
        const auto who = read_at<uint64_t>(value, keyed ? at : span_thread_who);
        const std::span<const uint8_t> opening = value.subspan(at, span.opening_size);
        out.push_back({index,
                       i,
                       who,
                       time,
                       keyed ? Bytes(key.begin(), key.end()) : Bytes{},
                       Bytes(opening.begin(), opening.end()),
                       {}});
    }
}

Status each_entry(int map, const bpf::EachEntry& work) {
    uint32_t key_size = 0, value_size = 0;
    if (const int code = bpf::sizes(map, key_size, value_size); code < 0)
        return system_error("cannot query a span's map", -code);
    const int code = bpf::each(bpf::Batch::lookup, map, key_size, value_size, work);
    return code < 0 ? Status(system_error("cannot read a span's map", -code)) : Done{};
}

Status read_hash(const PlannedSpan& span, uint32_t index, int map, std::vector<OpenRecord>& out) {
    return each_entry(map, [&](std::span<const uint8_t> key, std::span<const uint8_t> value) {
        decode_entry(span, index, key, value, out);
    });
}

constexpr uint64_t none_exists = UINT64_MAX;

// When the process with this number began, by CLOCK_MONOTONIC, up to a clock tick too early; none_exists: there is
// none, or only what its parent has not waited for; 0: unknown.
uint64_t begin_of_process(pid_t pid) {
    constexpr size_t state = 0, threads = 17, start = 19;  // proc(5), counted from the field after the name
    if (::kill(pid, 0) != 0 && errno == ESRCH) return none_exists;
    const Result<std::string> stat = read_text(fmt::format("/proc/{}/stat", pid));
    const size_t name_end = stat ? stat->rfind(") ") : std::string::npos;
    if (name_end == std::string::npos) return 0;
    const std::vector<std::string_view> fields = split(std::string_view(*stat).substr(name_end + 2), ' ');
    if (fields.size() <= start) return 0;
    const bool is_zombie = fields[state] == "Z" || fields[state] == "X";
    if (is_zombie && parse_number<uint64_t>(fields[threads]).value_or(0) <= 1) return none_exists;
    const uint64_t begin = parse_number<uint64_t>(fields[start]).value_or(0) * 1'000'000'000 /
                           static_cast<uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L));
    const uint64_t now = monotonic_now(), suspended = clock_now(CLOCK_BOOTTIME) - now;
    return begin > suspended ? begin - suspended : 0;
}

// Knows which processes with openings have ended. Another process may have the number of one by now.
class Processes {
  public:
    bool has_ended(uint64_t process, uint64_t opened) {
        const auto pid = static_cast<pid_t>(process);
        if (pid == 0) return false;
        const auto [at, is_new] = begins_.try_emplace(pid, 0);
        if (is_new) at->second = begin_of_process(pid);
        return at->second > opened;
    }

  private:
    std::map<pid_t, uint64_t> begins_;
};

// A plan that takes snapshots keeps the kernel's ids in openings between two events and of calls, as the recorder does.
// In another PID namespace they mean nothing.
void forget_foreign_ids(const Plan& plan, std::vector<OpenRecord>& all) {
    if (!takes_snapshots(plan) || pid_namespace().second == 0) return;
    for (OpenRecord& open : all) {
        const SpanState state = plan.spans[open.span].state;
        if (state == SpanState::key || state == SpanState::frame) open.who = 0;
    }
}

}  // namespace

Result<std::vector<uint64_t>> ended_calls(const Plan& plan, const LoadedObject& object) {
    std::vector<uint64_t> counts(plan.spans.size());
    if (takes_snapshots(plan) && pid_namespace().second != 0) return counts;  // the ids are the kernel's
    Processes processes;
    for (uint32_t i = 0; i < plan.spans.size(); i++) {
        std::vector<OpenRecord> all;
        if (plan.spans[i].state != SpanState::frame) continue;
        if (Status read = read_hash(plan.spans[i], i, object.map(plan.spans[i].symbol), all); !read)
            return read.error();
        for (const OpenRecord& open : all) counts[i] += processes.has_ended(open.who >> 32, open.time) ? 1 : 0;
    }
    return counts;
}

// An entry without a time is the owner of calls. A new process with the same number uses it, too. The keys have the
// kernel's numbers, so nothing is known of them in another PID namespace.
Status delete_ended_calls(const Plan& plan, const LoadedObject& object, std::vector<uint64_t>& deleted) {
    deleted.resize(plan.spans.size());
    if (pid_namespace().second != 0) return Done{};
    Processes processes;
    for (uint32_t i = 0; i < plan.spans.size(); i++) {
        if (plan.spans[i].state != SpanState::frame) continue;
        std::vector<std::pair<Bytes, bool>> ended;  // the key, and whether it is a call
        const int map = object.map(plan.spans[i].symbol);
        const auto look = [&](std::span<const uint8_t> key, std::span<const uint8_t> value) {
            const auto process = read_at<uint64_t>(key, 0), time = read_at<uint64_t>(value, sizeof(uint64_t));
            if (processes.has_ended(process, time != 0 ? time : none_exists - 1))
                ended.emplace_back(Bytes(key.begin(), key.end()), time != 0);
        };
        if (Status read = each_entry(map, look); !read) return read;
        for (const auto& [key, is_call] : ended)
            if (bpf::erase(map, key.data()) == 0 && is_call) deleted[i]++;
    }
    return Done{};
}

std::string name_of_thread(uint64_t who) {
    const auto tid = static_cast<uint32_t>(who), pid = static_cast<uint32_t>(who >> 32);
    const Result<std::string> comm = read_text(fmt::format("/proc/{}/task/{}/comm", pid, tid));
    return comm ? std::string(trim(*comm)) : "";
}

Result<OpenSpans> describe_open(const Plan& plan, const LoadedObject& object, Stacks& stacks, uint32_t span) {
    const Result<std::vector<OpenRecord>> all = open_spans(plan, object);
    if (!all) return all.error();
    const PlannedSpan& planned = plan.spans[span];
    OpenSpans out{planned.name, {}};
    const uint64_t at = monotonic_now();
    for (const OpenRecord& open : *all) {
        if (open.span != span || open.time == 0 || object.is_abandoned(span)) continue;
        OpenSpanLine line;
        line.age = static_cast<int64_t>(at > open.time ? at - open.time : 0);
        line.pid = static_cast<uint32_t>(open.who >> 32);
        line.tid = static_cast<uint32_t>(open.who);
        line.comm = name_of_thread(open.who);
        if (planned.state == SpanState::key) {
            Result<std::vector<Value>> key = decode_key(planned.key, open.key);
            if (!key) return key.error();
            line.key = *std::move(key);
        }
        line.stack = stacks.kernel(open.kernel_stack);
        out.spans.push_back(std::move(line));
    }
    return out;
}

Result<std::vector<OpenRecord>> open_spans(const Plan& plan, const LoadedObject& object) {
    std::vector<OpenRecord> all;
    if (!plan.walk.empty()) {
        const Result<Bytes> walked = walk(object.program(plan.walk));
        if (!walked) return walked.error();
        all = decode_walk(plan, *walked);
    }
    for (uint32_t i = 0; i < plan.spans.size(); i++) {
        const PlannedSpan& span = plan.spans[i];
        if (span.state == SpanState::task) continue;
        if (Status read = read_hash(span, i, object.map(span.symbol), all); !read) return read.error();
    }
    forget_foreign_ids(plan, all);
    Processes processes;
    std::erase_if(all, [&](const OpenRecord& open) {
        return plan.spans[open.span].state == SpanState::frame && processes.has_ended(open.who >> 32, open.time);
    });
    std::ranges::stable_sort(all, [](const OpenRecord& a, const OpenRecord& b) { return a.time < b.time; });
    return all;
}

}  // namespace lt
