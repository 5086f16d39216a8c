// The compiler's output for the runtime: the BPF object and, as plain printable data, what the object does not say:
// where each program is attached, what the maps hold, how each event is laid out and printed. It has no references to
// the compiler, so it can be saved (runtime/plan/saved_plan.h) and run elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "base/visible.h"
#include "runtime/border/assumption.h"
#include "runtime/border/layouts/dist_buckets.h"
#include "stdlib/conventions.h"
#include "stdlib/types.h"

namespace lt {

// A way to run a program.
enum class Way : uint8_t {
    run,         // started by the runtime: BEGIN, END and intervals, raw tracepoint programs through BPF_PROG_TEST_RUN
    tracepoint,  // perf event on a tracepoint
    raw_tracepoint,  // a tracepoint's own arguments, attached by name
    fentry,          // BPF trampoline at a kernel function's entry or return (fexit)
    kprobe_session,  // one program at entries and returns of many kernel functions, one link
    kprobe_multi,    // one program at entries, or at returns, of many kernel functions, one link
    kprobe,          // perf event on a kernel function's entry or return (kretprobe)
    uprobe_session,  // like kprobe_session, for functions of one file
    uprobe_multi,    // like kprobe_multi, for locations in one file
    uprobe,          // perf event on an instruction of a file, or on a function's return (uretprobe)
    walk,            // iterator over all tasks, run when the runtime reads it
    iterator,        // a BPF iterator, run once at the start
    perf_event,      // whenever a perf event has counted up to its period
    host,            // in lt's own BPF interpreter: what the kernel's could not do (host_calls.h)
    breakpoint,  // hardware execution breakpoints on a kernel function's entry, or on each of its returns, on every CPU
    sockets,     // events of TCP sockets, in a cgroup and its descendants
    system_call,       // one of many system calls: tail-called by number from one program at the entry, or exit, of all
    ret_multi,         // like uprobe_multi, but returns are probed at the return instructions
    ret,               // like uprobe, likewise
    typed_tracepoint,  // like raw_tracepoint, but the verifier knows the types of the arguments (tp_btf)
};

enum class Feature : uint8_t;  // kernel.h

// The alternatives of Site, in order.
enum class SiteKind : uint8_t { none, tracepoint, raw_tracepoint, kernel, program, iterator, perf_event, sockets };

struct WayRow {
    Way way;
    std::string_view name;
    SiteKind site;                 // what its attachments hold; system calls also hold a CallSite
    std::optional<Feature> needs;  // kernel feature
    bool user;                     // traces a user program: stack and memory are that program's
    bool many;                     // one link for all attachments of a program
    bool session;                  // one program runs at entry and return and distinguishes them
    bool function;                 // attaches to a function, of the kernel or of a program
    bool decoded = false;          // probes the return instructions, which are found by decoding the function
    bool lingers = false;          // detaching takes the kernel long; until then programs look whether the run is over
};
std::span<const WayRow> way_rows();
const WayRow& way_row(Way way);
std::string_view way_name(Way way);

// A perf event and how often its program runs. The first four members are those of struct perf_event_attr.
struct PerfEvent {
    uint32_t type = 0;
    uint64_t config = 0, config1 = 0, config2 = 0;  // watchpoint: config1 is the address, config2 the length
    uint32_t access = 0;                            // watchpoint: HW_BREAKPOINT_*
    uint64_t every = 1;                             // count between two runs; nanoseconds for clocks
    bool by_frequency = false;  // the kernel adjusts the count so that there are `every` runs a second
    bool operator==(const PerfEvent&) const = default;
};

// Sites: the targets that a program is attached to.
struct TracepointSite {
    std::string category = {}, event = {};
    uint64_t id = 0;
};
struct RawTracepointSite {
    std::string event = {};
};
struct KernelSite {
    std::string function = {};  // or "ID:NAME" of a BPF program
    uint64_t offset = 0;        // from the function's start
};
struct ProgramSite {
    std::string path = {};
    std::string symbol = {};  // for messages
    uint64_t offset = 0;      // in the file
    uint64_t semaphore = 0;   // USDT: file offset of the counter that each tracer raises; 0: there is none
};
struct IteratorSite {
    std::string kind = {};
    std::string pin = {};  // where others find it; may be empty
};
struct SocketSite {
    std::string event = {};
};
// One of many system calls: its program is in a table, and the program at the tracepoint of all calls tail-calls it.
struct CallSite {
    TracepointSite own;      // the call's own tracepoint; nothing is attached there
    uint64_t number = 0;     // of the call; also its index in the table
    std::string table = {};  // in the object: a program array
};
using Site = std::variant<std::monostate, TracepointSite, RawTracepointSite, KernelSite, ProgramSite, IteratorSite,
                          PerfEvent, SocketSite, CallSite>;

// One program and the location it is attached to.
struct Attachment {
    std::string program = {};  // the function's name in the object
    bool at_return = false;
    uint64_t cookie = 0;  // what the program reads there, if it has many locations
    Site site = {};
};

// The kernel function or file that can rule out a way; empty: neither.
const std::string& subject(const Attachment& attachment);

// One way to serve a probe: all of its attachments or none.
struct Rung {
    Way way = Way::run;
    std::string refused;  // why the compiler ruled it out; empty: can be tried
    std::vector<Attachment> attachments;
};

enum class When : uint8_t { begin, end, error, period, signal, set, once, attached };

// Samples events: one in so many is taken, at random. The share is a u64 in lt_params: 0 takes all, otherwise an event
// is taken if a 32-bit random number is below the share minus 1. Skipped events are counted in a u64 of the per-CPU
// array lt_left_out.
struct PlannedGate {
    uint32_t share = 0;     // offset in lt_params
    uint32_t left_out = 0;  // index of the counter
};
constexpr std::string_view left_out_symbol = "lt_left_out";
constexpr uint64_t gate_share(uint64_t one_of) { return one_of <= 1 ? 0 : ((uint64_t{1} << 32) / one_of) + 1; }
constexpr uint64_t gate_shut = 1;

struct PlannedProbe {
    std::string text;       // as typed
    bool internal = false;  // for lt's own accounting
    Span span;              // in the script, for diagnostics
    When when = When::attached;
    uint64_t period_ns = 0;                    // When::period
    std::vector<Rung> rungs;                   // the first one that can be attached is used
    uint32_t places = 1;                       // number of locations of one program
    int signal = 0;                            // When::signal
    std::string set_param = {};                // When::set: runs whenever the parameter of this name is set
    std::optional<uint32_t> of_span = {};      // index into Plan::spans of the span that it opens or closes
    std::optional<PlannedGate> gate = {};      // set if its events can be sampled
    std::vector<uint32_t> collects_into = {};  // indices into Plan::maps
    bool stays = false;                        // others read its data: it cannot be detached while they run
    uint64_t times = 0;                        // When::period: the run ends after so many; 0: there is no limit
};

// The layout of values in a map. Per-CPU maps are folded over CPUs when read.
//   integer          8 bytes, low bytes first
//   string           its size
//   count, sum       per CPU: u64/s64
//   min, max         per CPU: u64 order, u64 1 if there is one; see order_flip
//   avg, stats       per CPU: s64 sum, u64 count
//   hist             per CPU: u64 buckets[66]: [0] negative, [1] zero, [2 + k] from 2^k up to 2^(k+1), where [65]
//                    has only unsigned values; views of a duration: see hist_bound()
//   dist             per CPU, with a key one for all CPUs: u64 count, s64 sum, u64 order of the least, u64 order of
//                    the greatest (as for min and max of signed values, zero if there is none), u64 buckets, see
//                    dist_buckets.h; with buckets of negative values only if the type is signed
//   samples          per CPU: see samples.h
// A map without a key is an array of one element: its value ends with a u64 (scalar_mark bytes) that becomes nonzero
// when it is written.
enum class MapShape : uint8_t { hash, per_cpu_hash, array, per_cpu_array };
constexpr bool is_array(MapShape shape) { return shape == MapShape::array || shape == MapShape::per_cpu_array; }
constexpr bool is_per_cpu(MapShape shape) {
    return shape == MapShape::per_cpu_array || shape == MapShape::per_cpu_hash;
}
constexpr uint32_t scalar_mark = 8;
// With PlannedMap::keeps_order a value ends with a u64, the monotonic time at which its key arrived.
constexpr uint32_t arrival_mark = 8;

// min() and max() keep value ^ order_flip: as unsigned numbers these start at zero and grow towards the result.
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
    uint32_t value_size = 0;  // bytes, including a scalar's mark or the arrival time
    uint32_t max_entries = 0;
    // clear() and zero() remember the values and leave them in place, so that no update is lost: values that are sums
    // and that no program reads.
    bool cleared_by_difference = false;
    // Set if values leave the map between two updates. Programs collect into generation 0 or 1, which the word with
    // this index in the only element of the map lt_generations selects. The generation is the index into an array, or a
    // u64 after the key in a hash, which has room for both. To take values out, lt switches the generation: if the map
    // is cleared by difference, when it fills up; else (values that cannot be subtracted, such as extremes) in each
    // report.
    std::optional<uint32_t> generation = {};
    // For integers that both programs in the kernel and blocks in lt count up, or whose bits both change: the Way::run
    // program that applies what the only element of the map lt_handed contains: u64 n, u64 SharedChange, which the old
    // value replaces after an addition, the key. Empty: there is none.
    std::string adder = {};
    bool keeps_order = false;  // a value (of a CPU) ends with the arrival time of its key
    bool shrinks = false;      // the script clears it, removes keys or values, or the kernel evicts keys
};
constexpr std::string_view handed_symbol = "lt_handed";
constexpr std::string_view generations_symbol = "lt_generations";
constexpr uint32_t generation_size = 8;

