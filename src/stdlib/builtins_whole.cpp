// Functions that make one value of many: all arguments of a place, all members of a structure.
#include <array>

#include "tables.h"

namespace lt {
namespace {

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array functions{
    FunctionRow{
        Function::all_args,
        "all_args",
        {Parameter{"which", Want::literal, true}},
        Aggregation::none,
        nothing(),
        "All named arguments of the place, shown as a=0x1 b=0x2; where debug information describes it those that "
        "can be read, with local variables. \"parms\": without these; \"locals\": these alone.",
        "k:vfs_read { print(all_args()); }"},
    FunctionRow{Function::whole,
                "whole",
                {Parameter{"value", Want::value}},
                Aggregation::none,
                nothing(),
                "What an address points to: a structure with all its members, a number, of char the string; any other "
                "value as it is.",
                "k:vfs_read { print(whole(args.pos)); }"},
    FunctionRow{
        Function::syscall_args,
        "syscall_args",
        {},
        Aggregation::none,
        string_type(512),
        "The arguments of a system call as a text: numbers, flags and addresses in hexadecimal digits, strings in "
        "quotes.",
        "sc:open* { printf(\"%s(%s)\\n\", probe, syscall_args()); }"},
};

}  // namespace

std::span<const FunctionRow> whole_functions() { return functions; }

}  // namespace lt
