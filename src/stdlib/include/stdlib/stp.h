// What the names of SystemTap are in lt, one row each: probe points, functions. What needs more than a row is written
// in SystemTap's language itself, in lib/*.stp, which is part of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lt {

// A shape of probe points and what it becomes. In `shape` (s) stands for a string and (n) for a number, which are put
// in the places of {0}, {1} ... in the other columns. A row with a refusal becomes nothing.
struct StpPoint {
    std::string_view shape;
    std::string_view probe;  // "kprobe:{0}"; empty: never runs
    std::string_view entry;  // of a return: the probe at the entry, where the body asks for what was there; else empty
    std::string_view variables;  // what $x is: "args.x" of `args`, "arg0" of `$arg1`; empty: there are none
    std::string_view result;     // what $return is: "retval", "args.ret"; empty: there is none
    std::string_view refusal = {};
    std::string_view hint = {};
};

std::span<const StpPoint> stp_points();

// How the call of a function is written in lt.
enum class StpForm : uint8_t {
    value,      // a variable, a whole number
    text,       // a variable, a string
    call,       // a function of the same arguments that gives a number
    text_call,  // one that gives a string
    symbol,     // one that gives a name, of which a string is made where it is not printed at once
    act,        // one that gives nothing
    printf,     // a format and values
    print,      // values one behind the other
    println,
    printd,  // a delimiter, then values
    printdln,
    sprint,  // a string as the value, of which only printing functions know what to do
    sprintln,
    sprintd,
    sprintdln,
    sprintf,
    memory,             // text at an address, which may be followed by what it is where it cannot be read
    bytes,              // text at an address, of so many bytes at most; likewise
    memory_or_nothing,  // an empty one where it cannot be read
    bytes_or_nothing,
    memory_bytes,   // bytes at an address, so many
    memory_quoted,  // the same in quotes, at most so many characters
    kernel_number,  // a number at an address of the kernel: its type in C
    user_number,    // the same of the process that runs, 0 where it cannot be read
    user_number_or_error,
    target,
    show,       // print() of a variable
    format,     // a function whose argument is a format
    argument,   // of the function, by its number
    register_,  // by its name: int or uint, as it is extended to 64 bits
    fact,       // about the probe, which is known when it is compiled
    place,      // of what lies at an address of the process, with lines of the source
    delay,      // in a unit of so many nanoseconds
    error,      // a message, and the end
    abort,      // the end of the run and of the handler
    refused,
};

struct StpFunction {
    std::string_view name;
    uint32_t least;  // arguments
    uint32_t most;
    StpForm form;
    std::string_view lt;  // the name there, and words that are given to it, too; of a refusal the hint
};

const StpFunction* find_stp_function(std::string_view name);
std::span<const StpFunction> stp_functions();

// A system call and how its arguments are shown: a letter for each.
struct StpSystemCall {
    std::string_view name;
    std::string_view arguments;
    std::string_view names;  // of the arguments, as this kernel and SystemTap's pages have them
};
const StpSystemCall* find_stp_system_call(std::string_view name);  // null: not known
// Which argument the name is of, from 0, whether it is the kernel's name or SystemTap's.
std::optional<size_t> stp_argument(const StpSystemCall& call, std::string_view name);

// The set of flag_names() for arguments with this letter; empty: there is none.
std::string_view stp_flag_set(char letter);

// The files of lib/, by the names under which diagnostics tell of them.
struct StpFile {
    std::string_view name;
    std::string_view text;
};
std::span<const StpFile> stp_library();

}  // namespace lt
