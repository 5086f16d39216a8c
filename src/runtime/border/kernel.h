// One interface to what the machine knows: functions, tracepoints, symbols of programs, and features, which are found
// by trying. Tests read the answers from a folder (tests/kernel) in the kernel's own formats.
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
#include "runtime/border/machine.h"
#include "runtime/border/programs.h"
#include "stdlib/types.h"

namespace lt {

// Features that a kernel may or may not support; one row each in the table of features (runtime/features).
enum class Feature : uint8_t {
    btf,         // type information of the kernel
    tracepoint,  // perf events on tracepoints
    raw_tracepoint,
    kprobe,
    kretprobe,
    kprobe_multi,
    kprobe_session,
    fentry,  // fentry and fexit programs
    uprobe,
    uprobe_multi,
    uprobe_session,
    breakpoint,  // hardware execution breakpoints on kernel addresses
    ring_buffer,
    task_storage,
    bpf_loop,
    perf_event,       // programs on the clock and other software events
    hardware_events,  // hardware counters
    watchpoint,       // hardware watchpoints on memory of programs
    iterator,
    override_return,  // bpf_override_return: a program sets what a function returns
    atomics,          // instructions for exchange, compare-and-exchange, and fetch-and-add
    attach_cookie,    // attach cookies: a program with many locations learns where it runs
    map_walk,         // loops over maps
    cpu_lookup,       // programs can read the values of other CPUs
    function_values,  // helpers that give a trampoline program the arguments and the result
    large_keys,       // maps with keys of more than largest_stack_key bytes
};
inline constexpr uint8_t feature_count = static_cast<uint8_t>(Feature::large_keys) + 1;

inline constexpr uint32_t largest_stack_key = 512;  // the stack of a BPF program

std::string_view feature_name(Feature f);

struct Answer {
    bool yes = false;
    std::string why;  // the reason in words; empty for yes
};

// A named, typed value: a parameter of a function or a field of a tracepoint.
struct Field {
    std::string name;
    Type type;                   // kind none: not readable as an integer or string (a struct by value ...)
    std::string c_type;          // in the kernel's spelling, for listings
    uint32_t offset = 0;         // a tracepoint's field: offset in the record, in bytes; a parameter: its index, from 0
    bool data_location = false;  // __data_loc: a 32-bit word, length << 16 | offset of the bytes in the record
    bool relative = false;       // __rel_loc: likewise, but the offset counts from the end of the word
};
// In the form of Assumption::number.
constexpr uint64_t place_of(const Field& f) {
    return f.offset | uint64_t{f.data_location} << 32 | uint64_t{f.relative} << 33;
}

// Functions of loaded BPF programs have names "ID:NAME", with the program's id.
struct BpfFunction {
    uint32_t program = 0;
    std::string_view name;
};
// No value if it is a function of the kernel.
std::optional<BpfFunction> bpf_function(std::string_view name);
constexpr std::string_view bpf_module = "bpf:";

struct KernelFunction {
    std::string name;    // as in kallsyms, or of a BPF program
    std::string module;  // empty: vmlinux; bpf:ID: a BPF program
    bool in_btf = false;
    std::vector<Field> parameters;  // from BTF
    Type result;                    // kind none: returns nothing, or no BTF
};

// One of the kernel's functions with a given name.
struct NamedCode {
    std::string module;  // empty: vmlinux
    uint64_t size = 0;   // bytes, up to the next symbol; 0: unknown
};

struct Tracepoint {
    std::string category;
    std::string event;
    uint64_t id = 0;  // for perf_event_open
    std::vector<Field> fields;
};

// Is it the kernel's, so that its layout can differ when the program runs?
inline bool of_kernel(const Shape& shape) {
    return !shape.declared && !of_program(shape) && !shape.module.starts_with(bpf_module);
}

// The value of an enumerator; the type is its enumeration.
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

    virtual Programs& programs() = 0;
    virtual Machine& machine() = 0;

    virtual Answer can(Feature feature) = 0;
    virtual std::string release() = 0;  // uname -r
    // Is this a running kernel, which answers when a probe is attached? If not, only its files are known.
    virtual bool runs() const = 0;

