// A snapshot of the flight recorder: what the threads of a machine did in the last seconds before a call was late. It
// is complete by itself, so that it can be read on another machine. Files: recording/file.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/border/recording.h"

namespace lt {

// Times are of the monotonic clock, in nanoseconds.
struct Record {
    uint64_t time = 0;
    uint64_t a = 0, b = 0;
    uint32_t tid = 0;
    uint16_t cpu = 0;
    RecordKind kind = RecordKind::none;
    uint8_t unused = 0;
};
static_assert(sizeof(Record) == 32);

struct RecordedThread {
    uint32_t tid = 0;
    uint32_t process = 0;  // 0: unknown, it ended before the snapshot
    uint32_t own = 0;      // its number in its own PID namespace; 0: unknown
    std::string comm;
};

// A thread whose number another one got during the recording.
struct EarlierThread {
    uint64_t until = 0;  // the other one begins
    std::string comm;    // empty: unknown
};

// A call that requested a snapshot.
struct Trigger {
    uint64_t time = 0;
    uint32_t tid = 0;
    std::optional<uint32_t> span;         // index into Recording::spans
    uint64_t latency = 0;                 // so far
    std::optional<uint32_t> opener = {};  // of a span that began in another thread: that one
    uint64_t begin() const { return latency < time ? time - latency : 0; }
};

struct RecordingAccount {
    uint64_t torn = 0;                 // records that were not finished when they were read
    uint64_t missed = 0;               // events since recording began at which the kernel skipped a program
    uint64_t overwritten = 0;          // records that newer ones had replaced, since recording began
    uint64_t lost_stacks = 0;          // long waits without their stack; see lost_stacks()
    uint64_t suppressed = 0;           // triggers before this one that made no snapshot
    std::vector<std::string> missing;  // events that this kernel does not have
};

struct Recording {
    uint32_t format = 2;  // of the file: in version 1, records lack what a replay needs
    std::string version;  // of lt
    std::string script;   // its text
    std::vector<std::string> arguments;
    std::string kernel, machine;  // release and architecture
    int64_t unix_offset = 0;      // the time of day minus the monotonic clock
    uint32_t cpus = 0;
    uint64_t begin = 0, end = 0;              // between these, every record is there that is not in the account
    std::vector<std::string> spans;           // their endpoints as typed
    std::map<uint32_t, std::string> devices;  // by number as in records: block_*
    Trigger trigger;
    RecordingAccount account;
    std::vector<RecordedThread> threads;                     // sorted by tid; the last one of each number
    std::map<uint32_t, std::vector<EarlierThread>> earlier;  // those before it, in order; see find_earlier()
    std::vector<Record> records;                             // sorted by time
    std::map<uint64_t, std::vector<uint64_t>> stacks;        // by hash: addresses, innermost first
    std::map<uint64_t, std::string> symbols;                 // names of those addresses

    const RecordedThread* thread(uint32_t tid) const;
    // "backup (2219)"; without a name, "thread 2219"; of thread 0, "an idle CPU"
    std::string thread_text(uint32_t tid) const;
    // Of the thread that had the number at that time.
    std::string thread_text(uint32_t tid, uint64_t time) const;
    // "backup (2219)", or "from app (10) to backup (2219)"
    std::string threads_text(const Trigger& trigger) const;
    std::string_view span_text(const Trigger& trigger) const;
    std::string device_text(uint32_t device) const;  // "vda", or "253:0"
    // The names of a stack's functions; empty if the stack is not known.
    std::vector<std::string_view> functions(uint64_t stack) const;
    // All triggers in the records, in order; the one that led to this snapshot if there are none.
    std::vector<Trigger> triggers() const;
};

// The name in a record of kind name, renamed or exit.
std::string name_in(const Record& record);

// The next thread of a switch, the current one of a wake-up, the maker of a new thread; else the record's own.
uint32_t other_thread_in(const Record& record);

// The thread that opened the span of a close.
uint32_t opener_in(const Record& close);

// Long waits whose stack is not there: another stack, or another thread's wait, has taken the place that it had in the
// kernel. The records must be sorted.
uint64_t lost_stacks(const Recording& recording);

// Sets `earlier`, which is not in files, from the records, which must be sorted.
void find_earlier(Recording& recording);

// Sorts the records by time, and adds threads and names that the records have and the list lacks.
void complete(Recording& recording);

}  // namespace lt