constexpr uint32_t hist_buckets = 66;

// The number of buckets of a histogram of this type.
// lhist: [0] below the least, then one per step, the last one from the maximum up.
// hist with bits: [0] negative, [1] zero, [1 + v] up to 2^bits, then 2^bits for each doubling: with s = log2(v) - bits,
// [1 + (s << bits) + (v >> s)].
uint32_t bucket_count(const Type& type);
// The words of a value in a map, on each CPU; 0 if it is not an aggregation.
uint32_t aggregation_words(const Type& type);

// Each stack is kept once, in a hash: u64 id, u64 process (0: a kernel stack) -> u64 time, then u64
// frames[stack_frames], innermost first, ending with a zero. A program's stack was stored at that time, by the
// monotonic clock. Maps and records hold its key; the id is a hash of the frames, or one of the ids that mean no
// frames.
constexpr std::string_view stacks_symbol = "lt_stacks";
constexpr uint32_t stack_frames = 127;
constexpr uint64_t stack_none = 0;             // a kernel thread does not have a user stack
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
    join,       // fields: the number of strings, then that many strings and more; format: the separator
    cat,        // as text: the path of a file
    system,     // as text: a command
    error,      // as text, to standard error
    warning,    // likewise
    histogram,  // one field, collected by samples(); top: 0 hist_log(), 1 hist_linear()
    raised,     // an uncaught error; as text, or without a format: index into Plan::errors, an address
    time,       // as text: the time of day
    option,     // fields: process, descriptor, level, option, value of a socket option to set
    snapshot,   // fields: thread, index into Plan::spans or outside_spans (recording.h), latency so far, monotonic time
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