    // Finds a function of the kernel or of a BPF program by its exact name and, if `module` is not empty, a pattern for
    // its module (vmlinux: the kernel itself). Looks in BTF first, since the kernel takes long to print its symbols.
    virtual std::optional<KernelFunction> function(std::string_view name, std::string_view module = {}) = 0;
    // Names of functions that match a glob pattern (with a colon: of BPF programs), in modules that match another one;
    // sorted and unique.
    virtual std::vector<std::string> functions(std::string_view pattern, std::string_view module = "*") = 0;
    // Is it in the kernel's list of functions that ftrace can hook? No value if the list cannot be read. The list is
    // long; for a few functions it is quicker to try.
    virtual std::optional<bool> traceable(std::string_view function) = 0;
    // Do several functions share this name?
    virtual bool ambiguous(std::string_view function) = 0;
    // All functions with this name, those of modules last. Reads all symbols of the kernel.
    virtual std::vector<NamedCode> named_code(std::string_view) { return {}; }
    // Does the kernel's blacklist forbid kprobes on it?
    virtual bool blacklisted(std::string_view function) = 0;

    // The type with this C name, without qualifiers: "struct file", "union sigval", "enum pid_type", "size_t"; no value
    // if BTF does not have it. Structures come without their members.
    virtual std::optional<Type> type(std::string_view name) = 0;
    // The names of all tagged types that match a pattern ("struct *inode*"), sorted.
    virtual std::vector<std::string> types(std::string_view pattern) = 0;
    // The members of one of the kernel's structures, in order; an unnamed member is replaced by its own members. Empty
    // if the structure is only declared.
    virtual const std::vector<Member>& members(const Type& structure) = 0;
    // With all members and enumerators, but not of types that it points to: for printing values.
    virtual Type whole(Type type) = 0;
    virtual std::optional<Constant> constant(std::string_view name) = 0;
    // Afterwards these types answer to their names, and the kernel's to all others.
    virtual void declare(Declared declared) = 0;

    // C definitions of the types that these words name or lead to: types and enumerators by name, and what a member of
    // such a name points to. Member accesses are relocated (CO-RE).
    virtual std::string c_types(const std::set<std::string, std::less<>>& words) = 0;

    // The address of a symbol, function or not; no value if there is none or the kernel hides addresses.
    virtual std::optional<uint64_t> symbol(std::string_view name) = 0;
    // The KIND of each structure `bpf_iter__KIND` with a function `bpf_iter_KIND`, sorted.
    virtual std::vector<std::string> iterators() = 0;

    virtual Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) = 0;
    // A tracepoint's own arguments as a function's parameters; no value if BTF does not have it.
    virtual std::optional<KernelFunction> raw_tracepoint(std::string_view event) = 0;
    virtual std::vector<std::string> raw_tracepoints(std::string_view pattern) = 0;  // sorted
    // "category:event" for all that match, sorted.
    virtual std::vector<std::string> tracepoints(std::string_view category_pattern, std::string_view event_pattern) = 0;

    // The file with the kernel's own debug information. Queries work as for programs; addresses in it are relative to a
    // function ("f+0x12"), which is how to find them in the running kernel.
    virtual Result<std::string> debug_file() = 0;
};

// Where to read a kernel's files. Empty members mean the running kernel's own; tracefs and debugfs are then mounted
// privately (a detached mount that only this process sees) unless the system has mounted them.
struct KernelPlaces {
    std::string root;  // a folder with: release, features, kallsyms, btf, available_filter_functions, blacklist,
                       // events/CATEGORY/EVENT/{format,id}, bin/...
    std::vector<std::string> debug_folders = {};  // searched for debug files before /usr/lib/debug
    std::string traceable = {};  // a file with the functions that patterns match, instead of the kernel's list
};

// With a root: answers from that folder only, without a kernel ("features" has lines `name: yes` or `name: no (why)`).
Result<std::unique_ptr<Kernel>> open_kernel(const KernelPlaces& places);

}  // namespace lt
