// Functions that make one value of many: all arguments of a location, all members of a structure.
#include <array>

#include "stdlib/functions/tables.h"

namespace lt {
namespace {

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array of_whole{
    FunctionRow{Function::all_args,
                "all_args",
                {Parameter{"which", Want::literal, true}},
                Aggregation::none,
                nothing(),
                "All named arguments of the location that are numbers or addresses, printed as a=0x1 b=0x2; with debug "
                "information those that can be read, and local variables. \"parms\": without these; \"locals\": only "
                "these; \"vars\": both.",
                "k:vfs_read { print(all_args()); }"},
    FunctionRow{Function::whole,
                "whole",
                {Parameter{"value", Want::value}},
                Aggregation::none,
                nothing(),
                "The value at an address: a structure with all its members, a number, for char the string; other "
                "values are unchanged.",
                "k:vfs_read { print(whole(args.pos)); }"},
    FunctionRow{
        Function::syscall_args,
        "syscall_args",
        {},
        Aggregation::none,
        string_type(512),
        "The arguments of a system call as text: numbers, flags and addresses in hexadecimal, strings in quotes.",
        "sc:open* { printf(\"%s(%s)\\n\", probe, syscall_args()); }"},
};

}  // namespace

std::span<const FunctionRow> whole_functions() { return of_whole; }

}  // namespace lt
