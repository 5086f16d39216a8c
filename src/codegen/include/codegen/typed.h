// The program as understood: every probe names one existing place, every expression has a type. Side tables beside the
// tree, which stays as it was parsed. One Body per (item, place), since the same text can mean different types at
// different places.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/marker_argument.h"
#include "parser/ast.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "stdlib/builtins.h"
#include "stdlib/probes.h"

namespace lt {

// One of the places that one program serves.
struct SharedPlace {
    std::string text;      // as of `probe`
    std::string function;  // of the kernel
    UserFunction user;
    uint64_t semaphore = 0;    // as Marker
    uint32_t system_call = 0;  // its number
};

// Of a system call whose program can be called by its number, as it is where it is one of many that differ.
struct CallByNumber {
    std::string pattern;             // as typed, else the text of the place
    uint32_t number = 0;             // of the call
    uint64_t entry = 0, at_end = 0;  // where it is so called: ids of the tracepoints of all calls
};

// One existing place (or, with members, several that are served by one program and for which `function` and `user`
// describe nothing but the first's name), and the ways to get there in the order in which they are tried. Attachments
// are filled in by the lowering.
struct ResolvedPlace {
    ProbeKind kind = ProbeKind::begin;
    std::string text;  // as typed, for a wildcard: with the name it stands for
    Span span;
    bool special = false;  // is it a block of lt's own, which bpftrace's programs call special?
    uint64_t period_ns = 0;
    KernelFunction function;
    uint64_t offset = 0;    // of a kprobe, from the function's beginning
    Tracepoint tracepoint;  // a system call's: the one at its entry
    Tracepoint exit;        // a system call's
    UserFunction user;
    Type result;  // of a program's function, where its debug information tells it and the item asks for it
    PerfEvent perf;
    int signal = 0;
    std::string set_param;                  // of self:set:NAME
    std::vector<MarkerArgument> arguments;  // of a USDT marker
    std::string context;                    // "struct bpf_iter__task"
    std::optional<Member> object;           // of that: null where the walk is over
    std::vector<SharedPlace> members;
    std::vector<Member>
        narrow;  // of many system calls: the path from a task to the word that says of what width one is
    std::optional<CallByNumber> by_number;
    std::vector<Rung> rungs;
};

// Do names in `args` stand for what debug information tells of the place: in a program, at a line of the kernel's?
bool has_debug_scope(const ResolvedPlace& place);
bool in_program(const ResolvedPlace& place);       // a function or an instruction of one
bool runs_in_program(const ResolvedPlace& place);  // that, or a marker in one

std::string_view type_of_probe(const ResolvedPlace& place);  // what `probetype` is there

// Does one program serve many system calls, where all of them begin, or end?
bool serves_system_calls(const ResolvedPlace& place);

// Is it one of many, called by its number?
bool called_by_number(const ResolvedPlace& place);
// How many words the arguments of a function take: a structure that is passed by value can take two.
uint32_t argument_words(const KernelFunction& function);

// The text of `probe` where nobody knows which of the places of its pattern it is.
const std::string& pattern_text(const ResolvedPlace& place);

// The text of `probe`, and the name of the function, for each place that one program serves, in the order of members.
std::vector<std::string> place_texts(const ResolvedPlace& place);
std::vector<std::string> function_names(const ResolvedPlace& place);

// What a name in an expression stands for.
struct VariableUse {
    Variable id;
    uint32_t number = 0;
};  // number: of arg0, arg1 ...
struct FieldUse {
    Field field;
};
struct ProgramUse {
    ProgramVariable variable;
};  // a parameter or a variable of a program
struct ArgumentsUse {
    std::vector<Field> fields;
    std::vector<ProgramVariable> variables;
};  // all named arguments of a place: those of a program that can be read
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
};
struct SpanUse {
    uint32_t index;
};  // a span's name
struct ParamUse {
    uint32_t index;
};
// $pair, $pair.0 and $pair.1 of a loop over a map: both in a tuple, the key (a tuple where it has several parts) or a
// part of it, the value.
struct PairUse {
    uint32_t local;
    uint32_t map;
    bool is_value;
    uint32_t part;
    bool is_both = false;
};
struct TextsUse {
    std::vector<std::string> texts;
};  // what typeinfo() says
struct CounterUse {
    PerfEvent event;
};  // counter()
using Use = std::variant<std::monostate, VariableUse, FieldUse, ProgramUse, MemberUse, ConstantUse, MapUse, LocalUse,
                         CallUse, SpanUse, ParamUse, PairUse, ArgumentsUse, TextsUse, CounterUse>;

