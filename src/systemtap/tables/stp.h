// SystemTap's names in terms of lt, one row each: probe points and functions. Names that need more than a row are
// written in SystemTap's language, in lib/*.stp, which is part of the binary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lt {

// A shape of probe points and its translation. In `shape`, (s) is a string and (n) a number; they replace {0}, {1} ...
// in the other columns. A row with a refusal has no translation.
struct StpPoint {
    std::string_view shape;
    std::string_view probe;  // "kprobe:{0}"; empty: never runs
    std::string_view entry;  // for a return: the probe at the entry, if the body uses values of the entry; else empty
    std::string_view variables;  // the form of $x: "args.x" for `args`, "arg0" for `$arg1`; empty: there are none
    std::string_view result;     // the form of $return: "retval", "args.ret"; empty: there is none
    std::string_view refusal = {};
    std::string_view hint = {};
};

std::span<const StpPoint> stp_points();

// How lt writes the call of a function.
enum class StpForm : uint8_t {
    value,      // a variable, a whole number
    text,       // a variable, a string
    call,       // a function with the same arguments that returns a number
    text_call,  // one that returns a string
    symbol,     // one that returns a name, which becomes a string unless it is printed directly
    act,        // one without a result
    printf,     // a format and values
    print,      // values one after the other
    println,
    printd,  // a delimiter, then values
    printdln,
    sprint,  // a string as the value, for printing functions only
    sprintln,
    sprintd,
    sprintdln,
    sprintf,
    memory,             // text at an address, optionally followed by the text to use if it cannot be read
    bytes,              // text at an address, with a maximum length; the same option
    memory_or_nothing,  // an empty text if it cannot be read
    bytes_or_nothing,
    memory_bytes,   // bytes at an address, with their number
    memory_quoted,  // the same in quotes, with a maximum number of characters
    kernel_number,  // a number at a kernel address: its C type
    user_number,    // the same for the current process, 0 if it cannot be read
    user_number_or_error,
    target,
    show,       // print() of a variable
    format,     // a function whose argument is a format
    argument,   // of the function, by number
    register_,  // by name: int or uint, as it is extended to 64 bits
    fact,       // about the probe, known at compile time
    place,      // the symbol at an address of the process, with source lines
    delay,      // in units of this many nanoseconds
    error,      // a message, and the end
    abort,      // the end of the run and of the handler
    refused,
};

struct StpFunction {
    std::string_view name;
    uint32_t least;  // arguments
    uint32_t most;
    StpForm form;
    std::string_view lt;  // lt's name, and words passed to it; for a refusal the hint
};

const StpFunction* find_stp_function(std::string_view name);
std::span<const StpFunction> stp_functions();

// A system call and the format of its arguments: a letter for each.
struct StpSystemCall {
    std::string_view name;
    std::string_view arguments;
    std::string_view names;  // of the arguments, from the kernel and from SystemTap's manual pages
};
const StpSystemCall* find_stp_system_call(std::string_view name);  // null: unknown
// The index of the argument with this name, whether it is the kernel's name or SystemTap's.
std::optional<size_t> stp_argument(const StpSystemCall& call, std::string_view name);

// The set of flag_names() for arguments with this letter; empty: none.
std::string_view stp_flag_set(char letter);

// The files of lib/, by the names that diagnostics use.
struct StpFile {
    std::string_view name;
    std::string_view text;
};
std::span<const StpFile> stp_library();

}  // namespace lt
