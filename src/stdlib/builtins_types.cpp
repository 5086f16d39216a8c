// Questions about types and about the kernel that are answered when the program is compiled, and small functions of
// addresses, maps and tasks.
#include <array>

#include "tables.h"

namespace lt {
namespace {

constexpr Type truth_value = truth_type();
constexpr Type u64 = integer_type(8, false);
constexpr Type u32 = integer_type(4, false);
constexpr Parameter any_value{"value", Want::value};

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array functions{
    FunctionRow{Function::is_str,
                "is_str",
                {any_value},
                Aggregation::none,
                truth_value,
                "Is the value a string? Known when the program is compiled, as are the next ones.",
                "k:vfs_read { if (is_str(comm)) { @[comm] = count(); } }"},
    FunctionRow{Function::is_ptr,
                "is_ptr",
                {any_value},
                Aggregation::none,
                truth_value,
                "Is the value an address of something?",
                "k:vfs_read { @[is_ptr(curtask)] = count(); }"},
    FunctionRow{Function::is_array,
                "is_array",
                {any_value},
                Aggregation::none,
                truth_value,
                "Is the value an array?",
                "BEGIN { print(is_array(pton(\"127.0.0.1\"))); exit(); }"},
    FunctionRow{Function::is_integer,
                "is_integer",
                {any_value},
                Aggregation::none,
                truth_value,
                "Is the value an integer?",
                "k:vfs_read { @[is_integer(arg1)] = count(); }"},
    FunctionRow{Function::is_unsigned_integer,
                "is_unsigned_integer",
                {any_value},
                Aggregation::none,
                truth_value,
                "Is the value an integer without a sign?",
                "BEGIN { print(is_unsigned_integer(nsecs)); exit(); }"},
    FunctionRow{Function::is_literal,
                "is_literal",
                {any_value},
                Aggregation::none,
                truth_value,
                "Does the value stand there as a number or a string?",
                "BEGIN { print(is_literal(5)); exit(); }"},
    FunctionRow{Function::assert_str,
                "assert_str",
                {any_value},
                Aggregation::none,
                nothing(),
                "Refuses the program, when it is compiled, where the value is no string.",
                "k:vfs_read { assert_str(comm); @[comm] = count(); }"},
    FunctionRow{Function::default_str_length,
                "default_str_length",
                {},
                Aggregation::none,
                u64,
                "The bytes that str() reads where it is not told how many: max_strlen.",
                "BEGIN { print(default_str_length()); exit(); }"},
    FunctionRow{Function::kfunc_exist,
                "kfunc_exist",
                {Parameter{"function", Want::literal}},
                Aggregation::none,
                truth_value,
                "Does the kernel's type information describe a function of this name?",
                "BEGIN { print(kfunc_exist(\"vfs_read\")); exit(); }"},
    FunctionRow{Function::kfunc_allowed,
                "kfunc_allowed",
                {Parameter{"function", Want::literal}},
                Aggregation::none,
                truth_value,
                "Can a program call this function of the kernel? No: programs of lt call none.",
                "BEGIN { print(kfunc_allowed(\"bpf_rcu_read_lock\")); exit(); }"},
    FunctionRow{Function::is_err,
                "is_err",
                {Parameter{"address", Want::integer}},
                Aggregation::none,
                truth_value,
                "Is it no address but an error number, as functions of the kernel return them?",
                "kr:vfs_read /is_err(retval)/ { @ = count(); }"},
    FunctionRow{Function::find,
                "find",
                {Parameter{"@map", Want::map}, Parameter{"key", Want::value}, Parameter{"$name", Want::value}},
                Aggregation::none,
                truth_value,
                "Is there a value for this key? Then it is assigned to the variable.",
                "k:vfs_read { @at[tid] = nsecs; } kr:vfs_read { if (find(@at, tid, $at)) { @ = hist(nsecs - $at); } }"},
    FunctionRow{
        Function::pid_in,
        "pid",
        {Parameter{"namespace", Want::word}},
        Aggregation::none,
        u32,
        "The process that runs, as numbered in a namespace: init, the first one, or curr_ns, that of lt; 0 where "
        "it is not in there.",
        "k:vfs_read { @[pid(curr_ns)] = count(); }"},
    FunctionRow{Function::tid_in,
                "tid",
                {Parameter{"namespace", Want::word}},
                Aggregation::none,
                u32,
                "The thread that runs, likewise.",
                "k:vfs_read { @[tid(init)] = count(); }"},
    FunctionRow{Function::type_info,
                "typeinfo",
                {any_value},
                Aggregation::none,
                nothing(),
                "The type of the value: a record of btf_id, which is 0, base_type, as in int, string or pointer, and "
                "full_type, as in uint8.",
                "BEGIN { print(typeinfo(comm).full_type); exit(); }"},
};

}  // namespace

std::span<const FunctionRow> type_functions() { return functions; }

}  // namespace lt