// A position in the program's text.
struct PlannedPosition {
    std::string file;  // file name as in diagnostics
    uint32_t line = 0;
    uint32_t column = 0;
    bool operator==(const PlannedPosition&) const = default;
};

struct PlannedEvent {
    EventKind kind = EventKind::text;
    std::string format;              // text: printf format with escapes replaced
    uint32_t map = 0;                // map, clear, zero: index into Plan::maps; spans: into Plan::spans
    uint32_t top = 0;                // map: the number of largest values to print; 0: all
    int64_t divisor = 1;             // map: divides the printed values
    std::vector<EventField> fields;  // map: none, or the one key to print
    uint32_t size = 0;               // of the whole record
    bool timed = false;              // the last field is the monotonic time of writing, in nanoseconds
    bool printed = false;            // clear, zero: only what the last print() of the map has printed
    PlannedPosition where = {};      // error, warning, raised with a format
};

// Does it print one key of a map, and not the whole map?
inline bool has_key(const PlannedEvent& event) { return event.fields.size() > (event.timed ? 1 : 0); }

// An error at run time; the words do not depend on the run.
struct PlannedError {
    std::string text;
    std::string near;          // where in the program: "operator '/' at x.stp:1:20"
    bool has_address = false;  // the second field of the record is an address, printed between the two
    PlannedPosition where = {};
    bool operator==(const PlannedError&) const = default;
};

