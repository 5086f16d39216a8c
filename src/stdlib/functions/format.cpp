// Functions that format texts while a program runs in the kernel.
#include <array>

#include "stdlib/functions/tables.h"

namespace lt {
namespace {

constexpr std::array of_format{
    FunctionRow{Function::sprintf_,
                "sprintf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "The text that printf() would print, as a string, for up to 12 numbers and strings. Needs Linux 5.13.",
                "k:vfs_read { @[sprintf(\"%s-%d\", comm, pid)] = count(); }"},
};

}  // namespace

std::span<const FunctionRow> format_functions() { return of_format; }

}  // namespace lt
