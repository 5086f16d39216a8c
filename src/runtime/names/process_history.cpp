// The records come with a perf event that never fires, one on each CPU; they are sorted by time. Only those from before
// the first ring was read are complete: a process can fork on a CPU whose ring was read, and its child call exec on one
// whose ring was not.
#include "runtime/names/process_history.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/os/cpus.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

constexpr size_t page = 4096;
constexpr size_t ring_size = 64 * page;
constexpr size_t longest_record = 2 * page;

struct TaskBody {  // of fork and exit
    uint32_t pid, parent, tid, parent_tid;
};
struct CommBody {
    uint32_t pid, tid;
};
struct LostBody {
    uint64_t event, count;
};
struct MmapBody {
    uint32_t pid, tid;
    uint64_t begin, length, offset;
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t protection, flags;
};

template <class T>
T read_as(const uint8_t* bytes) {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

Result<Descriptor> open_records(int cpu) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_type = PERF_SAMPLE_TIME;
    attr.sample_id_all = 1;
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    attr.watermark = 1;
    attr.wakeup_watermark = ring_size / 4;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    const long fd = ::syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return system_error("cannot record what processes map", errno);
    return Descriptor(static_cast<int>(fd));
}

bool is_loss(const ProcessRecord& record) {
    return read_as<perf_event_header>(record.bytes.data()).type == PERF_RECORD_LOST;
}

// Copies from a ring buffer, where a record may wrap around the end.
std::vector<uint8_t> copied(const uint8_t* data, uint64_t from, size_t size) {
    std::vector<uint8_t> out(size);
    for (size_t done = 0; done < size;) {
        const size_t at = (from + done) % ring_size;
        const size_t part = std::min(size - done, ring_size - at);
        std::memcpy(out.data() + done, data + at, part);
        done += part;
    }
    return out;
}

}  // namespace

void map_over(std::vector<Mapping>& all, Mapping mapping) {
    std::erase_if(all, [&](const Mapping& old) { return old.begin < mapping.end && mapping.begin < old.end; });
    all.push_back(std::move(mapping));
}

Result<std::unique_ptr<ProcessHistory>> ProcessHistory::open() {
    const auto cpus = online_cpus();
    if (!cpus) return cpus.error();
    auto history = std::make_unique<ProcessHistory>();
    for (int cpu : *cpus) {
        auto event = open_records(cpu);
        if (!event) return event.error();
        void* pages = ::mmap(nullptr, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, event->get(), 0);
        if (pages == MAP_FAILED) return system_error("cannot map the records of processes", errno);
        history->rings_.push_back({*std::move(event), pages});
    }
    return history;
}

ProcessHistory::~ProcessHistory() {
    for (const Ring& ring : rings_) ::munmap(ring.pages, page + ring_size);
}

std::vector<int> ProcessHistory::descriptors() const {
    std::vector<int> all;
    for (const Ring& ring : rings_) all.push_back(ring.event.get());
    return all;
}

void ProcessHistory::catch_up() {
    const uint64_t until = monotonic_now();
    std::vector<ProcessRecord> records;
    bool any_full = false;
    for (const Ring& ring : rings_) any_full = take(ring, records) || any_full;
    add(std::move(records), until);
    if (any_full) forget_running(until);
}