// Kinds of loss. Each has a counter in the object's array lt_lost (u64 each, summed over CPUs by the kernel's atomics).
enum class LossKind : uint8_t {
    ring_buffer_full,  // subject: none
    map_full,          // subject: index into maps
    contended,         // subject: map whose value could not be updated in time
    map_no_memory,     // subject: map; a new key for which the kernel had no memory at that moment
    span_no_entry,     // subject: span; a return or closing event without an opening
    span_missed,       // subject: span; open calls that left without a return that lt saw (longjmp, a missed return)
    span_died,         // subject: span; open when their thread exited
    span_reopened,     // subject: span; keys that were opened again before they were closed
    span_too_deep,     // subject: span; nested too deep to keep
    span_no_room,      // subject: span; openings that did not fit into the state map
    span_unmeasured,   // subject: span; closes of those
    span_clock,        // subject: span; a negative time difference between CPUs, not recorded
    stack_collision,   // subject: none; a stack with the same id as another one
    stacks_full,       // subject: none; more distinct stacks than fit
    failed_read,       // subject: none (with -k a location, codegen/ir/loss_places.h); failed reads give zeros
    scratch_busy,      // subject: none; runs of programs that found no free scratch on the CPU
    stack_busy,        // subject: none; stacks not taken because the CPU was busy taking others
    loop_cut,          // subject: none; loops cut short at their iteration limit
    not_followed,      // subject: none; threads of the family (Plan::family) that did not fit into its map
    zero_divisor,      // subject: none; divisions by zero, whose result is zero
    zero_divisor_one,  // subject: none; the same where the result is one
    sum_overflow,      // subject: map; sums that overflowed 64 bits and are wrong since
    hidden_switch,     // subject: none; context switches of threads with a `why` that the kernel did not report
    process_records,   // subject: none; records of what processes map; counted by the runtime, in no plan
    cpu_unwatched,  // subject: none; CPUs that came online after events were opened on each; no counter in the object
};
struct PlannedLoss {
    LossKind kind;
    uint32_t subject = 0;
};

// Where a span's openings are kept (layout: stdlib/bpf/span.bpf.c).
enum class SpanState : uint8_t {
    task,    // a stack of them in task storage
    thread,  // the same in a hash by thread, without task storage
    key,     // between two events: one per key
    frame,   // calls whose returns are found by decoding, which may continue in another thread: one per call
};
// Openings name their thread as `who`: pid << 32 | tid in lt's PID namespace; 0: it is not in there, or is idle.
constexpr uint32_t span_thread_header = 32;   // bytes before a thread's openings; the first 8 are their number
constexpr uint32_t span_thread_who = 24;      // where `who` is in them
constexpr uint32_t span_opening_header = 16;  // u64 frame (or who), u64 time; then frozen values
constexpr uint32_t span_call_header = 24;     // SpanState::frame: u64 who, u64 time, u64 outer; then those
constexpr uint32_t span_call_key = 24;        // u64 process, u64 goroutine or thread or 0, u64 frame

// A block that runs once for a span that is still open after some time. The runtime finds such spans, writes each into
// the only element of the map lt_stuck (StuckSpan, then the opening with its frozen values) and runs the program.
struct PlannedTimeout {
    uint32_t span = 0;
    int64_t after_ns = 0;
    std::optional<uint32_t> param;  // index into Plan::params: overrides the duration
    std::string program;
};
struct StuckSpan {
    uint64_t who = 0;
    char comm[16] = {};
    uint64_t stack[2] = {};  // kernel stack, as in maps
};
constexpr uint32_t stuck_header = sizeof(StuckSpan);

// Output of the iterator for each opening, followed by the opening itself and, if stack_bytes is not zero, by
// walk_stack bytes, of which the first stack_bytes are the addresses of the task's kernel stack, innermost first.
struct OpenSpan {
    uint32_t span = 0;
    uint32_t level = 0;  // from the outermost
    uint64_t who = 0;
    uint64_t time = 0;
    uint64_t stack_bytes = 0;
};
constexpr uint32_t walk_stack = 64 * 8;

