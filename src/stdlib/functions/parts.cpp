// Functions that take stacks and strings apart: single frames, single characters, strings with escapes.
#include <array>

#include "stdlib/functions/tables.h"

namespace lt {
namespace {

constexpr Parameter address{"address", Want::integer};
constexpr Parameter frame{"frame", Want::integer};
constexpr Parameter most{"most", Want::integer, true};
constexpr Parameter quotes{"quotes", Want::number, true};

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array of_parts{
    FunctionRow{
        Function::kframe,
        "kframe",
        {frame},
        Aggregation::none,
        u64,
        "The address of one frame of the kernel's call stack, counted from 0, the innermost; 0 if there is none.",
        "k:vfs_read { @[ksym(kframe(1))] = count(); }"},
    FunctionRow{Function::uframe,
                "uframe",
                {frame},
                Aggregation::none,
                u64,
                "The address of one frame of the program's call stack, counted from 0, the current address.",
                "k:vfs_read { @[usym(uframe(0))] = count(); }"},
    FunctionRow{
        Function::ksym_offset,
        "ksym_offset",
        {address},
        Aggregation::none,
        string_type(128),
        "The kernel function at an address, with offset, size and module, as a string: vfs_read+0x0/0x300. Linux 5.13.",
        "k:vfs_read { @[ksym_offset(kframe(1))] = count(); }"},
    FunctionRow{
        Function::usym_part,
        "usym_part",
        {address, Parameter{"part", Want::literal}},
        Aggregation::none,
        nothing(),
        "Describes an address of the current process: \"object\", the file that is mapped there; with the setting "
        "show_debug_info \"place\", the source line, such as main.c:12, or only its \"file\" or \"line\".",
        "u:/bin/bash:readline { @[usym_part(uframe(0), \"object\")] = count(); }"},
    FunctionRow{Function::byte_at,
                "byte_at",
                {Parameter{"string", Want::string}, Parameter{"place", Want::integer}},
                Aggregation::none,
                integer_type(8, true),
                "The byte of a string at an index, counted from 0; 0 after its end.",
                "k:vfs_read { @[byte_at(comm, 0)] = count(); }"},
    FunctionRow{Function::quoted,
                "quoted",
                {Parameter{"string", Want::string}, most, quotes},
                Aggregation::none,
                nothing(),
                "The string in double quotes, with C's escapes for what is not printable ASCII. If that is more than "
                "`most` characters it is truncated, and ends with ..., which counts. With 0 for `quotes` there are "
                "only the escapes.",
                "k:vfs_read { @[quoted(comm)] = count(); }"},
    FunctionRow{Function::quoted_bytes,
                "quoted_bytes",
                {address, Parameter{"length", Want::integer}, most},
                Aggregation::none,
                nothing(),
                "The same for the bytes at an address, including zeros.",
                "t:syscalls:sys_enter_write { @[quoted_bytes(uptr(args.buf), 16)] = count(); }"},
    FunctionRow{Function::why,
                "why",
                {},
                Aggregation::why,
                nothing(),
                "Where the time inside a span went, summed over all calls: running, on the run queue, blocked and on "
                "what.",
                "sc:read < @[comm] = why() >"},
    FunctionRow{
        Function::snapshot,
        "snapshot",
        {},
        Aggregation::none,
        nothing(),
        "Writes what the flight recorder holds to a file: what all threads did in the last seconds. See --keep.",
        "sc:fsync > 100ms < snapshot(); >"},
};

}  // namespace

std::span<const FunctionRow> part_functions() { return of_parts; }

}  // namespace lt
