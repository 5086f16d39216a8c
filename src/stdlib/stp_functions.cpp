// Functions of SystemTap that a function or variable of lt is for. Those that need more are in lib/*.stp.
#include <algorithm>
#include <array>

#include "stdlib/stp.h"

namespace lt {
namespace {

// name, arguments, form, name in lt
constexpr std::array rows{
    StpFunction{"pid", 0, 0, StpForm::value, "pid"},
    StpFunction{"tid", 0, 0, StpForm::value, "tid"},
    StpFunction{"ppid", 0, 0, StpForm::value, "ppid"},
    StpFunction{"uid", 0, 0, StpForm::value, "uid"},
    StpFunction{"euid", 0, 0, StpForm::value, "uid"},
    StpFunction{"gid", 0, 0, StpForm::value, "gid"},
    StpFunction{"egid", 0, 0, StpForm::value, "gid"},
    StpFunction{"cpu", 0, 0, StpForm::value, "cpu"},
    StpFunction{"execname", 0, 0, StpForm::text, "comm"},
    StpFunction{"pexecname", 0, 0, StpForm::text, "pcomm"},
    StpFunction{"task_current", 0, 0, StpForm::value, "curtask"},
    StpFunction{"pp", 0, 0, StpForm::text, "probe"},
    StpFunction{"pn", 0, 0, StpForm::text, "probe"},
    StpFunction{"ppfunc", 0, 0, StpForm::text, "func"},
    StpFunction{"probefunc", 0, 0, StpForm::text, "func"},
    StpFunction{"jiffies", 0, 0, StpForm::value, "jiffies"},
    StpFunction{"get_cycles", 0, 0, StpForm::value, "nsecs"},
    StpFunction{"local_clock_ns", 0, 0, StpForm::value, "nsecs"},

    StpFunction{"printf", 1, 64, StpForm::printf, ""},
    StpFunction{"print", 0, 64, StpForm::print, ""},
    StpFunction{"println", 0, 64, StpForm::println, ""},
    StpFunction{"printd", 2, 64, StpForm::printd, ""},
    StpFunction{"printdln", 2, 64, StpForm::printdln, ""},
    StpFunction{"log", 1, 1, StpForm::println, ""},
    StpFunction{"warn", 1, 1, StpForm::println, "warnf"},
    StpFunction{"error", 1, 1, StpForm::error, "errorf"},
    StpFunction{"sprint", 1, 64, StpForm::sprint, ""},
    StpFunction{"sprintln", 0, 64, StpForm::sprintln, ""},
    StpFunction{"sprintd", 2, 64, StpForm::sprintd, ""},
    StpFunction{"sprintdln", 2, 64, StpForm::sprintdln, ""},
    StpFunction{"sprintf", 1, 64, StpForm::sprintf, ""},
    StpFunction{"exit", 0, 0, StpForm::act, "exit"},

    StpFunction{"strlen", 1, 1, StpForm::call, "strlen"},
    StpFunction{"substr", 3, 3, StpForm::text_call, "substr"},
    StpFunction{"isinstr", 2, 2, StpForm::call, "strcontains"},
    StpFunction{"=~", 2, 2, StpForm::call, "matches"},
    StpFunction{"strtol", 2, 2, StpForm::call, "strtol"},
    StpFunction{"kernel_string", 1, 2, StpForm::memory, "kptr"},
    StpFunction{"user_string", 1, 2, StpForm::memory, "uptr"},
    StpFunction{"user_string_quoted", 1, 1, StpForm::memory_or_nothing, "uptr"},
    StpFunction{"kernel_string2", 2, 2, StpForm::memory, "kptr"},
    StpFunction{"kernel_string_quoted", 1, 1, StpForm::memory_or_nothing, "kptr"},
    StpFunction{"user_string2", 2, 2, StpForm::memory, "uptr"},
    StpFunction{"kernel_string_n", 2, 3, StpForm::bytes, "kptr"},
    StpFunction{"user_string_n", 2, 3, StpForm::bytes, "uptr"},
    StpFunction{"user_string_n2", 3, 3, StpForm::bytes, "uptr"},
    StpFunction{"user_string_n_quoted", 2, 2, StpForm::bytes_or_nothing, "uptr"},
    StpFunction{"__memory", 2, 2, StpForm::memory_bytes, ""},  // of %m and %M
    StpFunction{"kernel_char", 1, 1, StpForm::kernel_number, "int8"},
    StpFunction{"kernel_short", 1, 1, StpForm::kernel_number, "int16"},
    StpFunction{"kernel_int", 1, 1, StpForm::kernel_number, "int32"},
    StpFunction{"kernel_long", 1, 1, StpForm::kernel_number, "int64"},
    StpFunction{"kernel_pointer", 1, 1, StpForm::kernel_number, "uint64"},
    StpFunction{"user_char", 1, 2, StpForm::user_number, "int8"},
    StpFunction{"user_short", 1, 2, StpForm::user_number, "int16"},
    StpFunction{"user_ushort", 1, 2, StpForm::user_number, "uint16"},
    StpFunction{"user_int", 1, 2, StpForm::user_number, "int32"},
    StpFunction{"user_long", 1, 2, StpForm::user_number, "int64"},
    StpFunction{"user_ulong", 1, 2, StpForm::user_number, "uint64"},
    StpFunction{"user_int8", 1, 1, StpForm::user_number, "int8"},
    StpFunction{"user_int16", 1, 1, StpForm::user_number, "int16"},
    StpFunction{"user_int32", 1, 1, StpForm::user_number, "int32"},
    StpFunction{"user_int64", 1, 1, StpForm::user_number, "int64"},
    StpFunction{"user_uint8", 1, 1, StpForm::user_number, "uint8"},
    StpFunction{"user_uint16", 1, 1, StpForm::user_number, "uint16"},
    StpFunction{"user_uint32", 1, 1, StpForm::user_number, "uint32"},
    StpFunction{"user_uint64", 1, 1, StpForm::user_number, "uint64"},
    StpFunction{"user_mode", 0, 0, StpForm::value, "usermode"},
    StpFunction{"symdata", 1, 1, StpForm::symbol, "ksym"},
    StpFunction{"usymdata", 1, 1, StpForm::text_call, "usym"},
    StpFunction{"symname", 1, 1, StpForm::symbol, "ksym"},
    StpFunction{"usymname", 1, 1, StpForm::text_call, "usym"},
    StpFunction{"backtrace", 0, 0, StpForm::text, "kstack"},
    StpFunction{"ubacktrace", 0, 0, StpForm::text, "ustack"},
    StpFunction{"sprint_backtrace", 0, 0, StpForm::text, "kstack"},
    StpFunction{"sprint_ubacktrace", 0, 0, StpForm::text, "ustack"},
    StpFunction{"callers", 1, 1, StpForm::text, "kstack"},
    StpFunction{"print_backtrace", 0, 0, StpForm::show, "kstack"},
    StpFunction{"print_ubacktrace", 0, 0, StpForm::show, "ustack"},
    StpFunction{"print_ubacktrace_brief", 0, 0, StpForm::show, "ustack"},
    StpFunction{"print_stack", 1, 1, StpForm::act, "print"},
    StpFunction{"print_syms", 1, 1, StpForm::act, "print"},
    StpFunction{"print_usyms", 1, 1, StpForm::act, "print"},
    StpFunction{"print_ustack", 1, 1, StpForm::act, "print"},
    StpFunction{"raise", 1, 1, StpForm::act, "signal_thread"},
    StpFunction{"system", 1, 1, StpForm::format, "system"},
    StpFunction{"mdelay", 1, 1, StpForm::delay, "1000000"},
    StpFunction{"udelay", 1, 1, StpForm::delay, "1000"},
    StpFunction{"setsockopt", 3, 3, StpForm::call, "setsockopt"},
    StpFunction{"int_arg", 1, 1, StpForm::argument, "int32"},
    StpFunction{"uint_arg", 1, 1, StpForm::argument, "uint32"},
    StpFunction{"long_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"longlong_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"ulong_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"ulonglong_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"u32_arg", 1, 1, StpForm::argument, "uint32"},
    StpFunction{"s32_arg", 1, 1, StpForm::argument, "int32"},
    StpFunction{"s64_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"u64_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"pointer_arg", 1, 1, StpForm::argument, "int64"},
    StpFunction{"returnval", 0, 0, StpForm::value, "retval"},
    StpFunction{"target", 0, 0, StpForm::target, ""},

    StpFunction{"usymfileline", 1, 1, StpForm::refused, "lt reads no lines from debug information: usymname()"},
    StpFunction{"pid2task", 1, 1, StpForm::refused, "pid2execname() is there; task_current() is the one that runs"},
    StpFunction{"text_str", 1, 1, StpForm::refused, "print the text as it is"},
    StpFunction{"printk", 1, 64, StpForm::refused, "print to lt's own output: printf()"},
    StpFunction{"panic", 1, 1, StpForm::refused, "nothing that lt loads can do that"},
};

}  // namespace

std::span<const StpFunction> stp_functions() { return rows; }

const StpFunction* find_stp_function(std::string_view name) {
    const auto* found = std::find_if(rows.begin(), rows.end(), [&](const StpFunction& r) { return r.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace lt
