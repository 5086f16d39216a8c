// What the machine knows, asked through one interface: functions, tracepoints, symbols of programs, features found by
// trying. The tests answer it from a folder (tests/kernel) in the form in which a kernel shows these things.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/program_scope.h"
#include "stdlib/types.h"

namespace lt {

// What a kernel may or may not allow; one row each in the table of features (runtime/features).
enum class Feature : uint8_t {
    btf,         // type information of the kernel
    tracepoint,  // perf events on tracepoints
    raw_tracepoint,
    kprobe,
    kretprobe,
    kprobe_multi,
    kprobe_session,
    fentry,  // programs of fentry and fexit kind
    uprobe,
    uprobe_multi,
    uprobe_session,
    breakpoint,  // hardware execution breakpoints on addresses of the kernel
    ring_buffer,
    task_storage,
    bpf_loop,
    perf_event,       // programs on the clock and other software events
    hardware_events,  // the processor's counters
    watchpoint,       // hardware breakpoints on memory of programs
    iterator,
    override_return,  // bpf_override_return: a program decides what a function returns
};
inline constexpr uint8_t feature_count = static_cast<uint8_t>(Feature::override_return) + 1;

std::string_view feature_name(Feature f);

struct Answer {
    bool yes = false;
    std::string why;  // the cause in words; empty when yes
};

// A named, typed value: a parameter of a function or a field of a tracepoint.
struct Field {
    std::string name;
    Type type;            // kind none: its value cannot be read as an integer or string (a struct by value ...)
    std::string c_type;   // as the kernel spells it, for listings
    uint32_t offset = 0;  // in bytes, of a tracepoint's field in its record; of a parameter: its number, counted from 0
    bool data_location = false;  // __data_loc: a 32-bit word, length << 16 | offset of the bytes in the record
};
// As Assumption::number.
constexpr uint64_t place_of(const Field& f) { return f.offset | uint64_t{f.data_location} << 32; }

struct KernelFunction {
    std::string name;    // as in kallsyms
    std::string module;  // empty: the kernel itself
    bool in_btf = false;
    std::vector<Field> parameters;  // from BTF
    Type result;                    // kind none: returns nothing, or no BTF
};

struct Tracepoint {
    std::string category;
    std::string event;
    uint64_t id = 0;  // for perf_event_open
    std::vector<Field> fields;
};

struct UserFunction {
    std::string path;  // of the file, absolute
    std::string name;
    uint64_t offset = 0;       // in the file, for perf_event_open
    uint64_t size = 0;         // 0: not known
    std::string inlined = {};  // the function that the compiler has put there, if that one is meant
    std::string spoken = {};   // the name in its language, without parameters, where that is another one
};

// Lines of source code, or the functions that stand in a file.
struct SourceQuery {
    std::string function = "*";  // a pattern
    std::string file;            // a path or its end, a pattern
    uint32_t first = 0;
    uint32_t last = 0;      // 0: the functions themselves are meant
    bool relative = false;  // lines are counted from that of the function
    bool inlined = false;   // the places where the compiler has put the functions into others are meant
};

struct SourcePlace {
    UserFunction place;
    std::string text;  // "f@b.c:12"
};

// A variable or a function of a file, seen from an instruction there.
struct UserSymbol {
    int64_t distance = 0;  // bytes behind it
    uint64_t size = 0;     // 0: not known
};

// One place of a USDT marker; a marker that the compiler copied has several.
struct Marker {
    std::string provider, name;
    uint64_t offset = 0;     // in the file
    uint64_t semaphore = 0;  // in the file, of the counter of those who trace it; 0: it has none
    std::string arguments;   // where they are, as the assembler has it: "-4@%edi 8@-16(%rbp)"
};

// The value of an enumerator, with its enumeration as the type.
struct Constant {
    Type type;
    int64_t value = 0;
};

// Types and enumerators that a script declares itself, in C. They hide the kernel's of the same name.
struct Declared {
    struct Parts {
        std::vector<Member> members;
        std::vector<Enumerator> enumerators;
    };
    std::map<std::string, Type, std::less<>> types;  // "struct x", "x_t"
    std::vector<Parts> shapes;                       // by Shape::number, which counts from 1
    std::map<std::string, Constant, std::less<>> constants;
};

class Kernel {
  public:
    virtual ~Kernel() = default;

    virtual Answer can(Feature feature) = 0;
    virtual std::string release() = 0;  // as of uname -r
    // Does the kernel itself answer, when something is attached? Else only what its files say is known.
    virtual bool runs() const = 0;
    // Does lt run in a namespace of processes below the first one, where they have other numbers than the kernel's own?
    virtual bool renumbers_processes() const = 0;

    // Exactly by name, and of a module that matches a pattern where one is given (the kernel itself is vmlinux); no
    // value where this kernel has none. What BTF describes is found there; else the kernel's symbols are read, which it
    // takes long to print.
    virtual std::optional<KernelFunction> function(std::string_view name, std::string_view module = {}) = 0;
    // Names of functions that match a glob pattern, of modules that match another one, sorted, each once.
    virtual std::vector<std::string> functions(std::string_view pattern, std::string_view module = "*") = 0;
    // Is it in the kernel's list of functions that ftrace can hook? No value where the list cannot be read. The list is
    // long, and trying is quicker where few functions are wanted.
    virtual std::optional<bool> traceable(std::string_view function) = 0;
    // Do several functions have this name?
    virtual bool ambiguous(std::string_view function) = 0;
    // Are kprobes forbidden on it?
    virtual bool blacklisted(std::string_view function) = 0;

