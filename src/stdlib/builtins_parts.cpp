// Functions that take stacks and strings apart: single frames, single characters, strings with escapes in them.
#include <array>

#include "tables.h"

namespace lt {
namespace {

constexpr Type u64 = integer_type(8, false);
constexpr Parameter address{"address", Want::integer};
constexpr Parameter frame{"frame", Want::integer};
constexpr Parameter most{"most", Want::integer, true};
constexpr Parameter quotes{"quotes", Want::number, true};

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array functions{
    FunctionRow{
        Function::kframe,
        "kframe",
        {frame},
        Aggregation::none,
        u64,
        "The address of one frame of the kernel's call stack, counted from 0, the innermost; 0 where there is none.",
        "k:vfs_read { @[ksym(kframe(1))] = count(); }"},
    FunctionRow{Function::uframe,
                "uframe",
                {frame},
                Aggregation::none,
                u64,
                "The address of one frame of the program's call stack, likewise: 0 is where the program is.",
                "k:vfs_read { @[usym(uframe(0))] = count(); }"},
    FunctionRow{Function::ksym_offset,
                "ksym_offset",
                {address},
                Aggregation::none,
                string_type(128),
                "The function of the kernel at an address with the offset in it, its size and the module, as a "
                "string: vfs_read+0x0/0x300. Linux 5.13.",
                "k:vfs_read { @[ksym_offset(kframe(1))] = count(); }"},
    FunctionRow{Function::usym_part,
                "usym_part",
                {address, Parameter{"part", Want::literal}},
                Aggregation::none,
                nothing(),
                "Of what lies at an address of the process that runs: \"object\", the file that is mapped there; with "
                "the setting show_debug_info \"place\", the line of the source, as in main.c:12, or its \"file\" or "
                "\"line\" alone.",
                "u:/bin/bash:readline { @[usym_part(uframe(0), \"object\")] = count(); }"},
    FunctionRow{Function::byte_at,
                "byte_at",
                {Parameter{"string", Want::string}, Parameter{"place", Want::integer}},
                Aggregation::none,
                integer_type(8, true),
                "The byte of a string at a place, counted from 0; 0 behind its end.",
                "k:vfs_read { @[byte_at(comm, 0)] = count(); }"},
    FunctionRow{Function::quoted,
                "quoted",
                {Parameter{"string", Want::string}, most, quotes},
                Aggregation::none,
                nothing(),
                "The string in double quotes, with C's escapes for what is not printable ASCII. Of one that is longer "
                "than `most` characters the end is left out, and ... follows. With 0 for `quotes` there are only "
                "the escapes.",
                "k:vfs_read { @[quoted(comm)] = count(); }"},
    FunctionRow{Function::quoted_bytes,
                "quoted_bytes",
                {address, Parameter{"length", Want::integer}, most},
                Aggregation::none,
                nothing(),
                "The same of so many bytes at an address, zeros included.",
                "t:syscalls:sys_enter_write { @[quoted_bytes(uptr(args.buf), 16)] = count(); }"},
};

}  // namespace

std::span<const FunctionRow> part_functions() { return functions; }

}  // namespace lt