void ProcessHistory::add(std::vector<ProcessRecord> records, uint64_t until) {
    records.insert(records.begin(), std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
    waiting_.clear();
    std::ranges::stable_sort(records, {}, &ProcessRecord::time);
    for (ProcessRecord& record : records) record.time <= until ? apply(record) : waiting_.push_back(std::move(record));
}

// Was it so full that records may be lost? The kernel writes how many only together with the next record.
bool ProcessHistory::take(const Ring& ring, std::vector<ProcessRecord>& out) {
    const size_t first = out.size();
    auto* control = static_cast<perf_event_mmap_page*>(ring.pages);
    const auto* data = static_cast<const uint8_t*>(ring.pages) + page;
    std::atomic_ref<__u64> head(control->data_head), tail(control->data_tail);
    const uint64_t end = head.load(std::memory_order_acquire);
    uint64_t at = tail.load(std::memory_order_relaxed);
    const bool is_full = end - at > ring_size - longest_record;
    while (at < end) {
        const auto header = read_as<perf_event_header>(copied(data, at, sizeof(perf_event_header)).data());
        if (header.size < sizeof header) break;
        auto bytes = copied(data, at, header.size);
        at += header.size;
        if (bytes.size() < sizeof header + sizeof(uint64_t)) continue;
        const auto time = read_as<uint64_t>(bytes.data() + bytes.size() - sizeof(uint64_t));
        // a loss stands before the next record, but its time was taken after that record's
        if (out.size() > first && is_loss(out.back())) out.back().time = std::min(out.back().time, time);
        out.push_back({time, std::move(bytes)});
    }
    tail.store(end, std::memory_order_release);
    return is_full;
}

void ProcessHistory::apply(const ProcessRecord& record) {
    const auto header = read_as<perf_event_header>(record.bytes.data());
    const uint8_t* body = record.bytes.data() + sizeof header;
    const size_t size = record.bytes.size() - sizeof header - sizeof(uint64_t);
    if (header.type == PERF_RECORD_FORK && size >= sizeof(TaskBody)) return forked(body, record.time);
    if (header.type == PERF_RECORD_MMAP2 && size > sizeof(MmapBody)) return mapped(body, size, record.time);
    if (header.type == PERF_RECORD_LOST && size >= sizeof(LostBody)) {
        lost_ += read_as<LostBody>(body).count;
        return forget_running(record.time);
    }
    if (header.type == PERF_RECORD_EXIT && size >= sizeof(TaskBody)) {
        const auto task = read_as<TaskBody>(body);
        if (task.pid == task.tid) ended(task.pid, record.time);
    }
    if (header.type == PERF_RECORD_COMM && size >= sizeof(CommBody) &&
        (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) {
        RecordedProcess& process = processes_[read_as<CommBody>(body).pid];
        process.previous = std::exchange(process.program, {record.time, 0, true, {}});
        process.has_ended = false;
        process.changed = record.time;
    }
}

// A fork, exec or mapping of any of them may be among the lost records.
void ProcessHistory::forget_running(uint64_t time) {
    std::erase_if(processes_, [](const auto& each) { return !each.second.has_ended; });
    lost_until_ = std::max(lost_until_, time);
}

// A process starts with its parent's mappings; threads do not count.
void ProcessHistory::forked(const uint8_t* body, uint64_t time) {
    const auto task = read_as<TaskBody>(body);
    if (task.pid == task.parent) return;
    RecordedProgram copy{.began = time, .parent = task.parent};
    if (const auto parent = processes_.find(task.parent); parent != processes_.end()) {
        const RecordedProcess& from = parent->second;
        const RecordedProgram& forked = from.program.began > time ? from.previous : from.program;
        copy.complete = forked.complete;
        copy.mappings = forked.mappings;
    }
    RecordedProcess& own = processes_[task.pid];
    own.parent = task.parent;
    if (own.changed <= time) {
        own.previous = std::exchange(own.program, std::move(copy));
        own.has_ended = false;
        own.changed = time;
        return;
    }
    // Its later records have overtaken its fork.
    RecordedProgram& first = own.program.complete ? own.previous : own.program;
    for (Mapping& mapping : first.mappings) map_over(copy.mappings, std::move(mapping));
    first = std::move(copy);
}

void ProcessHistory::mapped(const uint8_t* body, size_t size, uint64_t time) {
    const auto m = read_as<MmapBody>(body);
    const char* name = reinterpret_cast<const char*>(body) + sizeof m;
    Mapping mapping{m.begin,
                    m.begin + m.length,
                    m.offset,
                    m.inode,
                    fmt::format("{:02x}:{:02x}", m.major, m.minor),
                    std::string(name, ::strnlen(name, size - sizeof m))};
    if (mapping.name == "//anon") mapping.name.clear();
    RecordedProcess& process = processes_[m.pid];
    process.changed = time;
    map_over(process.program.mappings, std::move(mapping));
}

void ProcessHistory::ended(uint32_t pid, uint64_t time) {
    const auto process = processes_.find(pid);
    if (process == processes_.end()) return;
    process->second.has_ended = true;
    process->second.changed = time;
    ended_.push_back({pid, process->second.program.mappings.size() + process->second.previous.mappings.size()});
    ended_mappings_ += ended_.back().mappings;
    while (ended_.size() > most_ended || ended_mappings_ > most_ended_mappings) forget_oldest();
}

void ProcessHistory::forget_oldest() {
    const auto oldest = processes_.find(ended_.front().pid);
    // The number may belong to another process by now.
    if (oldest != processes_.end() && oldest->second.has_ended) processes_.erase(oldest);
    ended_mappings_ -= ended_.front().mappings;
    ended_.pop_front();
}

const RecordedProcess* ProcessHistory::find(uint32_t pid) const {
    const auto process = processes_.find(pid);
    return process == processes_.end() ? nullptr : &process->second;
}

}  // namespace lt