    // The type of this name of C without qualifiers: "struct file", "union sigval", "enum pid_type", "size_t"; no value
    // where the kernel's type information has none. Structures come without their members.
    virtual std::optional<Type> type(std::string_view name) = 0;
    // The names of all such types with a tag that match a pattern ("struct *inode*"), sorted.
    virtual std::vector<std::string> types(std::string_view pattern) = 0;
    // Those of a structure that the kernel gave, in its order; those of a member without a name stand in its place.
    // Empty where only its name is known.
    virtual const std::vector<Member>& members(const Type& structure) = 0;
    // With all members and enumerators inside it, but not behind addresses: for who shows its values.
    virtual Type whole(Type type) = 0;
    virtual std::optional<Constant> constant(std::string_view name) = 0;
    // From here on these answer for their names, and the kernel for the others.
    virtual void declare(Declared declared) = 0;

    // Definitions in C of the types that these words name or lead to: types and enumerators by their names, and what
    // an address in a member of such a name points to. Accesses to their members are relocated (CO-RE).
    virtual std::string c_types(const std::set<std::string, std::less<>>& words) = 0;

    // The address of a symbol, function or not; no value where there is none or the kernel hides addresses.
    virtual std::optional<uint64_t> symbol(std::string_view name) = 0;
    // The id of the control group whose folder this is.
    virtual Result<uint64_t> cgroup(const std::string& path) = 0;
    // KIND of all structures `bpf_iter__KIND` with a function `bpf_iter_KIND`, sorted.
    virtual std::vector<std::string> iterators() = 0;

    virtual Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) = 0;
    // A tracepoint by its own arguments, as a function's parameters; no value where type information has no such one.
    virtual std::optional<KernelFunction> raw_tracepoint(std::string_view event) = 0;
    virtual std::vector<std::string> raw_tracepoints(std::string_view pattern) = 0;  // sorted
    // "category:event" of all that match, sorted.
    virtual std::vector<std::string> tracepoints(std::string_view category_pattern, std::string_view event_pattern) = 0;

    // The file that a name stands for: a path, or a program looked up in PATH, or a library (libc, libc.so.6) by the
    // loader's cache.
    virtual Result<std::string> binary(std::string_view name) = 0;
    // What tells this file from others of its name: its build id, or a sum over its bytes.
    virtual Result<std::string> build(const std::string& path) = 0;
    virtual Result<UserFunction> user_function(const std::string& path, std::string_view name) = 0;
    virtual Result<UserFunction> user_address(const std::string& path,
                                              uint64_t address) = 0;  // of the file's own address space
    // The symbol, seen from the instruction at this offset in the file.
    virtual Result<UserSymbol> user_symbol(const std::string& path, std::string_view name, uint64_t offset) = 0;
    virtual std::vector<std::string> user_functions(const std::string& path, std::string_view pattern) = 0;
    // Those whose C++ name, with or without its parameters, matches; by their symbols.
    virtual std::vector<std::string> cpp_functions(const std::string& path, std::string_view pattern) = 0;
    // The file with the kernel's own debug information. It is asked about as those of programs are: what lies where in
    // it is named by its function ("f+0x12"), which is how to find it in the kernel itself.
    virtual Result<std::string> debug_file() = 0;
    // By the file's debug information; those of lines are the instructions at which they begin.
    virtual Result<std::vector<SourcePlace>> source_places(const std::string& path, const SourceQuery& query) = 0;
    // What the debug information says of the instruction there. The answer stays where it is.
    virtual const Result<ProgramScope>& program_scope(const UserFunction& place) = 0;
    // A variable outside of all functions, as the instruction sees it.
    virtual std::optional<ProgramVariable> program_global(const std::string& path, uint64_t offset,
                                                          const std::string& name) = 0;
    // A type of a program by its name; it is asked about as those of the kernel are.
    virtual std::optional<Type> program_type(const std::string& path, std::string_view name) = 0;
    // All of a file, in its order.
    virtual Result<std::vector<Marker>> markers(const std::string& path) = 0;
    // The files whose code a process has mapped; 0: any process that runs.
    virtual std::vector<std::string> mapped_files(int process) = 0;
    // The programs and libraries that a pattern of paths stands for, each once; without a folder in PATH and among the
    // libraries.
    virtual std::vector<std::string> binaries(const std::string& pattern) = 0;

    // The text of SOURCE/FILE under the sources of perf events: "cpu/type", "cpu/events/cache-misses".
    virtual Result<std::string> event_source(const std::string& file) = 0;
    // "SOURCE/EVENT" of all named events, sorted.
    virtual std::vector<std::string> source_events() = 0;
};

// Where a kernel shows itself. Empty members: the running kernel's own places; tracefs and debugfs are then mounted
// privately (a detached mount that only this process sees) where the system has not mounted them.
struct KernelPlaces {
    std::string root;  // a folder with: release, features, kallsyms, btf, available_filter_functions, blacklist,
                       // events/CATEGORY/EVENT/{format,id}, bin/...
    std::vector<std::string> debug_folders = {};  // in which debug files are looked for before /usr/lib/debug
    std::string traceable = {};  // a file with the functions that patterns may stand for, instead of the kernel's list
};

// With a root: answers from that folder only, touching no kernel ("features" has lines `name: yes` or `name: no
// (why)`).
Result<std::unique_ptr<Kernel>> open_kernel(const KernelPlaces& places);

}  // namespace lt