struct PlannedSpan {
    std::string text;    // its endpoints as typed
    std::string name;    // may be empty
    std::string symbol;  // of the map that holds the openings
    SpanState state = SpanState::task;
    std::vector<Type> key;      // SpanState::key: like a map's key
    uint32_t depth = 0;         // openings kept per thread
    uint32_t opening_size = 0;  // bytes of an opening, including its header
};

// A value that can be set before the run and during it, in the object's variable lt_params. Integers have 8 bytes,
// strings their size.
struct PlannedParam {
    std::string name;
    Type type;
    uint32_t offset = 0;
    std::string help;
};

// Values that only the session knows, in the object's variable lt_params as a u64.
enum class SessionValue : uint8_t {
    start,       // start time by the monotonic clock, in nanoseconds
    tai_offset,  // TAI minus the monotonic clock at the start, in nanoseconds
    cpus,        // number of possible CPUs
    command,     // the process of -c; may be 0 only if the program also uses has_command
    has_command,
    pid_device,  // of lt's PID namespace; 0: the initial one
    pid_inode,
    day_offset,  // the time of day minus the monotonic clock at the start, in nanoseconds
};
struct PlannedSessionValue {
    SessionValue what;
    uint32_t offset = 0;
};

// Counters that a program reads: one per CPU, in a perf event array.
struct PlannedCounter {
    std::string symbol;  // in the object
    PerfEvent event;     // `every` is unused
    std::string name;    // as typed
};

struct Plan {
    std::vector<uint8_t> object;  // ELF, for libbpf
    std::vector<PlannedProbe> probes;
    std::vector<PlannedMap> maps;
    std::vector<PlannedEvent> events;
    std::vector<PlannedError> errors;
    uint32_t max_errors = 0;  // number of errors that do not end the run
    // After exit() no block starts except those that run at the end, and what running blocks still write is read.
    bool stops_at_exit = false;
    std::vector<PlannedSpan> spans;
    std::vector<PlannedTimeout> timeouts;
    std::vector<PlannedLoss> losses;
    std::vector<PlannedParam> params;
    std::vector<uint8_t> param_bytes;  // initial values
    std::vector<PlannedSessionValue> session_values;
    std::vector<PlannedCounter> counters;
    std::string walk;    // program that walks over all tasks and writes the spans that are open in task storage; empty
                         // if no span is kept there
    std::string books;   // symbol of the per-CPU array with, for each span, u64 opened (or not, for lack of room) and
                         // u64 closed; empty without spans
    std::string family;  // symbol of the hash whose keys are the threads (u32) that --follow follows; the session adds
                         // those that exist at the start
    Conventions conventions;
    bool print_maps = true;          // at the end
    uint32_t max_cat_bytes = 10240;  // for cat()
    std::string cut_mark;            // printed after a string that fills all cut_at bytes
    uint32_t cut_at = 0;             // including the terminating zero
    bool mangled = false;            // functions of programs are shown as symbols
    bool shows_lines = false;        // user stacks show source lines
    // Strings are printed with their newlines and tabs, or with their colors, if the program itself puts some there;
    // otherwise these are escaped, because they come from traced data.
    Keep keeps_newlines = Keep::nothing;
    bool skips_own = false;           // some programs leave out what the session's own process does
    bool ends_by_word = false;        // programs of ways that linger look whether the run is over
    std::vector<Assumption> assumed;  // about the machine

    // Does the object have the word that says that the run is about to end?
    bool can_stop() const { return stops_at_exit || !spans.empty(); }
    // Does it have the words about the run, of which that is the first?
    bool has_run_words() const { return can_stop() || skips_own || ends_by_word; }
};

// For --dump=plan and the golden tests; of the object it shows only the size.
std::string dump(const Plan& plan);

// The lower bound of bucket `index` (2 and above) of a histogram with this view; bucket i holds [bound(i), bound(i +
// 1)). Plain: 2^(i - 2). Durations: 1ns doubling up to 512ns, then 1us doubling up to 512us, 1ms ..., 1s ..., so that
// every bound is a round number of a unit.
uint64_t hist_bound(uint32_t index, View view);

}  // namespace lt
