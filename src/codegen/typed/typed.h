// The checked program: every probe has existing locations, every expression a type. These are side tables of the syntax
// tree, which does not change. There is one Body per item and location, since the same text can have different types at
// different locations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arch/marker_argument.h"
#include "codegen/ir/abilities.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"
#include "runtime/border/param_value.h"
#include "runtime/border/plan.h"
#include "runtime/border/target.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

namespace lt {

// One of several locations that share one program.
struct SharedPlace {
    std::string text;      // the value of `probe`
    std::string function;  // in the kernel
    UserFunction user;
    uint64_t semaphore = 0;    // as in Marker
    uint32_t system_call = 0;  // its number
};

// For a system call whose program can be tail-called by the number of the call, as one of many different programs.
struct CallByNumber {
    std::string pattern;             // as typed, otherwise the text of the location
    uint32_t number = 0;             // the number of the call
    uint64_t entry = 0, at_end = 0;  // if it is called this way: ids of the tracepoints of all calls
};

// The kinds of location.
struct PeriodPlace {
    uint64_t ns = 0;
    uint64_t times = 0;  // then the run ends; 0: there is no limit
};
// How the kernel changes the value on its way to the field.
enum class Adapted : uint8_t {
    copied,
    or_zero,          // 0 if an address on the way is null
    unknown_is_zero,  // all ones mean that there is none
    sectors,          // bytes; the field has sectors of 512 bytes
    device,           // a disk's major number; the field also has the first minor number; or_zero
};
// The value of a field, as the arguments of the raw tracepoint have it: an argument, or what it leads to.
struct FieldSource {
    struct Hop {
        std::string root;          // the structure at the address so far; empty: the value itself is there
        std::vector<Member> path;  // to the next address or, in the last hop, to the value
    };
    Field field;  // of the record, whose type counts
    Field argument;
    std::vector<Hop> hops = {};  // none: the argument is the value
    bool of_task = false;        // the hops begin at the current task, not at the argument
    Adapted adapted = Adapted::copied;
    std::vector<Member> minor = {};  // of a device: the way to its first minor number from the last hop's structure on
    bool is_memory() const { return !hops.empty() && adapted == Adapted::copied; }
};
struct EventPlace {
    Tracepoint event;                       // of a system call: at its entry
    Tracepoint exit = {};                   // only for a system call
    std::vector<FieldSource> sources = {};  // of the fields used, if the program reads them from the arguments
    std::string arguments_of = {};          // the raw tracepoint's name
    // For many system calls: the path from a task to the word that distinguishes 32-bit calls.
    std::vector<Member> narrow = {};
    std::optional<CallByNumber> by_number = {};
};
struct RawEventPlace {
    KernelFunction event;  // name and arguments of the tracepoint
};
struct KernelPlace {
    KernelFunction function;
    uint64_t offset = 0;     // from the function's start
    UserFunction line = {};  // for a line: its location in the file with the kernel's debug information
};
struct ProgramPlace {
    UserFunction function;  // or an instruction in one
};
struct MarkerPlace {
    UserFunction marker;
    std::vector<MarkerArgument> arguments;
};
struct SignalPlace {
    int number = 0;
    std::string parameter;  // of self:set:NAME
};
struct ObjectsPlace {
    std::string kind, pin;         // pin may be empty
    std::string context;           // "struct bpf_iter__task"
    std::optional<Member> object;  // member of the context; null at the end of the walk
};
struct SocketPlace {
    Tracepoint event;  // its fields are in the context
};
using There = std::variant<std::monostate, PeriodPlace, EventPlace, RawEventPlace, KernelPlace, ProgramPlace,
                           MarkerPlace, PerfEvent, SignalPlace, ObjectsPlace, SocketPlace>;

// One existing location, or with members, several that share one program and of which `there` is the first. The rungs
// are the attach methods in the order in which they are tried; the lowering fills in the attachments.
struct ResolvedPlace {
    ProbeKind kind = ProbeKind::begin;
    std::string text;  // as typed; for a wildcard, with the name that matched
    Span span;
    bool special = false;  // a block that lt runs: bpftrace's special probes
    There there;
    std::vector<SharedPlace> members;
    std::vector<Rung> rungs;
};

// The part of a location, or an empty one if it is of another kind.
const KernelFunction& kernel_function(const ResolvedPlace& place);  // or a raw tracepoint
const UserFunction& user_function(const ResolvedPlace& place);      // also a marker, or a source line of the kernel
const Tracepoint& record(const ResolvedPlace& place);               // its fields are in the context
const EventPlace& event_place(const ResolvedPlace& place);
const ObjectsPlace& objects(const ResolvedPlace& place);

// Do the names in `args` come from debug information, as in a program or at a source line of the kernel?
bool has_debug_scope(const ResolvedPlace& place);
bool in_program(const ResolvedPlace& place);       // a function or an instruction of one
bool runs_in_program(const ResolvedPlace& place);  // also a marker in one

bool is_decoded(const ResolvedPlace& place);  // are its returns found by decoding?

std::string_view type_of_probe(const ResolvedPlace& place);  // the value of `probetype`

// Does one program serve many system calls, at the entry or exit of all calls?
bool serves_system_calls(const ResolvedPlace& place);

// Is it at a tracepoint of system calls?
bool is_system_call(const ResolvedPlace& place);

// Is it one of many whose programs are called by number?
bool called_by_number(const ResolvedPlace& place);
// The number of words of a function's arguments: a structure that is passed by value can have two.
uint32_t argument_words(const KernelFunction& function);

// The text of `probe` if it is not known which location of the pattern it is.
const std::string& pattern_text(const ResolvedPlace& place);

// The text of `probe`, and the name of the function, for each location that one program serves, in the order of
// members.
std::vector<std::string> place_texts(const ResolvedPlace& place);
std::vector<std::string> function_names(const ResolvedPlace& place);

// The meaning of a name in an expression.
struct VariableUse {
    Variable id;
    uint32_t number = 0;
};  // number: of arg0, arg1 ...
struct FieldUse {
    Field field;
};
struct SourceUse {
    FieldSource source;
};  // a field of a tracepoint that is read from its arguments
struct ProgramUse {
    ProgramVariable variable;
};  // a parameter or a variable of a program
struct ArgumentsUse {
    std::vector<Field> fields;
    std::vector<ProgramVariable> variables;
};  // all named arguments of a location; in a program, those that can be read
struct MemberUse {
    Member member;
};  // of a structure, or a part of a tuple
struct ConstantUse {
    int64_t value;
};  // an enumerator, a size
struct MapUse {
    uint32_t index;
};
struct LocalUse {
    uint32_t index;
};
struct CallUse {
    Function id;
    std::vector<Member> narrow = {};
};  // narrow: of syscall_name(), the path to the word that distinguishes 32-bit calls, if the call may be one
struct SpanUse {
    uint32_t index;
};  // a span's name
struct ParamUse {
    uint32_t index;
};
// $pair, $pair.0 and $pair.1 of a loop over a map: both as a tuple, the key (a tuple if it has several parts) or a part
// of it, or the value.
struct PairUse {
    uint32_t local;
    uint32_t map;
    bool is_value;
    uint32_t part;
    bool is_both = false;
};
struct TextsUse {
    std::vector<std::string> texts;
};  // typeinfo()
struct CounterUse {
    PerfEvent event;
};  // counter()
using Use = std::variant<std::monostate, VariableUse, FieldUse, ProgramUse, MemberUse, ConstantUse, MapUse, LocalUse,
                         CallUse, SpanUse, ParamUse, PairUse, ArgumentsUse, TextsUse, CounterUse, SourceUse>;

constexpr uint32_t no_map = ~0u;
struct LocalInfo {
    std::string name;
    Type type;
    uint32_t width = 0;         // bytes of the widest integer assigned (stored in 8 bytes); 0 if there is none
    uint32_t own_size = 0;      // the sizeof() of an integer or a tuple in bpftrace's dialect
    bool in_block = false;      // declared: new in each turn of an enclosing loop
    bool has_type = false;      // declared with a type
    uint32_t pair_of = no_map;  // the map, for the pair of a loop
    Type signs = {};            // of a tuple, as MapInfo::value_signs
};

// The role of a location in its item.
enum class Role : uint8_t {
    action,  // runs a block
    call,    // a span from here to the return of the same call
    open,    // opens a span between two events
    close,   // closes a span between two events
};

constexpr uint32_t no_span = ~0u;

struct Body {
    uint32_t item = 0;  // index into ast::Program::items
    Role role = Role::action;
    uint32_t span = no_span;  // index into Typed::spans
    uint32_t endpoint = 0;    // index into the span's openings or closers
    ResolvedPlace place;
    std::vector<Type> types;         // by ExprId; kind none for expressions of other items
    std::vector<Use> uses;           // by ExprId
    std::vector<uint32_t> declared;  // by StmtId: the local that a `let` or a loop declares
    std::vector<LocalInfo> locals;
    std::vector<LocalInfo> timeout_locals;  // of the block of the timeout
    bool host = false;                      // lt runs the block, not the kernel
    Type result = {};                       // of a program's function, if debug information has it and the item uses it
    bool only_host = false;                 // the kernel cannot run it
};

// Kinds of map that a script can declare: let @x = lruhash(1000).
struct MapKind {
    std::string_view name;
    bool per_cpu;
    bool forgets;  // a full map drops the least recently used key
};
inline constexpr std::array map_kinds{
    MapKind{"hash", false, false},
    MapKind{"lruhash", false, true},
    MapKind{"percpuhash", true, false},
    MapKind{"percpulruhash", true, true},
};

struct MapInfo {
    std::string name;  // with the @
    Span first;        // its first use
    std::vector<Type> key;
    Type value;  // kind none if nothing was ever assigned
    bool seen_key = false;
    bool written = false;               // assigned with =, perhaps from a value of unknown type
    const MapKind* declared = nullptr;  // from `let @x = kind(entries)`; null if not declared
    Span declared_at = {};
    uint32_t entries = 0;  // 0: the default
    // The types of the value and of the key once more. An integer in them is signed if a value other than a literal
    // that fits both signs was found for it.
    Type value_signs = {};
    std::vector<Type> key_signs = {};
    std::vector<int64_t> extracted = {};  // the parts that samples() collects, as in its shape; empty for none
};

// One span of the program. All locations that open and close it share its state.
struct SpanInfo {
    uint32_t item = 0;
    std::string name;               // may be empty
    std::string text;               // of its endpoints, for messages
    std::optional<uint32_t> worst;  // `> worst`: the parameter with the longest latency so far
    bool between_events = false;
    bool task_storage = false;  // otherwise its state is in a hash by thread
    std::vector<Type> key;      // between two events
    uint32_t opening = 0;       // index of the first body that opens it
    bool by_frame = false;      // the returns of some of its calls are found by decoding: SpanState::frame
    bool why = false;           // the script asks where its time goes
    bool longest_wait = false;  // and for its longest wait
    // The arguments of entry() between two events, and what the block of a timeout uses of a call's opening, with a
    // type that fits every opening.
    struct Entry {
        ast::ExprId argument;
        Type type;
        uint32_t first = 0;  // index of the body that decided its kind
    };
    std::vector<Entry> entries;
};

// The kernel's part in `why`. Paths begin at a task, or at the structure that the previous path leads to.
struct WhyFacts {
    std::vector<Member> state, mm, mmap_lock;
    // Whether a thread has used up its CPU quota: a member of the task, or of its run queue; both empty: unknown.
    std::vector<Member> throttled, queue, queue_throttled;
    std::vector<std::string> events;  // the raw tracepoints that this kernel has, of those that are used
    // Of single waits: the number and name of a task, and the owner in a `struct mutex` and a `struct rw_semaphore`.
    std::vector<Member> pid, comm, mutex_owner, rwsem_owner;
    // Of the owners of a program's locks: the number in the own PID namespace (`thread_pid` of a task, `level` and
    // `numbers` of a struct pid); empty if the kernel does not have all, or cannot give the registers of a thread.
    std::vector<Member> thread_pid, level, numbers;
};

// A parameter. Integers and durations have 8 bytes, strings param_text bytes, so that any value can be set while the
// program runs.
struct ParamInfo {
    std::string name;
    Span span;
    Type type;
    std::vector<uint8_t> bytes;  // its value
    std::string help;
};

struct Typed {
    std::vector<ParamInfo> params;
    std::vector<Body> bodies;
    std::vector<SpanInfo> spans;
    std::vector<MapInfo> maps;
    bool unsafe = false;          // as in ResolveOptions
    bool strings_grow = false;    // while checking: a string that is joined to itself has the maximum size
    bool accounts = false;        // report at the end what is open
    bool assume_numbers = false;  // while checking: anything still without a type is a number
    bool assume_sums = false;     // while checking: an operand without a type next to an integer is an integer
    bool timestamps = false;      // records have the time at which they were written
    Traced traced;                // the processes whose events are collected
    // If spans between two events have threads in their keys, the event at which a thread is gone.
    std::optional<ThreadEvent> thread_end;
    std::optional<WhyFacts> why;       // if a span uses `why`
    bool looks_through = false;        // programs can walk a map
    bool renumbered = false;           // as Kernel::renumbers_processes(): programs use the ids of lt's PID namespace
    bool sampled = false;              // as in ResolveOptions
    bool skips_own = false;            // what lt's own process does is left out
    std::optional<uint32_t> max_keys;  // entries of each keyed map and each span's hash; otherwise the default
    std::vector<Assumption> assumed;   // about the machine
    Abilities abilities;               // of the kernel
};

std::string dump(const ast::Program& program, const Typed& typed);

}  // namespace lt
