// What the compiler hands to the runtime: the BPF object and, as plain data that can be printed, all that the object
// does not say: which program goes where, what the maps hold, how each event is laid out and shown. Nothing in it
// refers to the compiler, so it can be saved (runtime/saved_plan.h) and run elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "runtime/assumption.h"
#include "runtime/dist_buckets.h"
#include "stdlib/types.h"

namespace lt {

// A way to get a program run.
enum class Way : uint8_t {
    run,         // by the runtime itself: BEGIN, END and intervals, by BPF_PROG_TEST_RUN of a raw tracepoint program
    tracepoint,  // perf event on a tracepoint
    raw_tracepoint,  // a tracepoint's own arguments, by name alone
    fentry,          // BPF trampoline at a kernel function's entry or return (fexit)
    kprobe_session,  // one program at the entries and returns of many kernel functions, by one link
    kprobe_multi,    // one program at the entries, or at the returns, of many kernel functions, by one link
    kprobe,          // perf event on a kernel function's entry or return (kretprobe)
    uprobe_session,  // as kprobe_session, for functions of one file
    uprobe_multi,    // as kprobe_multi, for places in one file
    uprobe,          // perf event on an instruction of a file, or on a function's return (uretprobe)
    walk,            // an iterator over all tasks, run when the runtime reads it
    iterator,        // an iterator of the kernel's, run once at the start
    perf_event,      // each time that a perf event has counted so much
    host,            // by lt's own interpreter of BPF: what the kernel's could not do (host_calls.h)
    breakpoint,  // hardware execution breakpoints on a kernel function's entry, or on each of its returns, on every CPU
    sockets,     // what happens to sockets of TCP, in a control group and those below it
    system_call,  // one of many system calls: called by its number, from one program where all of them begin, or end
};

struct WayRow {
    Way way;
    std::string_view name;
    bool user;      // the traced code is a program's: its stack is the program's, and its memory
    bool many;      // one link for all attachments of a program
    bool session;   // one program is run at the entry and at the return, and tells them apart
    bool function;  // to attach a function, of the kernel or of a program
};
std::span<const WayRow> way_rows();
const WayRow& way_row(Way way);
std::string_view way_name(Way way);

// Which perf event, and how often its program is run. The first four are those of struct perf_event_attr.
struct PerfEvent {
    uint32_t type = 0;
    uint64_t config = 0, config1 = 0, config2 = 0;  // of a watchpoint: config1 is the address, config2 the length
    uint32_t access = 0;                            // of a watchpoint: HW_BREAKPOINT_*
    uint64_t every = 1;                             // so much is counted between two runs; nanoseconds of clocks
    bool by_frequency = false;                      // the kernel finds how much makes `every` runs a second
    bool operator==(const PerfEvent&) const = default;
};

// One program and the place it is attached to.
struct Attachment {
    std::string program;  // the function's name in the object
    bool at_return = false;
    std::string
        function;  // fentry, kprobe, breakpoint: the kernel function; tracepoint: the category; uprobe: the file's path
    std::string event;       // tracepoint: the event; uprobe: the symbol, for messages
    uint64_t number = 0;     // tracepoint: its id; uprobe: the offset in the file
    uint64_t cookie = 0;     // what the program is told there, where it is attached to many places
    uint64_t semaphore = 0;  // USDT: where in the file the counter lies of those who trace the place; 0: it has none
    PerfEvent perf = {};     // perf_event
    // system_call: in the object, the array of programs in which this one lies by `number`, that of the call; empty: it
    // is the one that calls the others, at the tracepoint of all calls.
    std::string table = {};
};

// One way to serve a probe: all its attachments or none.
struct Rung {
    Way way = Way::run;
    std::string refused;  // why it was not taken, known before trying; empty: can be tried
    std::vector<Attachment> attachments;
};

enum class When : uint8_t { begin, end, error, period, signal, set, once, attached };

// One of so many events is taken, at random. The share is a u64 in lt_params: 0 for all, else an event is taken where a
// random number of 32 bits is below the share less 1. What is left out is counted in a u64 of the per-CPU array
// lt_left_out.
struct PlannedGate {
    uint32_t share = 0;     // offset in lt_params
    uint32_t left_out = 0;  // index of the counter
};
constexpr std::string_view left_out_symbol = "lt_left_out";
constexpr uint64_t gate_share(uint64_t one_of) { return one_of <= 1 ? 0 : ((uint64_t{1} << 32) / one_of) + 1; }
constexpr uint64_t gate_shut = 1;

struct PlannedProbe {
    std::string text;       // as the user typed it
    bool internal = false;  // for lt's own books, not asked for by the user
    Span span;              // in the program, for diagnostics
    When when = When::attached;
    uint64_t period_ns = 0;                    // When::period
    std::vector<Rung> rungs;                   // the first that can be attached is taken
    uint32_t places = 1;                       // that one program serves
    int signal = 0;                            // When::signal
    std::string set_param = {};                // When::set: whenever the parameter of this name was set
    std::optional<uint32_t> of_span = {};      // index into Plan::spans: it opens or closes that one
    std::optional<PlannedGate> gate = {};      // its events can be sampled
    std::vector<uint32_t> collects_into = {};  // indices into Plan::maps
    bool stays = false;                        // others ask what it keeps: it cannot be detached while they run
};

// How values lie in a map. Per-CPU maps are folded over CPUs when read.
//   integer          8 bytes, its low bytes at the front
//   string           its size
//   count, sum       per CPU: u64/s64
//   min, max         per CPU: u64 order, u64 1 once there is one; see order_flip
//   avg, stats       per CPU: s64 sum, u64 count
//   hist             per CPU: u64 buckets[66]: [0] negative, [1] zero, [2 + k] from 2^k up to 2^(k+1); views of a
//                    duration: see hist_bounds()
//   dist             per CPU, with a key one for all of them: u64 count, s64 sum, u64 order of the least, u64 order of
//                    the greatest (as min and max of signed values, zero where there is none), u64 buckets[961], see
//                    dist_buckets.h
//   samples          per CPU: see samples.h
// A map without a key is an array of one element: its value ends with a u64 that is not zero once it was written
// (scalar_mark bytes).
enum class MapShape : uint8_t { hash, per_cpu_hash, array, per_cpu_array };
constexpr uint32_t scalar_mark = 8;
// With PlannedMap::keeps_order a value ends with a u64, the monotonic time at which its key came.
constexpr uint32_t arrival_mark = 8;

// min() and max() keep value ^ order_flip, whose unsigned order starts at zero and grows to what is wanted.
constexpr uint64_t order_flip(Aggregation a, bool is_signed) {
    return (a == Aggregation::min ? ~uint64_t{0} : 0) ^ (is_signed ? uint64_t{1} << 63 : 0);
}

struct PlannedMap {
    std::string name;    // "@ns"; in the script
    std::string symbol;  // in the object
    MapShape shape = MapShape::hash;
    std::vector<Type> key;  // empty: a scalar, in an array of one element at index 0
    uint32_t key_size = 0;  // bytes: each part padded to 8
    Type value;
    uint32_t value_size = 0;  // bytes, with the mark of a scalar, or with when the key came
    uint32_t max_entries = 0;
    // clear() and zero() remember what was there and leave it, so that no update is lost: values that are sums, which
    // no program reads.
    bool cleared_by_difference = false;
    // The same for values that do not add up, such as extremes: programs collect into the generation, 0 or 1, that the
    // word of this number in the one element of the map lt_generations says. It is the index into an array, else behind
    // the key as a u64, and a hash has room for both. Reports change it and take the old one out.
    std::optional<uint32_t> generation = {};
    // Integers that programs in the kernel and blocks that lt runs count up: the program, of Way::run, that adds what
    // lies in the one element of the map lt_handed: u64 n, u64 for the value before, the key. Empty: there is none.
    std::string adder = {};
    bool keeps_order = false;  // does a value (of a CPU) end with the time at which its key came?
};
constexpr std::string_view handed_symbol = "lt_handed";
constexpr std::string_view generations_symbol = "lt_generations";
constexpr uint32_t generation_size = 8;

constexpr uint32_t hist_buckets = 66;

// How many buckets a histogram of this type has.
// lhist: [0] below the least, then one for each step, the last from the most on.
// hist with bits: [0] negative, [1] zero, [1 + v] up to 2^bits, then 2^bits for each doubling: with s = log2(v) - bits,
// [1 + (s << bits) + (v >> s)].
uint32_t bucket_count(const Type& type);

// A stack is kept once, in a hash: u64 id, u64 process (0: a stack of the kernel) -> a word, then u64
// frames[stack_frames], innermost first, up to a zero. What maps and records hold is its key; the id is a hash of the
// frames, or one of those that stand for no frames.
constexpr std::string_view stacks_symbol = "lt_stacks";
constexpr uint32_t stack_frames = 127;
constexpr uint64_t stack_none = 0;             // a thread of the kernel has no stack in a program
constexpr uint64_t stack_lost = ~uint64_t{0};  // counted as a loss

enum class EventKind : uint8_t {
    text,
    map,
    spans,
    value,
    stack,
    clear,
    zero,
    exit,
    join,       // fields: how many there are, then so many strings and more; format: what stands between them
    cat,        // as text: the path of a file
    system,     // as text: a command
    error,      // as text, to standard error
    warning,    // likewise
    histogram,  // one field, what samples() has collected; top: 0 hist_log(), 1 hist_linear()
    raised,     // an error that nothing caught; as text, or without a format: index into Plan::errors, an address
    time,       // as text: the time of day
    option,     // fields: process, descriptor, level, option, value of a socket's option that is set
};

// A field that is not in the record: the runtime reads it from the map when it prints the event.
struct PlannedPercentile {
    uint32_t map = 0;    // of dist(); index into Plan::maps
    uint64_t share = 0;  // millionths of a percent: 99'900'000 is the 99.9th percentile
};
constexpr uint64_t whole_share = 100'000'000;

// A record in the ring buffer: u32 index into Plan::events, u32 zero, then the fields.
struct EventField {
    Type type;
    uint32_t offset = 0;                               // from the start of the record
    std::optional<PlannedPercentile> percentile = {};  // the field's bytes are the key
};

// Where something stands in the program's text.
struct PlannedPosition {
    std::string file;  // as diagnostics call it
    uint32_t line = 0;
    uint32_t column = 0;
    bool operator==(const PlannedPosition&) const = default;
};

struct PlannedEvent {
    EventKind kind = EventKind::text;
    std::string format;              // text: of printf, escapes already replaced
    uint32_t map = 0;                // map, clear, zero: index into Plan::maps; spans: into Plan::spans
    uint32_t top = 0;                // map: how many of the largest values; 0: all
    int64_t divisor = 1;             // map: of what is printed
    std::vector<EventField> fields;  // map: none, or the one key that is printed
    uint32_t size = 0;               // of the whole record
    bool timed = false;              // the last field is the monotonic time in nanoseconds at which it was written
    bool printed = false;            // clear, zero: what the print() just before it has printed, and no more
    PlannedPosition where = {};      // error, warning, raised with a format
};

// Of a map: is one key printed, and not all of it?
inline bool has_key(const PlannedEvent& event) { return event.fields.size() > (event.timed ? 1 : 0); }

// What can go wrong at run time, in words that do not depend on the run.
struct PlannedError {
    std::string text;
    std::string near;          // where in the program: "operator '/' at x.stp:1:20"
    bool has_address = false;  // is the second field of the record one, to be told between the two?
    PlannedPosition where = {};
    bool operator==(const PlannedError&) const = default;
};

// What can get lost. Each has a counter in the object's array lt_lost (u64 each, summed over CPUs by the kernel's
// atomics).
enum class LossKind : uint8_t {
    ring_buffer_full,  // subject: none
    map_full,          // subject: index into maps
    contended,         // subject: map whose value could not be updated in time
    map_no_memory,     // subject: map; a new key for which the kernel had no memory at that moment
    span_no_entry,     // subject: span; a return or closing event whose opening was not seen
    span_missed,  // subject: span; open calls that were left without a return that was seen (longjmp, a missed return)
    span_died,    // subject: span; open when their thread ended
    span_reopened,     // subject: span; keys that were opened again before they were closed
    span_too_deep,     // subject: span; nested deeper than what is kept
    span_no_room,      // subject: span; openings for which the state map had no room
    span_unmeasured,   // subject: span; closes of those
    span_clock,        // subject: span; a negative difference between CPUs, not recorded
    stack_collision,   // subject: none; a stack that has the id of another one
    stacks_full,       // subject: none; more different stacks than there is room for
    failed_read,       // subject: none (with -k a place, codegen/loss_places.h); memory that could not be read: zeros
    scratch_busy,      // subject: none; runs of programs for whose strings there was no room on the CPU
    stack_busy,        // subject: none; a stack that could not be taken, for others were being taken on the same CPU
    loop_cut,          // subject: none; a loop that was ended after as many turns as it may have
    not_followed,      // subject: none; threads of the family (Plan::family) for which its map had no room
    zero_divisor,      // subject: none; divisions by zero, whose result is zero
    zero_divisor_one,  // subject: none; the same where the result is one
};
struct PlannedLoss {
    LossKind kind;
    uint32_t subject = 0;
};

// Where the openings of a span are kept (their layout: stdlib/bpf/span.bpf.c).
enum class SpanState : uint8_t {
    task,    // a stack of them in storage of each task
    thread,  // the same in a hash by thread, where tasks have no storage
    key,     // between two events: one for each key
};
constexpr uint32_t span_thread_header = 32;   // bytes before a thread's openings; the first 8 are how many there are
constexpr uint32_t span_opening_header = 16;  // u64 frame (or pid << 32 | tid), u64 time; then frozen values

// A block that runs once for a span that is still open after some time. The runtime finds those spans, writes each into
// the one element of the map lt_stuck (StuckSpan, then the opening with its frozen values) and runs the program.
struct PlannedTimeout {
    uint32_t span = 0;
    int64_t after_ns = 0;
    std::optional<uint32_t> param;  // index into Plan::params: that duration instead
    std::string program;
};
struct StuckSpan {
    uint64_t who = 0;  // pid << 32 | tid
    char comm[16] = {};
    uint64_t stack[2] = {};  // of the kernel, as maps hold it
};
constexpr uint32_t stuck_header = sizeof(StuckSpan);

// What the iterator writes for each opening, followed by the opening itself; then, where stack_bytes is not zero,
// walk_stack bytes, of which so many are addresses of the task's kernel stack, innermost first.
struct OpenSpan {
    uint32_t span = 0;
    uint32_t level = 0;  // from the outermost
    uint64_t who = 0;    // pid << 32 | tid
    uint64_t time = 0;
    uint64_t stack_bytes = 0;
};
constexpr uint32_t walk_stack = 64 * 8;

struct PlannedSpan {
    std::string text;    // its endpoints as typed
    std::string name;    // may be empty
    std::string symbol;  // of the map that holds the openings
    SpanState state = SpanState::task;
    std::vector<Type> key;      // SpanState::key: as a map's key
    uint32_t depth = 0;         // openings kept per thread
    uint32_t opening_size = 0;  // bytes of each opening, with its header
};

// A value that can be set from outside, before the run and during it; in the object's variable lt_params. Integers have
// 8 bytes, strings their size.
struct PlannedParam {
    std::string name;
    Type type;
    uint32_t offset = 0;
    std::string help;
};

// What only the session knows, in the object's variable lt_params as a u64.
enum class SessionValue : uint8_t {
    start,       // when it began, by the monotonic clock, in nanoseconds
    tai_offset,  // what the clock TAI was ahead of the monotonic one then, in nanoseconds
    cpus,        // how many there may be
    command,     // the number of the process of -c, or 0 where the program asks for the next one, too
    has_command,
    pid_device,  // of the namespace of processes in which lt runs; 0: the first
    pid_inode,
    day_offset,  // what the time of day was ahead of the monotonic clock then, in nanoseconds
};
struct PlannedSessionValue {
    SessionValue what;
    uint32_t offset = 0;
};

// Counts for a program to read: one for each CPU, in a map of the kernel's for perf events.
struct PlannedCounter {
    std::string symbol;  // in the object
    PerfEvent event;     // `every` means nothing
    std::string name;    // as typed
};

struct Plan {
    std::vector<uint8_t> object;  // ELF, as libbpf takes it
    std::vector<PlannedProbe> probes;
    std::vector<PlannedMap> maps;
    std::vector<PlannedEvent> events;
    std::vector<PlannedError> errors;
    uint32_t max_errors = 0;  // so many do not end the run
    // After exit() no block begins but those that come at the end, and what the others that run still write is read.
    bool stops_at_exit = false;
    std::vector<PlannedSpan> spans;
    std::vector<PlannedTimeout> timeouts;
    std::vector<PlannedLoss> losses;
    std::vector<PlannedParam> params;
    std::vector<uint8_t> param_bytes;  // their values at the start
    std::vector<PlannedSessionValue> session_values;
    std::vector<PlannedCounter> counters;
    std::string walk;  // program that walks over all tasks and tells what is open in their storage; empty where no span
                       // is kept there
    std::string books;   // symbol of the per-CPU array with u64 opened (or not, for want of room), u64 closed for each
                         // span; empty where there are no spans
    std::string family;  // symbol of the hash whose keys are the numbers (u32) of the threads that --follow follows;
                         // the session puts in those that are there at the start
    bool plain_integers = false;      // .bt programs: no units
    bool c_integers = false;          // conversions of printf() without `l` print 32 bits
    bool whole_iterators = false;     // exit() in an iterator ends the run once all objects have been seen
    bool announces_probes = false;    // as bpftrace does, with their number
    bool binds_command = false;       // of -c: what the kernel can bind to its process is bound to it
    bool print_maps = true;           // at the end
    bool maps_apart = false;          // then all in the order of their names, after two empty lines
    uint32_t max_cat_bytes = 10240;   // of a file, by cat()
    std::string cut_mark;             // is printed behind a string that fills its room of cut_at bytes
    uint32_t cut_at = 0;              // with the zero that ends it
    bool mangled = false;             // functions of programs are shown by their symbols
    bool shows_lines = false;         // stacks of programs show lines of source
    std::vector<Assumption> assumed;  // about the machine

    // Has its object the word that says that the run is about to end?
    bool can_stop() const { return stops_at_exit || !spans.empty(); }
};

// For --dump=plan and the golden tests; the object is shown by its size only when asked.
std::string dump(const Plan& plan);

// The lower bound of bucket `index` (2 and above) of a histogram whose values have this view; bucket i holds [bound(i),
// bound(i + 1)). Plain: 2^(i - 2). Durations: 1ns doubling up to 512ns, then 1us doubling up to 512us, 1ms ..., 1s ...,
// so that every bound is a round number of a unit.
uint64_t hist_bound(uint32_t index, View view);

}  // namespace lt