constexpr uint32_t no_map = ~0u;
struct LocalInfo {
    std::string name;
    Type type;
    uint32_t width = 0;         // bytes of the widest integer that was assigned, which is kept in 8; 0: nothing was
    uint32_t own_size = 0;      // what sizeof() says of an integer or a tuple in bpftrace's dialect
    bool in_block = false;      // declared: new in each turn of a loop around it
    bool has_type = false;      // declared with one
    uint32_t pair_of = no_map;  // of a loop over a map
};

// What a place is to its item.
enum class Role : uint8_t {
    action,  // runs a block
    call,    // a span from here to the return of the same call
    open,    // opens a span between two events
    close,   // closes one
};

constexpr uint32_t no_span = ~0u;

struct Body {
    uint32_t item = 0;  // index into ast::Program::items
    Role role = Role::action;
    uint32_t span = no_span;  // index into Typed::spans
    uint32_t endpoint = 0;    // which of the span's openings or closers it is
    ResolvedPlace place;
    std::vector<Type> types;         // by ExprId; kind none for expressions of other items
    std::vector<Use> uses;           // by ExprId
    std::vector<uint32_t> declared;  // by StmtId: the local that a `let` or a loop declares
    std::vector<LocalInfo> locals;
    std::vector<LocalInfo> timeout_locals;  // of the block of its timeout
    bool host = false;                      // lt runs it itself, and not the kernel
    bool only_host = false;                 // nobody else could
};

// One of the kernel's events that tell of a family's threads: the field with the number of a thread lies there.
struct FamilyEvent {
    std::string category, name;
    uint64_t id = 0;  // as Tracepoint
    uint32_t offset = 0;
};

// Whose events are collected.
enum class TracedBy : uint8_t {
    all,
    process,
    family,  // a process and all that it starts from then on; the session tells which
    cgroup,  // all in it or below it
};
struct Traced {
    TracedBy by = TracedBy::all;
    int process = 0;
    uint64_t cgroup = 0;  // the number of its folder
    uint32_t level = 0;   // below the root
    FamilyEvent fork, free;
};

// What a script can declare: let @x = lruhash(1000).
struct MapKind {
    std::string_view name;
    bool per_cpu;
    bool forgets;  // the key that was used longest ago makes room
};
inline constexpr std::array map_kinds{
    MapKind{"hash", false, false},
    MapKind{"lruhash", false, true},
    MapKind{"percpuhash", true, false},
    MapKind{"percpulruhash", true, true},
};

struct MapInfo {
    std::string name;  // with the @
    Span first;        // where it first stands
    std::vector<Type> key;
    Type value;  // kind none: nothing was ever assigned
    bool seen_key = false;
    bool written = false;               // assigned by =, perhaps from a value of unknown type
    const MapKind* declared = nullptr;  // `let @x = kind(entries)`; null: not declared
    Span declared_at = {};
    uint32_t entries = 0;                 // 0: as many as all maps have
    std::vector<int64_t> extracted = {};  // what is asked of samples(), as in their shape; empty: nothing
};

// One span of the program, however many places open and close it; all share its state.
struct SpanInfo {
    uint32_t item = 0;
    std::string name;               // may be empty
    std::string text;               // of its endpoints, for messages
    std::optional<uint32_t> worst;  // `> worst`: the parameter that holds the longest so far
    bool between_events = false;
    bool task_storage = false;  // else its state is in a hash, by thread
    std::vector<Type> key;      // between two events
    uint32_t opening = 0;       // index of the first body that opens it
    // Between two events: what entry() is asked for, with a type that holds it for every opening event.
    struct Entry {
        ast::ExprId argument;
        Type type;
        uint32_t first = 0;  // index of the body that gave it its kind
    };
    std::vector<Entry> entries;
};

// A parameter: integers and durations in 8 bytes, strings in param_text bytes, so that every value can be set while the
// program runs.
constexpr uint32_t param_text = 64;
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
    bool unsafe = false;               // as of ResolveOptions
    bool strings_grow = false;         // while checking: what is joined to itself is as long as any string can be
    bool accounts = false;             // is it to be found out at the end what is open?
    bool assume_numbers = false;       // while checking: nothing more will be learned of what has no type yet
    bool assume_sums = false;          // while checking: what is added to an integer, and has no type yet, is one
    bool timestamps = false;           // do records tell when they were written?
    Traced traced;                     // whose events are collected
    bool renumbered = false;           // as of Kernel::renumbers_processes(): programs ask for the numbers of lt's
    bool sampled = false;              // as of ResolveOptions
    std::optional<uint32_t> max_keys;  // entries of each keyed map and of each span's hash; else what is usual for them
    std::vector<Assumption> assumed;   // about the machine
};

std::string dump(const ast::Program& program, const Typed& typed);

}  // namespace lt
