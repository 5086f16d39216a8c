// Functions that have something done when their record is read, and those that act on what is traced.
#include <array>

#include "tables.h"

namespace lt {
namespace {

// id, name, parameters, aggregation, result, sentence, example, unsafe
constexpr std::array functions{
    FunctionRow{Function::time,
                "time",
                {Parameter{"format", Want::literal, true}},
                Aggregation::none,
                nothing(),
                "Prints the time as strftime(3) writes it; \"%H:%M:%S\\n\" if no format is given.",
                "interval:1s { time(\"%H:%M:%S \"); print(\"tick\"); }"},
    FunctionRow{Function::join,
                "join",
                {Parameter{"strings", Want::integer}, Parameter{"between", Want::literal, true}},
                Aggregation::none,
                nothing(),
                "Prints the strings of an array of addresses that ends with a null, as argv does, with a blank or "
                "another text between them: up to 16 strings of up to 127 bytes.",
                "u:/bin/bash:readline { join(arg0); }"},
    FunctionRow{Function::cat,
                "cat",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "Prints the file whose path the format gives, up to 10 KB of it.",
                "BEGIN { cat(\"/proc/%d/stat\", pid); exit(); }"},
    FunctionRow{Function::system,
                "system",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "Runs a command of the shell when the record is read, and prints what it prints. Only with --unsafe.",
                "BEGIN { system(\"uname -r\"); exit(); }",
                true},
    FunctionRow{Function::signal,
                "signal",
                {Parameter{"signal", Want::value}},
                Aggregation::none,
                nothing(),
                "Sends a signal to the process that runs, by number or name. Only with --unsafe.",
                "u:/bin/bash:readline { signal(\"SIGUSR1\"); }",
                true},
    FunctionRow{Function::signal_thread,
                "signal_thread",
                {Parameter{"signal", Want::value}},
                Aggregation::none,
                nothing(),
                "Sends a signal to the thread that runs. Only with --unsafe.",
                "u:/bin/bash:readline { signal_thread(10); }",
                true},
    FunctionRow{Function::errorf,
                "errorf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "Prints to standard error, as printf() does, with ERROR: before it.",
                "BEGIN { errorf(\"no such pid: %d\\n\", 7); exit(); }"},
    FunctionRow{Function::warnf,
                "warnf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "Prints to standard error, as printf() does, with WARNING: before it.",
                "BEGIN { warnf(\"slow: %d\\n\", 7); exit(); }"},
    FunctionRow{Function::debugf,
                "debugf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "Writes to the kernel's trace_pipe, at once; up to 3 values by %d, %u, %x and %s. It is slow, and for "
                "looking for mistakes only.",
                "k:vfs_read { debugf(\"pid %d\", pid); }"},
    FunctionRow{Function::assert_,
                "assert",
                {Parameter{"condition", Want::integer}, Parameter{"message", Want::literal}},
                Aggregation::none,
                nothing(),
                "Where the condition is 0, prints the message to standard error, and ends the program.",
                "k:vfs_read { assert(arg2 < 1000000000, \"a huge read\"); }"},
    FunctionRow{
        Function::static_assert_,
        "static_assert",
        {Parameter{"condition", Want::integer}, Parameter{"message", Want::literal}},
        Aggregation::none,
        nothing(),
        "Where the condition, which is known when the program is compiled, is 0, the program is refused with the "
        "message.",
        "BEGIN { static_assert(sizeof(struct task_struct) > 64, \"a small task\"); exit(); }"},
    FunctionRow{Function::fail,
                "fail",
                {Parameter{"message", Want::literal, true}},
                Aggregation::none,
                nothing(),
                "The program is refused with the message.",
                "BEGIN { fail(\"not for this kernel\"); }"},
};

}  // namespace

std::span<const FunctionRow> runtime_functions() { return functions; }

}  // namespace lt
